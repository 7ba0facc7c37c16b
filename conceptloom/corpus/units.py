"""The units that a recipe makes of raw records: its first stage reads them, groups them by id, and analyses them.

Any unit, be it a sentence or a whole record, is passed on as one text with an id and a locator: a row of schema RAW.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import compress, islice
from typing import Protocol

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from conceptloom.arrays.building import text_array
from conceptloom.arrays.columns import truths
from conceptloom.corpus.raw import ROWS, WHOLE_RECORD, Row, malformed_row, raw_tables
from conceptloom.hashing import text_id, text_ids
from conceptloom.readers.base import Entry, Malformed, Reader, Text
from conceptloom.readers.records import whole_records
from conceptloom.schemas import RAW

Normalise = Callable[[str], str]
Split = Callable[[str], list[str]]
COMPLETED = "completed"
"""The count of sentences that were given the full stop that they lacked."""


class Unit(Protocol):
    """A frozen dataclass. Its functions belong to modules, since they are pickled by name."""

    def rows(self, entries: Iterable[Entry], file: int, reader: Reader, counts: Counter[str]) -> Iterator[Row]:
        """Yields a row of schema RAW for each unit in the entries of a reader, and one for each malformed entry.

        Adds to `counts` what else the report should tell, by name, such as COMPLETED.
        """

    def tables(
        self, entries: Iterable[Entry], file: int, reader: Reader, counts: Counter[str], size: int
    ) -> Iterator[pa.Table]:
        """Yields the same rows, in any order, as tables of `size` rows or, where a text has many units, some more.

        So memory does not grow with the file.
        """


@dataclass(frozen=True)
class SentenceUnit:
    """Each text of a record by itself, normalised and split into sentences.

    `completes` says that `split` may add a full stop to the last sentence; such sentences are counted as COMPLETED.
    Sentences that `same` turns into equal texts have one id: they are duplicates of each other.
    """

    normalise: Normalise
    split: Split
    completes: bool = False
    same: Normalise = str
    plain: str | None = None
    """A pattern (RE2) of texts that are one sentence as they stand, with nothing to normalise or to complete."""

    def rows(self, entries: Iterable[Entry], file: int, reader: Reader, counts: Counter[str]) -> Iterator[Row]:
        """See Unit. The only sentence of a text has number 0; several sentences count from 1."""
        normalise, split, completes, same = self.normalise, self.split, self.completes, self.same
        if completes:
            counts[COMPLETED] += 0
        for entry in entries:
            if isinstance(entry, Malformed):
                yield malformed_row(entry, file)
                continue
            normal = normalise(entry.text)
            sentences = split(normal)
            if completes and not normal.endswith(sentences[-1]):
                counts[COMPLETED] += 1
            first = 0 if len(sentences) == 1 else 1
            for number, text in enumerate(sentences, first):
                yield text_id(same(text)), text, file, entry.record, entry.item, number, None, None

    def tables(
        self, entries: Iterable[Entry], file: int, reader: Reader, counts: Counter[str], size: int = ROWS
    ) -> Iterator[pa.Table]:
        """See Unit. Plain texts, which most are, become columns at once."""
        if self.completes:
            counts[COMPLETED] += 0
        left = iter(entries)
        while some := list(islice(left, size)):
            plain, others = self._sorted_out(some, file)
            tables = raw_tables(self.rows(others, file, reader, counts), size)
            yield pa.concat_tables([plain, *islice(tables, 1)]).combine_chunks()
            yield from tables

    def _sorted_out(self, entries: list[Entry], file: int) -> tuple[pa.Table, list[Entry]]:
        """Returns the rows of the plain texts, and all other entries."""
        if self.plain is None:
            return RAW.empty_table(), entries
        texts = [entry for entry in entries if isinstance(entry, Text)]
        malformed = [entry for entry in entries if isinstance(entry, Malformed)] if len(texts) < len(entries) else []
        column = text_array(text for _, _, text in texts)
        found = pc.match_substring_regex(column, self.plain)
        are_plain = truths(found)
        table = self._plain_table(list(compress(texts, are_plain)), column.filter(found), file)
        return table, [*compress(texts, ~are_plain), *malformed]

    def _plain_table(self, texts: list[Text], column: pa.StringArray, file: int) -> pa.Table:
        records, items, sentences = zip(*texts, strict=True) if texts else ((), (), ())
        nothing = pa.nulls(len(texts), pa.string())
        columns = {
            "id": text_ids(map(self.same, sentences)),
            "text": column,
            "file": np.full(len(texts), file, dtype=np.int32),
            "record": np.array(records, dtype=np.int64),
            "item": np.array(items, dtype=np.int32),
            "sentence": np.zeros(len(texts), dtype=np.int32),
            "reason": nothing,
            "detail": nothing,
        }
        return pa.table(columns, schema=RAW)


@dataclass(frozen=True)
class RecordUnit:
    """A whole record: its normalised fields as one JSON text, which `fields_of` reads.

    The locator names the record. A record is malformed if any part of it is, or if it lacks one of `fields`.
    """

    normalise: Normalise
    fields: tuple[str, ...]

    def rows(self, entries: Iterable[Entry], file: int, reader: Reader, counts: Counter[str]) -> Iterator[Row]:
        """See Unit. Keeps only the fields named in `fields`, in that order."""
        for record in whole_records(entries, reader):
            if isinstance(record, Malformed):
                yield malformed_row(record, file)
            elif missing := [name for name in self.fields if name not in record.fields]:
                detail = f"there is no {missing[0]}, but {', '.join(record.fields) or 'nothing'}"
                excerpt = json.dumps(record.fields, ensure_ascii=False)
                yield malformed_row(Malformed(record.number, "missing_field", detail, excerpt), file)
            else:
                fields = {name: self.normalise(record.fields[name]) for name in self.fields}
                text = json.dumps(fields, ensure_ascii=False)
                yield text_id(text), text, file, record.number, WHOLE_RECORD, 0, None, None

    def tables(
        self, entries: Iterable[Entry], file: int, reader: Reader, counts: Counter[str], size: int = ROWS
    ) -> Iterator[pa.Table]:
        """See Unit."""
        return raw_tables(self.rows(entries, file, reader, counts), size)


def fields_of(text: str) -> dict[str, str]:
    """Returns the fields in a RecordUnit's text."""
    fields: dict[str, str] = json.loads(text)
    return fields

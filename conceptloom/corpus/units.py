"""The units that a recipe makes of raw records: its first stage reads them, groups them by id, and analyses them.

Any unit, be it a sentence or a whole record, is passed on as one text with an id and a locator: a row of schema RAW.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Protocol

from conceptloom.corpus.raw import WHOLE_RECORD, Row, malformed_row
from conceptloom.hashing import text_id
from conceptloom.readers.base import Entry, Malformed, Reader
from conceptloom.readers.records import whole_records

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


def fields_of(text: str) -> dict[str, str]:
    """Returns the fields in a RecordUnit's text."""
    fields: dict[str, str] = json.loads(text)
    return fields

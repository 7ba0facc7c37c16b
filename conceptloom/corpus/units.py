"""What a recipe makes of a raw record: the unit that its first stage reads, brings together by id, and analyses.

A unit travels as one text with an id, a locator and a row of schema RAW, whatever it is: a sentence, or a whole record.
"""

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Protocol

from conceptloom.corpus.raw import WHOLE_RECORD, Row, malformed_row
from conceptloom.hashing import text_id
from conceptloom.readers.base import Entry, Malformed, Reader
from conceptloom.readers.records import whole_records

Normalise = Callable[[str], str]
Split = Callable[[str], list[str]]


class Unit(Protocol):
    """A frozen dataclass; the functions in it are of modules, as they are pickled by their names."""

    def rows(self, entries: Iterable[Entry], file: int, reader: Reader) -> Iterator[Row]:
        """A row of schema RAW for each unit in the entries of a reader, and one for each malformed entry."""


@dataclass(frozen=True)
class SentenceUnit:
    """Each text of a record for itself, normalised and split into sentences."""

    normalise: Normalise
    split: Split

    def rows(self, entries: Iterable[Entry], file: int, reader: Reader) -> Iterator[Row]:
        """See Unit. A text's only sentence has number 0; the sentences of a text that has several count from 1."""
        normalise, split = self.normalise, self.split
        for entry in entries:
            if isinstance(entry, Malformed):
                yield malformed_row(entry, file)
                continue
            sentences = split(normalise(entry.text))
            first = 0 if len(sentences) == 1 else 1
            for number, text in enumerate(sentences, first):
                yield text_id(text), text, file, entry.record, entry.item, number, None, None


@dataclass(frozen=True)
class RecordUnit:
    """A record as a whole: its fields, normalised, as one JSON text, which `fields_of` reads.

    The locator names the record. A record of which anything is malformed, or that lacks one of `fields`, is malformed.
    """

    normalise: Normalise
    fields: tuple[str, ...]

    def rows(self, entries: Iterable[Entry], file: int, reader: Reader) -> Iterator[Row]:
        """See Unit. Fields that are not asked for are passed over; the others stand in the order of `fields`."""
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
    """The fields of a RecordUnit's text."""
    fields: dict[str, str] = json.loads(text)
    return fields

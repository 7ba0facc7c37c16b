"""What stage ingest asks of a language: how texts become sentences, and sentences rows."""

from typing import ClassVar, Protocol

import pyarrow as pa

from conceptloom.corpus.units import Unit


class Opened(Protocol):
    """An analyser that has all it needs."""

    schema: ClassVar[pa.Schema]
    """Of the rows that are kept; it begins with the columns of conceptloom.schemas.SENTENCES up to `concepts`."""

    def rows(self, block: pa.Table, seed: int) -> tuple[pa.Table, pa.Table]:
        """The kept rows of distinct sentences (`schema`) and the rejected ones (REJECTED), in their order.

        `block` has the columns id, text, source, locator and copies.
        """


class SentenceAnalyser(Protocol):
    """A frozen dataclass of names and options: it is pickled to where the sentences are."""

    unit: ClassVar[Unit]

    def opened(self, side: bytes | None) -> Opened:
        """The analyser in the process that uses it; `side` is what the stage computed for it before, where it asks."""

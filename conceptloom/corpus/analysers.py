"""What stage ingest asks of a language: how texts become sentences, and sentences rows."""

from typing import ClassVar, Protocol

import pyarrow as pa

from conceptloom.corpus.units import Unit
from conceptloom.json_values import JsonObject


class OpenAnalyser(Protocol):
    """An analyser that has all it needs. It stays in the process that opened it."""

    schema: ClassVar[pa.Schema]
    """Of the kept rows; it begins with the columns of conceptloom.schemas.SENTENCES up to `concepts`."""

    def rows(self, block: pa.Table, seed: int) -> tuple[pa.Table, pa.Table]:
        """Returns the kept rows of distinct sentences (`schema`) and the rejected ones (REJECTED), in their order.

        `block` has the columns id, text, source, locator and copies.
        """


class SentenceAnalyser(Protocol):
    """A language's analysis as a configuration names it: a frozen dataclass, pickled to where the sentences are."""

    @property
    def unit(self) -> Unit:
        """How records become units."""

    def signature(self) -> JsonObject:
        """Returns what the rows depend on, besides names and options: versions, hashes of files. Opens nothing.

        It is part of the stage's fingerprint. Raises ConfigError where something that the analyser needs is missing.
        """

    def open(self, side: bytes | None) -> OpenAnalyser:
        """Returns the analyser in the process that uses it, one for all calls with equal arguments.

        `side` is what the stage computed for it before, where it asks for that.
        """

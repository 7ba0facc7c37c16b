"""What a recipe says of its own costs: the contract between it and `conceptloom estimate`.

Every cost of a stage is put down to a count (sentences read, kept, concept sets, …). A recipe knows what it counts in a
finished build of a sample, and how these counts grow to the whole; how a cost is measured, and drawn out as a line of
its count, is the same for all recipes (conceptloom.pipelines.estimation.extrapolate).
"""

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from conceptloom.corpus.units import Unit
from conceptloom.estimation.growth import Counts, Growth, incidence

if TYPE_CHECKING:
    from conceptloom.pipelines.build.context import Context

Rows = Mapping[str, float]
"""What costs grow with, by name: numbers of sentences, concept sets, rows; `read` and `kept` among them."""


@dataclass(frozen=True)
class StageCosts:
    """What one stage read, kept, used and wrote. Times are seconds; everything else is sentences or bytes."""

    read: int
    kept: int
    cpu: float
    wall: float
    held: int
    """The most memory that the process held, above what it had when nothing was loaded."""
    bytes_read: int
    counters: dict[str, int]
    written: dict[str, int]
    """By kind of file."""

    def counted(self, prefix: str) -> dict[str, int]:
        """The counters of a prefix, by the rest of their names."""
        found = self.counters.items()
        return {name.removeprefix(prefix): number for name, number in found if name.startswith(prefix)}


@dataclass
class SampleRun:
    """The recipe's stages on one sample."""

    buckets: int
    stages: dict[str, StageCosts]
    counts: Any
    """What the recipe's model counted."""
    finish: float
    """CPU seconds of what a build does besides its stages."""


class Drawn(NamedTuple):
    """The sentences of a sample, copies among them, and with which unit each was drawn; both of shape (sentences,)."""

    units: npt.NDArray[np.uint64]
    heads: npt.NDArray[np.uint64]
    """The leading 64 bits of their ids."""

    def copies(self) -> Counts:
        """In how many of the units each distinct sentence stands."""
        return incidence(self.units, self.heads)


@dataclass(frozen=True)
class Samples:
    """Nested samples that were built, the largest last, and the whole that they are of."""

    settings: Any
    times: float
    """How many times as large as the largest sample the whole is."""
    buckets: int
    """Those of the whole."""
    copies: Counts
    """In how many of the drawn units each distinct sentence of the largest sample stands."""
    runs: Sequence[SampleRun]
    seen: Any
    """What the recipe's model saw in the largest sample besides its counts."""

    def counts(self, stage: str, what: str) -> list[float]:
        """What a stage `read` or `kept` in each sample."""
        return [float(getattr(run.stages[stage], what)) for run in self.runs]

    def read(self) -> float:
        """The sentences that the first stage will read of the whole."""
        return self.counts("ingest", "read")[-1] * self.times

    def kept(self) -> float:
        """The distinct sentences that stage ingest will keep of the whole: copies come again, others are new."""
        copies = Growth.of(self.copies)
        return self.counts("ingest", "kept")[-1] * copies.distinct(self.times) / copies.seen


class SecondStep(NamedTuple):
    """Rows of a very large shuffle travel twice: by way of `groups` groups of shards, `rows` of them on from there."""

    groups: int = 0
    rows: float = 0.0


class CostModel(Protocol):
    """What the costs of one recipe's stages grow with. Stages have the names of the recipe's."""

    unit: ClassVar[Unit]
    """How its first stage, `ingest`, makes sentences of a record's text."""
    grows_with: ClassVar[Mapping[str, str]]
    """The count that each cost grows with, by STAGE/KIND/NAME; one that is not named grows as its STAGE does.

    KIND/NAME: `cpu`/task, `shuffled`/output, `written`/kind of file, `runner`, `bytes` (read), `held` (the memory that
    the work on one bucket takes; where it is not named, memory is a line of the bytes that the stage shuffles).
    """
    reads: ClassVar[Mapping[str, str]]
    """The count that a stage reads, where it is not what the stage before it kept."""
    keeps: ClassVar[Mapping[str, str]]
    """The count that a stage keeps; one that is not named keeps the share that it keeps of the largest sample."""
    units: ClassVar[Mapping[str, str]]
    """What is counted in a stage, where it is not sentences."""
    alone: ClassVar[AbstractSet[str]]
    """Tasks of one call, or of few: no number of workers makes them faster."""
    tasks: ClassVar[Sequence[str]]
    """The modules of tasks that a worker process has loaded in the end."""

    def smaller(self, settings: Any, share: float) -> Any:
        """The settings for a sample of that share: without a limit of records, whole numbers in proportion."""

    def count(self, context: "Context[Any]") -> Any:
        """What must be known of every sample's build, besides its ledgers."""

    def look(self, context: "Context[Any]", drawn: Drawn) -> Any:
        """What must be known of the build of the largest sample."""

    def rows(self, samples: Samples) -> list[Rows]:
        """The counts of each sample, and last those of the whole."""

    def second_step(self, samples: Samples, flow: str) -> SecondStep:
        """How the rows of one output (STAGE/NAME) travel in the whole, where that is not straight to their buckets."""


def apart(model: CostModel, stage: str) -> bool:
    """Whether the memory of a stage is put down to its bucket and its shuffle, each by itself."""
    return f"{stage}/held" in model.grows_with


def fewer(amount: float, share: float) -> float:
    """A number of rows for a sample of that share: a whole number in proportion, a fraction as it is.

    >>> fewer(500, 0.1), fewer(0.5, 0.1)
    (50, 0.5)
    """
    return round(amount * share) if isinstance(amount, int) else amount

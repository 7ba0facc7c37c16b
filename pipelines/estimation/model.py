"""The cost model of a recipe: its contract with `conceptloom estimate`.

Every cost of a stage is attributed to a count (sentences read or kept, concept sets, …). A recipe defines what to count
in a finished build of a sample, and how these counts grow to the whole corpus. Measuring a cost and extrapolating it
linearly in its count is the same for all recipes (see conceptloom.pipelines.estimation.extrapolate).
"""

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Generic, NamedTuple, Protocol, TypeAlias, TypeVar

from conceptloom.arrays.types import UInt64
from conceptloom.corpus.units import Unit
from conceptloom.estimation.growth import Counts, Growth, incidence
from conceptloom.pipelines.build.settings import S

if TYPE_CHECKING:
    from conceptloom.pipelines.build.context import Context

Counted = TypeVar("Counted")
"""What a recipe's model counts in the build of each sample."""

Seen = TypeVar("Seen")
"""What a recipe's model observes in the build of the largest sample."""

Rows = Mapping[str, float]
"""The counts that costs grow with, by name: sentences, concept sets, rows; always has `read` and `kept`."""


@dataclass(frozen=True)
class StageCosts:
    """The costs of one stage. Times are in seconds; all else is sentences or bytes."""

    read: int
    kept: int
    cpu: float
    wall: float
    held: int
    """The peak memory of the process, above its memory before anything was loaded."""
    bytes_read: int
    counters: dict[str, int]
    written: dict[str, int]
    """Bytes by kind of file."""

    def counted(self, prefix: str) -> dict[str, int]:
        """Returns the counters whose names have a prefix, by the rest of the name."""
        found = self.counters.items()
        return {name.removeprefix(prefix): number for name, number in found if name.startswith(prefix)}


@dataclass
class SampleRun(Generic[Counted]):
    """The costs of the recipe's stages on one sample."""

    buckets: int
    stages: dict[str, StageCosts]
    counts: Counted
    """The counts of the recipe's model."""
    finish: float
    """CPU seconds of the build outside its stages."""


class Drawn(NamedTuple):
    """The sentences of a sample, including copies, and the unit that each was drawn with; shapes (sentences,)."""

    units: UInt64
    heads: UInt64
    """The leading 64 bits of their ids."""

    def copies(self) -> Counts:
        """Returns the number of units that contain each distinct sentence."""
        return incidence(self.units, self.heads)


@dataclass(frozen=True)
class Samples(Generic[S, Counted, Seen]):
    """Nested samples that were built, the largest last, and the size of the whole corpus."""

    settings: S
    times: float
    """The ratio of the whole corpus to the largest sample."""
    buckets: int
    """The number of buckets of the whole corpus."""
    copies: Counts
    """The number of drawn units that contain each distinct sentence of the largest sample."""
    runs: Sequence[SampleRun[Counted]]
    seen: Seen
    """What the recipe's model observed in the largest sample besides its counts."""

    def counts(self, stage: str, what: str) -> list[float]:
        """Returns the number of sentences that a stage `read` or `kept` in each sample."""
        return [float(getattr(run.stages[stage], what)) for run in self.runs]

    def read(self) -> float:
        """Returns the number of sentences that the first stage will read from the whole corpus."""
        return self.counts("ingest", "read")[-1] * self.times

    def kept(self) -> float:
        """Returns the number of distinct sentences that stage ingest will keep of the whole corpus."""
        copies = Growth.of(self.copies)
        return self.counts("ingest", "kept")[-1] * copies.distinct(self.times) / copies.seen


class SecondStep(NamedTuple):
    """A second step of a very large shuffle: by way of `groups` groups of shards, which pass `rows` rows on."""

    groups: int = 0
    rows: float = 0.0


class CostModel(Protocol[S, Counted, Seen]):
    """Defines the counts that the costs of a recipe's stages grow with."""

    unit: ClassVar[Unit]
    """How the first stage, `ingest`, splits the text of a record into sentences."""
    grows_with: ClassVar[Mapping[str, str]]
    """The count that each cost grows with, by STAGE/KIND/NAME; a cost without an entry grows with that of its STAGE.

    KIND/NAME: `cpu`/task, `shuffled`/output, `written`/kind of file, `runner`, `bytes` (read), `held` (the memory for
    the work on one bucket; without an entry, it is that of the sample, since buckets are of one size).
    """
    reads: ClassVar[Mapping[str, str]]
    """The count that a stage reads, if that is not what the previous stage kept."""
    keeps: ClassVar[Mapping[str, str]]
    """The count that a stage keeps; a stage without an entry keeps the same share as in the largest sample."""
    units: ClassVar[Mapping[str, str]]
    """The items that a stage counts, if they are not sentences."""
    alone: ClassVar[AbstractSet[str]]
    """Tasks of a single call or a few: more workers do not make them faster."""
    tasks: ClassVar[Sequence[str]]
    """The task modules that a worker process will have loaded."""

    def smaller(self, settings: S, share: float) -> S:
        """Returns the settings for a sample of that share: no limit of records, absolute numbers scaled down."""

    def count(self, context: "Context[S]") -> Counted:
        """Returns what the model needs to know about the build of each sample, besides its ledgers."""

    def look(self, context: "Context[S]", drawn: Drawn) -> Seen:
        """Returns what the model needs to know about the build of the largest sample."""

    def rows(self, samples: Samples[S, Counted, Seen]) -> list[Rows]:
        """Returns the counts of each sample, followed by those of the whole corpus."""

    def second_step(self, samples: Samples[S, Counted, Seen], flow: str) -> SecondStep:
        """Returns the second step that the rows of an output (STAGE/NAME) take in the whole corpus, if any."""


AnyCosts: TypeAlias = CostModel[S, Any, Any]
"""A cost model whose counts are its own affair."""


def fewer(amount: float, share: float) -> float:
    """Returns an amount for a sample of that share: a whole number is scaled down, a fraction stays.

    >>> fewer(500, 0.1), fewer(0.5, 0.1)
    (50, 0.5)
    """
    return round(amount * share) if isinstance(amount, int) else amount

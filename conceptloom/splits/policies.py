"""Split policies: what train may share with validation and test. No policy lets them share a set or a sentence.

Korean CommonGen (section 3) promises that each test set holds at least one pair of concepts that train never shows:
`unseen-pairs`. The others are stricter, or the plain baseline.
"""

from dataclasses import dataclass
from typing import ClassVar, Protocol

from conceptloom.errors import ConfigError
from conceptloom.registry import Registry

SMALLEST_SET = 2
"""A held-out set must hold a pair of concepts to combine."""

SAME_SET = "same_set"
"""Why a sentence is dropped that holds the very set of a held-out one."""

HELD_OUT = "held_out"
"""Why a sentence is dropped that is held out by an earlier build whose validation and test are kept."""

SHOWS_PAIR = "shows_pair"
"""Why a sentence is dropped that holds a protected pair of a frozen held-out set."""


class Policy(Protocol):
    """A frozen dataclass of its options. It decides twice: what may be held out, and what train then loses."""

    @property
    def min_pairs(self) -> int:
        """How many pairs a held-out set must hold that no other set of the corpus holds. 0: pairs do not matter."""

    @property
    def max_shared(self) -> int | None:
        """How many concepts a train set may share with a held-out set. None: any number."""

    @property
    def reason(self) -> str:
        """Why a sentence is dropped that shares more."""

    @property
    def name(self) -> str:
        """The name in the registry, for messages."""


def _at_least(least: int, value: int, option: str) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise ConfigError(f"{option} must be a whole number from {least} up, not {value!r}")


@dataclass(frozen=True)
class UnseenPairs:
    """Each held-out set holds at least `min_pairs` pairs that no train set holds (Korean CommonGen, section 3).

    This drops nothing but equal sets: only sets that have so many pairs to themselves in the whole corpus are held out,
    so no set that stays in train can hold these pairs.
    """

    min_pairs: int = 1

    name: ClassVar[str] = "unseen-pairs"
    max_shared: ClassVar[int | None] = None
    reason: ClassVar[str] = ""

    def __post_init__(self) -> None:
        _at_least(1, self.min_pairs, "min_pairs")


@dataclass(frozen=True)
class AllPairsUnseen:
    """No train set shares a pair with a held-out set: every one that does is dropped from train."""

    name: ClassVar[str] = "all-pairs-unseen"
    min_pairs: ClassVar[int] = 0
    max_shared: ClassVar[int | None] = 1
    reason: ClassVar[str] = "shares_pair"


@dataclass(frozen=True)
class MaxShared:
    """No train set shares more than `max_shared` concepts with a held-out set: every one that does is dropped."""

    max_shared: int = 1

    name: ClassVar[str] = "max-shared"
    min_pairs: ClassVar[int] = 0
    reason: ClassVar[str] = "shares_concepts"

    def __post_init__(self) -> None:
        _at_least(0, self.max_shared, "max_shared")


@dataclass(frozen=True)
class Random:
    """Only equal sets are kept apart: the random baseline to compare with."""

    name: ClassVar[str] = "random"
    min_pairs: ClassVar[int] = 0
    max_shared: ClassVar[int | None] = None
    reason: ClassVar[str] = ""


@dataclass(frozen=True)
class PolicyEntry:
    """A policy with a name: `make` is a dataclass whose fields are the policy's options."""

    summary: str
    make: type[UnseenPairs] | type[AllPairsUnseen] | type[MaxShared] | type[Random]


POLICIES: Registry[PolicyEntry] = Registry("split policy")
POLICIES.add(
    UnseenPairs.name, PolicyEntry("every held-out set has pairs that train never shows (default)", UnseenPairs)
)
POLICIES.add(AllPairsUnseen.name, PolicyEntry("train shows no pair of any held-out set", AllPairsUnseen))
POLICIES.add(MaxShared.name, PolicyEntry("train shares at most max_shared concepts with any held-out set", MaxShared))
POLICIES.add(Random.name, PolicyEntry("by chance; only equal sets are kept apart", Random))

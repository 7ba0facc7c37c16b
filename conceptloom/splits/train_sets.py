"""What train may share with dev and test, where all three come from one list of sets (CommonGen, section 3.5).

The policies differ from those of `conceptloom.splits.policies`: there the policy decides which sets may be held out;
here dev and test are chosen by rank, and train gives way.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, ClassVar, NamedTuple, Protocol

import numpy as np

from conceptloom.arrays.concept_sets import ConceptSets, found_in, subsets
from conceptloom.arrays.runs import distinct
from conceptloom.arrays.types import Bool, Int64, UInt64
from conceptloom.errors import ConfigError
from conceptloom.registry import Registry
from conceptloom.splits.overlap import shared_with

TEST_PAIR = "shares_test_pair"
DEV_PAIR = "shares_dev_pair"
TEST_CONCEPTS = "shares_test_concepts"
DEV_CONCEPTS = "shares_dev_concepts"


class Held(NamedTuple):
    """The sets to which train gives way, each of distinct concepts (`distinct_sets`)."""

    dev: ConceptSets
    test: ConceptSets


class Verdict(NamedTuple):
    """What becomes of train's sets."""

    keep: Bool
    """Shape (train sets,)."""
    dropped: Mapping[str, int]
    """How many were dropped for each reason; a set is counted for the first reason that applies."""
    reasons: Int64
    """The number of the reason (in the order of `dropped`) for which each set was dropped; -1 for those that stay."""


class TrainPolicy(Protocol):
    """A frozen dataclass of its options."""

    name: ClassVar[str]
    """The name in the registry."""

    def judge(self, train: ConceptSets, held: Held) -> Verdict:
        """Returns which of train's sets stay. `train` has the form of `distinct_sets`; no set equals a held-out one."""


@dataclass(frozen=True)
class Final:
    """No train set holds a pair of a test set, and at least the share `unseen_dev_pairs` of dev's pairs is in none.

    Dev's pairs are distinct unordered pairs. The pairs that may stay are those that most train sets hold (without the
    sets dropped for test), ties by the pair's hash; every train set that holds another pair of dev is dropped.
    """

    unseen_dev_pairs: float = 0.9631

    name: ClassVar[str] = "final"

    def __post_init__(self) -> None:
        if not 0 <= self.unseen_dev_pairs <= 1:
            raise ConfigError(f"overlap.unseen_dev_pairs must lie between 0 and 1, not {self.unseen_dev_pairs!r}")

    def judge(self, train: ConceptSets, held: Held) -> Verdict:
        """See TrainPolicy."""
        rows, pairs = subsets(train, 2)
        with_test = _holders(rows, found_in(_pairs(held.test), pairs), train)
        dev_pairs, left = _pairs(held.dev), pairs[~with_test[rows]]
        hits = left[found_in(dev_pairs, left)]
        counts = np.bincount(np.searchsorted(dev_pairs, hits), minlength=len(dev_pairs))
        with_dev = _holders(rows, found_in(self.forbidden(dev_pairs, counts), pairs), train)
        return _verdict({TEST_PAIR: with_test, DEV_PAIR: with_dev}, len(train.sizes))

    def forbidden(self, dev_pairs: UInt64, counts: Int64) -> UInt64:
        """Returns the pairs of dev that no train set may hold, sorted. `counts`: how many train sets hold each pair."""
        # Rounded, so that a share computed from two whole numbers does not ask for one pair too many.
        unseen = int(np.ceil(round(self.unseen_dev_pairs * len(dev_pairs), 6)))
        cheapest = np.lexsort((dev_pairs, counts))[:unseen]
        return np.sort(dev_pairs[cheapest])


@dataclass(frozen=True)
class Preprint:
    """No train set shares more than `max_shared` concepts with a set of dev or test (the paper's first version)."""

    max_shared: int = 2

    name: ClassVar[str] = "preprint"

    def __post_init__(self) -> None:
        if self.max_shared < 0:
            raise ConfigError(f"overlap.max_shared must be a number of concepts from 0 up, not {self.max_shared!r}")

    def judge(self, train: ConceptSets, held: Held) -> Verdict:
        """See TrainPolicy."""
        with_test = shared_with(train, held.test, self.max_shared) >= 0
        with_dev = shared_with(train, held.dev, self.max_shared) >= 0
        return _verdict({TEST_CONCEPTS: with_test, DEV_CONCEPTS: with_dev}, len(train.sizes))


@dataclass(frozen=True)
class NoControl:
    """Train keeps all its sets."""

    name: ClassVar[str] = "none"

    def judge(self, train: ConceptSets, held: Held) -> Verdict:
        """See TrainPolicy."""
        return _verdict({}, len(train.sizes))


def _pairs(sets: ConceptSets) -> UInt64:
    """The hashes of the distinct pairs, sorted."""
    return distinct(subsets(sets, 2).keys)


def _holders(rows: Int64, hits: Bool, sets: ConceptSets) -> Bool:
    """Which sets have a hit among their combinations, shape (sets,)."""
    return np.bincount(rows[hits], minlength=len(sets.sizes)) > 0


def _verdict(holds: Mapping[str, Bool], sets: int) -> Verdict:
    """Drops the sets to which any reason applies."""
    reasons = np.full(sets, -1, dtype=np.int64)
    for number, rows in reversed(list(enumerate(holds.values()))):
        reasons[rows] = number
    counts = np.bincount(reasons + 1, minlength=len(holds) + 1)[1:].tolist()
    return Verdict(reasons < 0, dict(zip(holds, counts)), reasons)


@dataclass(frozen=True)
class TrainPolicyEntry:
    """A policy with a name: `make` is a dataclass whose fields are the policy's options."""

    summary: str
    make: type[Final] | type[Preprint] | type[NoControl]


TRAIN_POLICIES: Registry[TrainPolicyEntry] = Registry("overlap policy")
TRAIN_POLICIES.add(Final.name, TrainPolicyEntry("train shows no pair of test, and few pairs of dev (default)", Final))
TRAIN_POLICIES.add(Preprint.name, TrainPolicyEntry("train shares at most max_shared concepts with a set", Preprint))
TRAIN_POLICIES.add(NoControl.name, TrainPolicyEntry("train keeps all its sets", NoControl))


def train_policy(name: str, options: Mapping[str, Any]) -> TrainPolicy:
    """Returns the policy of a name, with those of the options that apply to it."""
    make = TRAIN_POLICIES[name].make
    return make(**{field.name: options[field.name] for field in fields(make)})

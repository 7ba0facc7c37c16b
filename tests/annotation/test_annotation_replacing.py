"""Which candidates replace failed sets, and what train gives up, against plain sets and loops."""

from collections.abc import Sequence
from itertools import combinations
from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from conceptloom.annotation.replacing import (
    CANDIDATES,
    SETS,
    Splits,
    Tally,
    failed_sets,
    leaving_train,
    moved,
    next_best,
    unseen_by_train,
)
from conceptloom.annotation.replacing_inputs import overlap_policy
from conceptloom.errors import InputError
from conceptloom.splits.train_sets import Final, NoControl, Preprint, TrainPolicy

Named = dict[str, frozenset[str]]
POLICIES = [Final(1.0), Preprint(1), Preprint(2), NoControl()]


def pairs(concepts: frozenset[str]) -> set[frozenset[str]]:
    return set(map(frozenset, combinations(concepts, 2)))


def clash(policy: TrainPolicy, left: frozenset[str], right: frozenset[str]) -> bool:
    """Whether the policy forbids train the one beside the other in dev or test (Final: all of dev's pairs unseen)."""
    if isinstance(policy, Preprint):
        return len(left & right) > policy.max_shared
    return isinstance(policy, Final) and bool(pairs(left) & pairs(right))


class Case:
    """Distinct sets dealt to train, dev, test and other candidates, with ranks among all of one size."""

    def __init__(self, sets: Sequence[frozenset[str]], splits: Sequence[str], ranks: Sequence[int]) -> None:
        self.sets = {"#".join(sorted(each)): each for each in sets}
        self.split = dict(zip(self.sets, splits))
        self.ranks = dict(zip(self.sets, ranks))

    def of(self, *splits: str) -> Named:
        return {one: self.sets[one] for one, split in self.split.items() if split in splits}

    def splits(self) -> Splits:
        rows = [(one, list(each), self.ranks[one]) for one, each in self.of("train", "").items()]
        columns = list(zip(*rows)) or [[], [], []]
        candidates = pa.table([pa.array(values, type_) for values, type_ in zip(columns, CANDIDATES.types)], CANDIDATES)
        return Splits(*(table(self.of(split)) for split in ("train", "validation", "test")), candidates)


def table(sets: Named) -> pa.Table:
    return pa.table([pa.array(list(sets)), pa.array(list(map(list, sets.values())), SETS.types[1])], SETS)


@st.composite
def cases(draw: st.DrawFn) -> tuple[Case, list[str]]:
    sets = draw(st.lists(st.frozensets(st.sampled_from("abcdefg"), min_size=3, max_size=4), min_size=1, unique=True))
    splits = draw(st.lists(st.sampled_from(["train", "train", "validation", "test", "", ""]), min_size=len(sets)))
    ranks = draw(st.lists(st.integers(1, 5), min_size=len(sets)))
    case = Case(sets, splits, ranks)
    held = sorted(case.of("validation", "test"))
    return case, draw(st.lists(st.sampled_from(held), unique=True)) if held else []


def oracle(case: Case, failed: list[str], policy: TrainPolicy, *, keep: bool) -> dict[str, str | None]:
    """What replaces each failed set, chosen one after the other."""
    train, chosen = case.of("train"), dict[str, str | None]()
    for one in sorted(failed):
        free = [
            (case.ranks[other], other)
            for other, concepts in case.of("train", "").items()
            if other not in chosen.values()
            and len(concepts) == len(case.sets[one])
            and not (keep and (other in train or any(clash(policy, concepts, each) for each in train.values())))
        ]
        chosen[one] = min(free)[1] if free else None
    return chosen


@given(cases(), st.sampled_from(POLICIES), st.booleans())
def test_the_next_of_each_size_and_what_train_gives_up(
    drawn: tuple[Case, list[str]], policy: TrainPolicy, keep: bool
) -> None:
    case, failed = drawn
    splits = case.splits()
    eligible = unseen_by_train(splits, policy) if keep else np.ones(len(splits.candidates), dtype=np.bool_)
    moves, without = next_best(splits, failed, eligible)
    ids = splits.candidates["id"].to_pylist()
    found = {move.instead: ids[move.row] for move in moves} | dict.fromkeys(without)
    assert found == oracle(case, failed, policy, keep=keep)
    turned = splits._replace(candidates=splits.candidates.take(pa.array(range(len(ids))[::-1], pa.int64())))
    other = next_best(turned, failed[::-1], eligible[::-1])
    assert ({move.instead: ids[::-1][move.row] for move in other[0]}, other[1]) == (
        {move.instead: ids[move.row] for move in moves}, without,
    )  # fmt: skip
    after = moved(splits, moves)
    assert {move.split for move in moves} <= {case.split[one] for one in failed}
    held = {split: set(sets["id"].to_pylist()) for split, sets in after.held().items()}
    for split, sets in held.items():
        before = set(case.of(split))
        replaced = {one for one in before if found.get(one)}
        assert sets == before - replaced | {str(found[one]) for one in replaced}
    assert set(after.candidates["id"].to_pylist()) == set(case.of("train", "")) - set(found.values())
    leaving = dict(zip(*(leaving_train(splits, after, policy)[name].to_pylist() for name in ("id", "reason"))))
    both = [case.sets[one] for sets in held.values() for one in sets]
    expected = {
        one
        for one, each in case.of("train").items()
        if each in both or any(clash(policy, each, other) for other in both)
    }
    assert set(leaving) == expected
    assert {one for one, reason in leaving.items() if reason.startswith("became")} == set(case.of("train")) & set(
        found.values()
    )
    untouched = {one for one, each in case.of("train").items() if any(clash(policy, each, other) for other in
                 case.of("validation", "test").values())}  # fmt: skip
    if keep:
        assert set(leaving) <= untouched  # a candidate that train has not seen costs it nothing


@given(cases(), st.floats(0, 1))
def test_the_promise_for_dev_holds_after_the_moves(drawn: tuple[Case, list[str]], share: float) -> None:
    """No pair of test is in what stays of train, and of dev's distinct pairs at least the share is not."""
    case, failed = drawn
    splits, policy = case.splits(), Final(share)
    after = moved(splits, next_best(splits, failed, np.ones(len(splits.candidates), dtype=np.bool_))[0])
    gone = set(leaving_train(splits, after, policy)["id"].to_pylist())
    seen = {pair for one, each in case.of("train").items() if one not in gone for pair in pairs(each)}
    held = {split: {pair for each in sets["concepts"].to_pylist() for pair in pairs(frozenset(each))}
            for split, sets in after.held().items()}  # fmt: skip
    assert not seen & held["test"]
    assert len(held["validation"] - seen) >= share * len(held["validation"]) - 1e-6


@pytest.mark.parametrize(
    ("least", "rejections", "expected"),
    [(1, 1, ["b"]), (2, 1, ["b", "c"]), (2, 2, ["b"]), (1, 0, ["b", "d"]), (4, 0, ["a", "b", "c", "d"]), (1, 4, [])],
)
def test_a_set_fails_by_few_references_and_rejected_answers(least: int, rejections: int, expected: list[str]) -> None:
    tallies = {
        "a": Tally(3, {}),
        "b": Tally(0, {"coverage": 2, "no_sentence": 1}),
        "d": Tally(0, {}),
        "c": Tally(1, {"rationale": 1}),
    }
    assert failed_sets(tallies, least, rejections) == expected


def test_a_build_without_ranked_candidates_is_refused() -> None:
    build = SimpleNamespace(directory="builds/one", manifest=SimpleNamespace(name="other", settings={"split": {}}))
    with pytest.raises(InputError, match="builds/one is a build of recipe other, which has no overlap.policy"):
        overlap_policy(build)  # type: ignore[arg-type]

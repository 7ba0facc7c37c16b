"""The protection of frozen sets, by an oracle of plain Python sets that tries every pair."""

import random
from collections.abc import Callable, Sequence
from itertools import combinations
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conceptloom.arrays.concept_sets import concept_sets, subsets
from conceptloom.errors import ConfigError
from conceptloom.splits import (
    Policy,
    Protection,
    Sizes,
    divide,
    divide_protected,
    frozen_assignment,
    pair_holders,
    protect,
    require_pairs,
    split_table,
    sum_holders,
)
from conceptloom.splits.assignment import DROPPED, SPLIT_NAMES, TRAIN
from conceptloom.splits.policies import AllPairsUnseen, MaxShared, Random, UnseenPairs

Corpus = Callable[[Sequence[tuple[str, Sequence[str]]]], pa.Table]
Sets = dict[str, frozenset[str]]
Verdicts = dict[str, tuple[str, str]]

WORDS = [f"개념{number}" for number in range(12)]
SETS = st.lists(st.lists(st.sampled_from(WORDS), max_size=6), max_size=40)
POLICY = st.one_of(
    st.builds(UnseenPairs, st.integers(1, 3)),
    st.just(AllPairsUnseen()),
    st.builds(MaxShared, st.integers(0, 4)),
    st.just(Random()),
)


def held_rows(rows: pa.Table, splits: Sequence[str]) -> pa.Table:
    """The rows as those of held-out data files."""
    return rows.select(["id", "concepts"]).append_column("split", pa.array(splits, pa.string()))


def sets_of(rows: pa.Table) -> Sets:
    return {row["id"]: frozenset(row["concepts"]) for row in rows.select(["id", "concepts"]).to_pylist()}


def pairs_of(concepts: frozenset[str]) -> list[tuple[str, str]]:
    return list(combinations(sorted(concepts), 2))


def pair_hash(pair: tuple[str, str]) -> int:
    """What ties are broken by."""
    return int(subsets(concept_sets(pa.array([pair])), 2).keys[0])


def falls_out(id_: str, concepts: frozenset[str], held: Sets, policy: Policy) -> tuple[str, str]:
    """Why a sentence is no train row, before any pair is protected."""
    if id_ in held:
        return "held_out", id_
    for reason, clashes in (
        ("same_set", lambda other: other == concepts),
        (policy.reason, lambda other: policy.max_shared is not None and len(other & concepts) > policy.max_shared),
    ):
        found = [other for other in sorted(held) if clashes(held[other])]
        if found:
            return reason, found[0]
    return "", ""


def oracle(corpus: Sets, held: Sets, policy: Policy) -> Verdicts:
    verdicts = {id_: falls_out(id_, concepts, held, policy) for id_, concepts in corpus.items()}
    train = [concepts for id_, concepts in corpus.items() if not verdicts[id_][0]]
    owners: dict[tuple[str, str], str] = {}
    for owner in sorted(held):
        costs = {pair: sum(set(pair) <= concepts for concepts in train) for pair in pairs_of(held[owner])}
        for pair in sorted(costs, key=lambda pair: (costs[pair], pair_hash(pair)))[: policy.min_pairs]:
            owners.setdefault(pair, owner)
    for id_, concepts in corpus.items():
        found = [owners[pair] for pair in pairs_of(concepts) if pair in owners]
        if found and not verdicts[id_][0]:
            verdicts[id_] = "shows_pair", min(found)
    return verdicts


def protection_of(shards: Sequence[pa.Table], held: pa.Table, policy: Policy) -> Protection:
    """The protection as a pipeline makes it: shards counted one by one, sums of sums."""
    assignment = frozen_assignment(held)
    parts = [pair_holders(shard, assignment, policy) for shard in shards]
    return protect(assignment, sum_holders([sum_holders(parts[:2]), *parts[2:]]), policy)


def verdicts_of(shards: Sequence[pa.Table], protection: Protection, policy: Policy) -> Verdicts:
    found: Verdicts = {}
    for shard in shards:
        splits, reasons, details = divide_protected(shard, protection, policy)
        assert splits.tolist() == [DROPPED if reason else TRAIN for reason in reasons.to_pylist()]
        found |= dict(zip(shard["id"].to_pylist(), zip(reasons.to_pylist(), details.to_pylist())))
    return found


@settings(deadline=None, max_examples=200)
@given(old=SETS, new=SETS, again=st.integers(0, 10), policy=POLICY, chance=st.integers())
@pytest.mark.slow
def test_what_falls_out_is_what_the_oracle_says(
    corpus: Corpus, old: list[list[str]], new: list[list[str]], again: int, policy: Policy, chance: int
) -> None:
    """`again` of the frozen sentences stand in the new corpus too."""
    table = corpus([("captions", concepts) for concepts in [*old, *new]])
    number = pa.array([int(text) for text in table["text"].to_pylist()], pa.int64()).to_numpy()
    frozen = table.filter(pa.array(number < len(old)))
    held = held_rows(frozen, [("validation", "test")[place % 2] for place in range(len(frozen))])
    fresh = table.filter(pa.array(number >= len(old) - min(again, len(old))))
    draw = random.Random(chance)
    cuts = sorted(draw.choices(range(len(fresh) + 1), k=3))
    shards = [fresh.slice(start, end - start) for start, end in zip([0, *cuts], [*cuts, len(fresh)])]
    protection = protection_of(draw.sample(shards, len(shards)), held, policy)
    carried = Protection.from_bytes(protection.to_bytes())
    assert carried.assignment.rows.equals(protection.assignment.rows)
    found = verdicts_of(shards, carried, policy)
    expected = oracle(sets_of(fresh), sets_of(frozen), policy)
    assert found == expected
    shown = {pair for id_, concepts in sets_of(fresh).items() if not found[id_][0] for pair in pairs_of(concepts)}
    for concepts in sets_of(frozen).values():
        pairs = pairs_of(concepts)
        assert len(set(pairs) - shown) >= min(policy.min_pairs, len(pairs))


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 10**6), POLICY, st.integers(0, 4), st.integers(1, 4), st.integers(0, 3))
@pytest.mark.slow
def test_freezing_a_split_on_its_own_corpus_changes_nothing(
    corpus: Corpus, chance: int, policy: Policy, validation: int, test: int, seed: int
) -> None:
    draw = random.Random(chance)
    table = corpus([("captions", draw.sample(WORDS + WORDS, draw.randint(2, 6))) for _ in range(12)])
    room = split_room(table, policy)
    sizes = Sizes(min(validation, room // 2), min(test, room // 2))
    split = split_table(table, policy, sizes, seed)
    held = table.filter(pa.array(split.division.splits > TRAIN))
    names = [SPLIT_NAMES[number] for number in split.division.splits[split.division.splits > TRAIN].tolist()]
    protection = protection_of([table], held_rows(held, names), policy)
    assert protection.assignment.rows.equals(split.assignment.rows)
    again = divide_protected(table, protection, policy)
    before = divide(table, split.assignment, policy)
    assert np.array_equal(again.splits == TRAIN, before.splits == TRAIN)
    dropped = [reason for reason, was in zip(again.reasons.to_pylist(), before.splits.tolist()) if was == DROPPED]
    assert dropped == [reason for reason in before.reasons.to_pylist() if reason]


def split_room(table: pa.Table, policy: Policy) -> int:
    """How many sets may be held out: those with enough pairs of their own."""
    sets = {concepts for concepts in sets_of(table).values() if len(concepts) >= 2}
    every = list(set(sets_of(table).values()))

    def own(concepts: frozenset[str]) -> int:
        others = [other for other in every if other != concepts]
        return sum(not any(set(pair) <= other for other in others) for pair in pairs_of(concepts))

    return sum(own(concepts) >= policy.min_pairs for concepts in sets)


def test_the_cheapest_pair_is_protected(corpus: Corpus) -> None:
    table = corpus(
        [("a", words) for words in (["개", "말", "새"], ["개", "말"], ["개", "말"], ["말", "새"], ["개", "새", "소"])]
    )
    first = pa.array([text == "0" for text in table["text"].to_pylist()])
    held, fresh = table.filter(first), table.filter(pa.compute.invert(first))
    protection = protection_of([fresh], held_rows(held, ["test"]), UnseenPairs(1))
    dropped = {id_: why for id_, why in verdicts_of([fresh], protection, UnseenPairs(1)).items() if why[0]}
    assert set(dropped.values()) == {("shows_pair", held["id"][0].as_py())}
    assert len(dropped) == 1, "개-말 would cost two rows, each of the others one"


def test_a_set_too_small_for_the_promise_is_an_error(corpus: Corpus) -> None:
    held: Any = frozen_assignment(held_rows(corpus([("a", ["개", "말"]), ("a", ["개", "말", "새"])]), ["test", "test"]))
    require_pairs(held, UnseenPairs(1))
    require_pairs(held, Random())
    with pytest.raises(ConfigError, match=r"split\.min_pairs = 3 cannot be promised for 1 frozen sets: .* 2 concepts"):
        require_pairs(held, UnseenPairs(3))

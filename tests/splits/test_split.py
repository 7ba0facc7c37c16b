"""Whole splits against an oracle of plain Python sets: what is promised, what is dropped, and against what."""

import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conceptloom.arrays.concept_sets import concept_sets
from conceptloom.errors import BuildError, ConfigError
from conceptloom.hashing import bucket_of, seed_for, splitmix64
from conceptloom.schemas import REJECTED, SENTENCES
from conceptloom.splits.assignment import DROPPED, SPLIT_NAMES, TEST, TRAIN, VALIDATION, Assignment, assign
from conceptloom.splits.candidates import Candidates, candidates, merge_candidates, set_rows
from conceptloom.splits.divide import Division, divide, dropped_rows
from conceptloom.splits.evidence import lone_pairs, pair_evidence
from conceptloom.splits.policies import POLICIES, AllPairsUnseen, MaxShared, Policy, Random, UnseenPairs
from conceptloom.splits.sizes import Sizes, allocate
from conceptloom.splits.table import Split, split_table

Corpus = Callable[[Sequence[tuple[str, Sequence[str]]]], pa.Table]


def route(block: pa.RecordBatch, key: str, buckets: int) -> Iterator[tuple[int, pa.RecordBatch]]:
    """The rows of each bucket of the hash column `key`, as (bucket, rows); buckets without rows are left out."""
    bucket = bucket_of(block.column(key).to_numpy(), buckets)
    order = np.argsort(bucket, kind="stable")
    ends = np.searchsorted(bucket[order], np.arange(buckets + 1))
    for number in np.flatnonzero(np.diff(ends)):
        yield int(number), block.take(pa.array(order[ends[number] : ends[number + 1]]))


def split_rows(sentences: pa.Table, division: Division, split: int) -> pa.Table:
    """The rows of the shard that go to `split`, in their order."""
    return sentences.take(pa.array(np.flatnonzero(division.splits == split)))


def random_rows(count: int, vocabulary: int, seed: int) -> list[tuple[str, list[str]]]:
    """Rows of up to six concepts, of which some rows repeat another's set and some repeat a concept."""
    draw = random.Random(seed)
    words = [f"개념{number}" for number in range(vocabulary)]
    rows = [(draw.choice(["captions", "dialogues"]), draw.choices(words, k=draw.randint(0, 6))) for _ in range(count)]
    return rows + [("dialogues", concepts[::-1]) for _, concepts in rows[: count // 5]]


ROWS = st.builds(random_rows, st.integers(0, 80), st.integers(4, 400), st.integers(0, 10**6))
POLICY = st.one_of(
    st.builds(UnseenPairs, st.integers(1, 3)),
    st.just(AllPairsUnseen()),
    st.builds(MaxShared, st.integers(0, 4)),
    st.just(Random()),
)
FEW = st.integers(0, 6)


def pairs_of(concepts: frozenset[str]) -> set[frozenset[str]]:
    return {frozenset(pair) for pair in combinations(concepts, 2)}


def eligible_sets(sets: set[frozenset[str]], policy: Policy) -> set[frozenset[str]]:
    """What the policy may hold out, by counting the holders of each pair."""
    holders = Counter(pair for concepts in sets for pair in pairs_of(concepts))
    own = {concepts: sum(holders[pair] == 1 for pair in pairs_of(concepts)) for concepts in sets}
    return {concepts for concepts in sets if len(concepts) >= 2 and own[concepts] >= policy.min_pairs}


def clash(concepts: frozenset[str], held_out: dict[str, frozenset[str]], policy: Policy) -> tuple[str, str]:
    """Why a sentence must go and the id of the held-out one it clashes with, or empty strings."""
    for id_, other in sorted(held_out.items()):
        if concepts == other:
            return "same_set", id_
    for id_, other in sorted(held_out.items()):
        if policy.max_shared is not None and len(concepts & other) > policy.max_shared:
            return policy.reason, id_
    return "", ""


def try_split(table: pa.Table, policy: Policy, sizes: Sizes, seed: int) -> Split | None:
    try:
        return split_table(table, policy, sizes, seed)
    except BuildError:
        return None


@settings(deadline=None, max_examples=300)
@given(rows=ROWS, policy=POLICY, validation=FEW, test=FEW, seed=st.integers(0, 5), stratify=st.booleans())
@pytest.mark.slow
def test_every_row_goes_where_the_oracle_says(
    corpus: Corpus, rows: Any, policy: Policy, validation: int, test: int, seed: int, stratify: bool
) -> None:
    table = corpus(rows)
    ids, sets = table["id"].to_pylist(), [frozenset(concepts) for concepts in table["concepts"].to_pylist()]
    eligible = eligible_sets(set(sets), policy)
    split = try_split(table, policy, Sizes(validation, test, stratify), seed)
    assert (split is None) == (validation + test > len(eligible))
    if split is None:
        return
    splits, reasons, details = (column.tolist() for column in map(np.asarray, split.division))
    assert (splits.count(VALIDATION), splits.count(TEST)) == (validation, test)
    held_out = {id_: concepts for id_, concepts, to in zip(ids, sets, splits) if to in (VALIDATION, TEST)}
    assert len(set(held_out.values())) == len(held_out) and set(held_out.values()) <= eligible
    train_pairs = {pair for concepts, to in zip(sets, splits) if to == TRAIN for pair in pairs_of(concepts)}
    assert all(len(pairs_of(concepts) - train_pairs) >= policy.min_pairs for concepts in held_out.values())
    for id_, concepts, to, reason, detail in zip(ids, sets, splits, reasons, details):
        expected = ("", "") if id_ in held_out else clash(concepts, held_out, policy)
        assert (reason, detail) == expected
        assert (to == DROPPED) == bool(reason)


@settings(deadline=None)
@given(rows=ROWS, policy=POLICY, wanted=FEW, seed=st.integers(0, 5))
def test_one_sentence_stands_for_a_set_and_strata_give_their_quota(
    corpus: Corpus, rows: Any, policy: Policy, wanted: int, seed: int
) -> None:
    table = corpus(rows)
    best: dict[frozenset[str], tuple[int, str, str]] = {}
    weights: Counter[tuple[str, int]] = Counter()
    for id_, source, members in zip(*(table[name].to_pylist() for name in ("id", "source", "concepts"))):
        concepts = frozenset(members)
        priority = int(splitmix64(np.uint64(int(id_[:16], 16)) ^ seed_for("split", seed)))
        best[concepts] = min(best.get(concepts, (2**64, "", "")), (priority, id_, source))
        weights[source, len(concepts)] += len(concepts) >= 2
    eligible = eligible_sets(set(best), policy)
    room = Counter((best[concepts][2], len(concepts)) for concepts in eligible)
    split = try_split(table, policy, Sizes(0, wanted), seed)
    if split is None:
        return
    representatives = {best[concepts][1]: (best[concepts][2], len(concepts)) for concepts in eligible}
    chosen = Counter(representatives[id_] for id_ in split.assignment.rows["id"].to_pylist())
    expected = allocate(wanted, {key: weight for key, weight in weights.items() if weight}, room)
    assert chosen == Counter({key: number for key, number in expected.items() if number})


@settings(deadline=None)
@given(rows=ROWS, policy=POLICY)
def test_the_supply_is_what_the_oracle_counts(corpus: Corpus, rows: Any, policy: Policy) -> None:
    table = corpus(rows)
    sets = [frozenset(concepts) for concepts in table["concepts"].to_pylist()]
    hashed = concept_sets(table["concepts"])
    found = candidates([set_rows(table, hashed)], [lone_pairs([pair_evidence(hashed)])], policy, 1000, 0)
    assert sum(supply.eligible for supply in found.strata.values()) == len(eligible_sets(set(sets), policy))
    assert sum(supply.sentences for supply in found.strata.values()) == sum(len(concepts) >= 2 for concepts in sets)
    ids = dict(zip(table["id"].to_pylist(), sets))
    assert {ids[id_] for id_ in found.rows["id"].to_pylist()} == eligible_sets(set(sets), policy)


def distributed(shards: list[pa.Table], policy: Policy, sizes: Sizes, seed: int, buckets: int) -> Assignment:
    """The split as a pipeline runs it: map over shards, route by bucket, reduce, merge."""
    validation, test = sizes.resolve(sum(map(len, shards)))
    sets = [concept_sets(shard["concepts"]) for shard in shards]
    evidence = [part for own in sets for part in route(pair_evidence(own), "pair", buckets)]
    lone = [lone_pairs([block for number, block in evidence if number == bucket]) for bucket in range(buckets)]
    lone_parts = [part for block in lone for part in route(block, "set", buckets)]
    rows = (set_rows(shard, own, sizes.stratify) for shard, own in zip(shards, sets))
    row_parts = [part for own in rows for part in route(own, "set", buckets)]
    parts = [
        candidates(
            [block for number, block in row_parts if number == bucket],
            [block for number, block in lone_parts if number == bucket],
            policy,
            validation + test,
            seed,
        )
        for bucket in range(buckets)
    ]
    carried = [Candidates.from_bytes(part.to_bytes()) for part in parts]
    merged = merge_candidates(
        [merge_candidates(carried[:2], validation + test, seed), *carried[2:]], validation + test, seed
    )
    return Assignment.from_bytes(assign(merged, validation, test, policy, seed).to_bytes())


@settings(deadline=None)
@given(
    rows=ROWS,
    policy=POLICY,
    sizes=st.builds(Sizes, FEW, FEW, st.booleans()),
    buckets=st.integers(1, 4),
    chance=st.integers(),
)
@pytest.mark.slow
def test_shards_buckets_and_order_do_not_matter(
    corpus: Corpus, rows: Any, policy: Policy, sizes: Sizes, buckets: int, chance: int
) -> None:
    table = corpus(rows)
    whole = try_split(table, policy, sizes, 3)
    if whole is None:
        return
    draw = random.Random(chance)
    order = draw.sample(range(len(table)), len(table))
    cuts = sorted(draw.choices(range(len(table) + 1), k=3))
    shards = [table.take(pa.array(order[a:b], pa.int64())) for a, b in zip([0, *cuts], [*cuts, len(table)])]
    assignment = distributed(shards, policy, sizes, 3, buckets)
    assert assignment.rows.equals(whole.assignment.rows)
    parts = [by_id(shard, divide(shard, assignment, policy)) for shard in shards]
    assert {id_: row for part in parts for id_, row in part.items()} == by_id(table, whole.division)


def by_id(table: pa.Table, division: Division) -> dict[str, tuple[Any, ...]]:
    return dict(zip(table["id"].to_pylist(), zip(*(column.tolist() for column in map(np.asarray, division)))))


def many() -> list[tuple[str, list[str]]]:
    return random_rows(400, 300, 7)


def test_test_does_not_change_with_the_size_of_validation(corpus: Corpus) -> None:
    table = corpus(many())
    splits = [split_table(table, UnseenPairs(), Sizes(size, 30)).division.splits for size in (0, 40)]
    assert np.array_equal(splits[0] == TEST, splits[1] == TEST)


def test_seeds_give_different_splits_and_one_seed_the_same(corpus: Corpus) -> None:
    table = corpus(many())
    first, again, other = (split_table(table, Random(), Sizes(10, 30), seed).assignment.rows for seed in (1, 1, 2))
    assert first.equals(again) and not first.equals(other)


def test_strata_are_those_of_the_corpus(corpus: Corpus) -> None:
    table = corpus(many())
    split = split_table(table, Random(), Sizes(0, 100))
    test = split_rows(table, split.division, TEST)
    strata = [
        Counter(zip(t["source"].to_pylist(), map(len, map(set, t["concepts"].to_pylist())))) for t in (table, test)
    ]
    total = sum(count for (_, size), count in strata[0].items() if size >= 2)
    for (source, size), count in strata[0].items():
        quota = 100 * count / total if size >= 2 else 0
        assert abs(strata[1][source, size] - quota) < 1


def test_parts_of_a_shard_add_up(corpus: Corpus) -> None:
    table = corpus(many())
    division = split_table(table, MaxShared(0), Sizes(5, 10)).division
    parts = [split_rows(table, division, split) for split in SPLIT_NAMES]
    dropped = dropped_rows(table, division)
    assert sorted(id_ for part in [*parts, dropped] for id_ in part["id"].to_pylist()) == table["id"].to_pylist()
    assert dropped.schema == REJECTED and set(dropped["stage"].to_pylist()) == {"split"}
    assert all(part.schema == SENTENCES for part in parts) and len(dropped) > 0
    assert set(dropped["detail"].to_pylist()) <= {id_ for part in parts[1:] for id_ in part["id"].to_pylist()}


def test_too_few_sets_are_an_error_that_says_how_many_there_are(corpus: Corpus) -> None:
    table = corpus([("captions", ["개", "고양이"]), ("captions", ["개", "고양이", "새"]), ("captions", ["말"])])
    with pytest.raises(
        BuildError, match=r"policy unseen-pairs can give 1 test sets, 2,040 were asked for: lower split\.test"
    ):
        split_table(table, UnseenPairs(), Sizes(0, 2040))
    with pytest.raises(
        BuildError, match=r"policy random can give 1 validation sets, 5 were asked for: lower split\.val"
    ):
        split_table(table, Random(), Sizes(5, 1))


def test_policies_are_named_and_their_options_checked() -> None:
    assert list(POLICIES) == ["all-pairs-unseen", "max-shared", "random", "unseen-pairs"]
    assert all(entry.make().name == name for name, entry in POLICIES.items())
    with pytest.raises(ConfigError, match="min_pairs must be a whole number from 1 up, not 0"):
        UnseenPairs(0)
    with pytest.raises(ConfigError, match="max_shared must be a whole number from 0 up, not -1"):
        MaxShared(-1)

"""Merging in a tree: its levels, and that what is merged in it is what one place would make of all, in plain loops."""

import json
import math
import random
from collections import Counter

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conceptloom.concepts import DRAWN, SCORED, Degrees, Draws, count_terms
from conceptloom.concepts.draws import support_times
from conceptloom.concepts.sampling import arrival_times
from conceptloom.hashing import splitmix64
from conceptloom.tables import read_ipc, to_ipc
from conceptloom.tasks import merging
from conceptloom.tasks.base import Task
from conceptloom.tasks.commongen.mine import AddDegrees, AddTerms, merge_terms
from conceptloom.tasks.commongen.sample import LastArrival, MergeDraws
from conceptloom.tasks.commongen.split.references import HELD, MergeHeld, firsts

ORDERS = st.integers(0, 1000).map(random.Random)


def in_tree(task: Task, shards: list[list[bytes]], order: random.Random, least: int = 0) -> list[bytes]:
    """What comes to bucket 0 of the shards' blocks, through the levels; each bucket gets its blocks in any order."""
    found = [(merging.above(shard), block) for shard, blocks in enumerate(shards) for block in blocks]
    most = merging.TOGETHER * len(shards[0])
    for _ in merging.blocks_by_level(len(shards), least):
        grouped: dict[int, list[bytes]] = {}
        for bucket, block in found:
            grouped.setdefault(bucket, []).append(block)
        assert max(map(len, grouped.values())) <= most
        parts = [task.run(bucket, order.sample(blocks, len(blocks)), None) for bucket, blocks in grouped.items()]
        found = [(one.bucket, one.data) for part in parts for one in part]
    assert {bucket for bucket, _ in found} == {0} and len(found) <= most
    return [block for _, block in found]


@pytest.fixture(autouse=True, params=[2, 3, 16])
def together(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(merging, "TOGETHER", request.param)


@given(blocks=st.integers(0, 5000), least=st.integers(0, 2))
def test_each_level_merges_all_blocks_of_the_one_below(blocks: int, least: int) -> None:
    left = merging.blocks_by_level(blocks, least)
    assert len(left) >= least and ([blocks, *left][-1] <= merging.TOGETHER)
    for below, here in zip([blocks, *left], left):
        assert here == len({merging.above(bucket) for bucket in range(below)})


@settings(deadline=None, max_examples=50)
@given(
    shards=st.lists(st.lists(st.sampled_from([0.25, 0.5, 1.0, 3.0]), max_size=5), min_size=1, max_size=20),
    size=st.integers(1, 12),
    order=ORDERS,
)
def test_a_draw_that_is_passed_over_could_not_have_been_chosen(
    shards: list[list[float]], size: int, order: random.Random
) -> None:
    """Of all sets the `size` that arrive first, ties by id: what a sort of all of them finds."""
    ids = iter(order.sample(range(1000), 200))
    drawn = [[(arrival, next(ids)) for arrival in arrivals] for arrivals in shards]
    blocks = [[to_ipc(sampled(sorted(rows)[:size]))] for rows in drawn]
    left = [read_ipc(block) for block in in_tree(MergeDraws(Draws(size, 0)), blocks, order, least=1)]
    assert all(len(table) <= size for table in left)
    found = [(row["arrival"], row["set"]) for table in left for row in table.to_pylist()]
    assert sorted(found)[:size] == sorted(row for rows in drawn for row in rows)[:size]


def sampled(rows: list[tuple[float, int]]) -> pa.Table:
    zeros = dict.fromkeys(("support", "words", "length", "chance", "degree", "score"), 1)
    found = [{"set": id_, "concepts": [0, 1, 2], **zeros, "arrival": arrival, "draw": 0} for arrival, id_ in rows]
    return pa.Table.from_pylist(found, schema=DRAWN)


@settings(deadline=None, max_examples=50)
@given(shards=st.lists(st.lists(st.integers(0, 9), max_size=6), min_size=1, max_size=40), order=ORDERS)
def test_degrees(shards: list[list[int]], order: random.Random) -> None:
    blocks = [[Degrees(sum(each), np.array(each, dtype=np.int64)).to_bytes()] for each in shards]
    parts = [Degrees.from_bytes(block) for block in in_tree(AddDegrees(), blocks, order)]
    sums = Counter[int]()
    for part in parts:
        sums.update(dict(enumerate(part.of_concept.tolist())))
    expected = Counter[int]()
    for each in shards:
        expected.update(dict(enumerate(each)))
    assert sums == expected and sum(part.sets for part in parts) == sum(map(sum, shards))


TEXTS = st.lists(st.lists(st.sampled_from("abcdefg"), max_size=4), max_size=3)


@settings(deadline=None, max_examples=30)
@given(shards=st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=20), order=ORDERS)
def test_terms(shards: list[tuple[list[list[str]], list[list[str]]]], order: random.Random) -> None:
    """Concepts by the number of sentences that hold them, then by spelling; words by spelling."""
    blocks = [
        [kind + to_ipc(count_terms(pa.array(texts, pa.list_(pa.string())))) for kind, texts in zip((b"c", b"w"), both)]
        for both in shards
    ]
    found = in_tree(AddTerms(), blocks, order)
    merged = read_ipc(merge_terms(found)).to_pylist()[0]
    concepts = Counter(concept for texts, _ in shards for text in texts for concept in set(text))
    assert merged["concepts"] == sorted(concepts, key=lambda concept: (concepts[concept], concept))
    assert merged["words"] == sorted({word for _, texts in shards for text in texts for word in text})


@settings(deadline=None, max_examples=50)
@given(
    shards=st.lists(st.lists(st.integers(1, 3), max_size=6), min_size=1, max_size=20),
    most=st.integers(0, 4),
    order=ORDERS,
)
def test_references_of_dev_and_test(shards: list[list[int]], most: int, order: random.Random) -> None:
    """The first of each set by id, wherever they were found."""
    ids = iter(order.sample([f"{number:020x}" for number in range(200)], 200))
    found = [sorted((number, next(ids)) for number in each) for each in shards]
    merge = MergeHeld(most)
    blocks = [[to_ipc(firsts(held(rows), most))] for rows in found]
    (left,) = merge.run(0, in_tree(merge, blocks, order), None)
    merged = read_ipc(left.data).to_pylist()
    every = sorted(row for rows in found for row in rows)
    expected = [row for number in (1, 2, 3) for row in [one for one in every if one[0] == number][:most]]
    assert [(row["set"], row["id"]) for row in merged] == expected


def held(rows: list[tuple[int, str]]) -> pa.Table:
    found = [{"set": number, "id": id_, "text": "", "source": "", "locator": ""} for number, id_ in rows]
    return pa.Table.from_pylist([{**row, "split": "test"} for row in found], schema=HELD)


@settings(deadline=None, max_examples=60)
@given(
    shards=st.lists(st.lists(st.sampled_from([0.0, 0.5, 2.0, 40.0]), max_size=8), min_size=1, max_size=12),
    ahead=st.integers(1, 12),
    size=st.integers(1, 15),
    held=st.integers(1, 8),
    seed=st.integers(0, 5),
)
def test_what_arrives_after_the_first_shards_sample_is_never_drawn(
    shards: list[list[float]], ahead: int, size: int, held: int, seed: int
) -> None:
    """Against the arrival times of all sets, sorted; the shards that come later send no set that is later."""
    starts = np.cumsum([0, *map(len, shards)]).tolist()
    tables, draws = [scored(scores, first) for scores, first in zip(shards, starts)], Draws(size, seed, ((3, held),))
    first = [to_ipc(draws.of(table)) for table in tables[:ahead]]
    last = {int(draw): float(time) for draw, time in json.loads(LastArrival(draws)(first)).items()}
    later = [draws.of(table, last) for table in tables[ahead:]]
    found = draws.merge([*map(read_ipc, first), *later]).to_pylist()
    every = pa.concat_tables(tables)
    sets, scores = (every[name].to_numpy() for name in ("set", "score"))
    by_draw = {0: (arrival_times(sets, scores, seed), size), 3: (support_times(every, 3, seed), held)}
    for draw, (times, number) in by_draw.items():
        finite = sorted((time, id_) for time, id_ in zip(times.tolist(), sets.tolist()) if time < math.inf)
        assert [row["set"] for row in found if row["draw"] == draw] == [id_ for _, id_ in finite[:number]]
    assert all(row["arrival"] <= last[row["draw"]] for table in later for row in table.to_pylist())


def scored(scores: list[float], first: int) -> pa.Table:
    sets = splitmix64(np.arange(first, first + len(scores), dtype=np.uint64)).tolist()
    ones = dict.fromkeys(("words", "length", "chance", "degree"), 1)
    rows = [
        {"set": id_, "concepts": [0, 1, 2], "support": id_ % 6 + 1, **ones, "score": score}
        for id_, score in zip(sets, scores)
    ]
    return pa.Table.from_pylist(rows, schema=SCORED)

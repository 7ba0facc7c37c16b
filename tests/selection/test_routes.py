"""Posting rows that are capped on their way keep what the whole posting keeps, against a program of dictionaries."""

from collections import defaultdict
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conceptloom.hashing import text_id
from conceptloom.schemas import SENTENCES
from conceptloom.selection.postings import posting_keys, under_cap
from conceptloom.selection.routes import STRAIGHT, Routes
from conceptloom.tables import from_ipc
from conceptloom.tasks.korean_commongen.select import CapPostings, Selection, send_postings

CONCEPTS = [f"개 {number}" for number in range(12)]
SHARD = st.lists(
    st.tuples(st.sampled_from(["captions", "dialogues"]), st.lists(st.sampled_from(CONCEPTS), unique=True)), max_size=6
)
Row = tuple[str, str, bytes]


def shard_tables(shards: list[Any]) -> list[pa.Table]:
    tables = []
    for place, shard in enumerate(shards):
        records = [
            {"id": text_id(f"{place} {number}"), "source": source, "concepts": concepts, "morphemes": concepts}
            for number, (source, concepts) in enumerate(shard)
        ]
        tables.append(pa.Table.from_pylist(records, schema=SENTENCES))
    return tables


def arrived(tables: list[pa.Table], selection: Selection, routes: Routes) -> dict[int, list[Row]]:
    """The rows that reach each bucket of concepts."""
    scorer = selection.open_scorer(None)
    blocks: dict[int, list[bytes]] = defaultdict(list)
    for shard, table in enumerate(tables):
        for key, data in send_postings(table, selection, scorer, routes, shard):
            blocks[key].append(data)
    if routes.groups:
        met, blocks = blocks, defaultdict(list)
        for key, parts in met.items():
            for output in CapPostings(selection, routes).run(key, parts, None):
                blocks[output.bucket].append(output.data)
    found = {}
    for bucket, parts in blocks.items():
        table = from_ipc(parts, pa.ipc.open_stream(parts[0]).schema)
        found[bucket] = list(zip(*(table[name].to_pylist() for name in ("concept", "source", "id")), strict=True))
    return found


def kept(rows: list[Row], selection: Selection) -> set[Row]:
    concepts, sources, ids = (list(column) for column in zip(*rows, strict=True))
    keys = posting_keys(
        pa.array(concepts), pa.array(sources), pa.array(ids, pa.binary(10)), per_source=selection.per_source
    )
    return {rows[at] for at in under_cap(keys, selection.limit, selection.seed).tolist()}


@pytest.mark.slow
@settings(deadline=None, max_examples=30)
@given(st.lists(SHARD, min_size=1, max_size=9), st.integers(1, 4), st.integers(0, 5), st.booleans(), st.integers(1, 4))
def test_two_steps_keep_what_one_keeps(shards: list[Any], limit: int, seed: int, per_source: bool, groups: int) -> None:
    tables = shard_tables(shards)
    selection = Selection(limit=limit, seed=seed, per_source=per_source)
    straight = arrived(tables, selection, Routes(len(tables)))
    grouped = arrived(tables, selection, Routes(len(tables), min(groups, len(tables))))
    assert straight.keys() == grouped.keys()
    for bucket, rows in straight.items():
        assert kept(rows, selection) == kept(grouped[bucket], selection)
        assert set(grouped[bucket]) <= set(rows)


def test_a_bucket_gets_the_rows_of_groups_and_not_of_shards() -> None:
    tables = shard_tables([[("captions", ["개 0"])] * 8] * 36)
    selection = Selection(limit=5)
    ((rows,), (fewer,)) = (arrived(tables, selection, Routes(36, groups)).values() for groups in (0, 6))
    assert (len(rows), len(fewer)) == (36 * 5, 6 * 5)


@pytest.mark.slow
@pytest.mark.parametrize("shards", [STRAIGHT + 1, 1_000, 16_000])
def test_about_as_many_keys_as_shards(shards: int) -> None:
    routes = Routes.among(shards)
    hashes = np.linspace(0, 2**64 - 2**12, 5_000).astype(np.uint64)
    keys = {key for shard in range(0, shards, 7) for key in routes.first(hashes, shard).tolist()}
    assert keys == set(range(routes.groups**2))
    assert shards * 0.85 < len(keys) <= shards
    of_one = [len(set(routes.last(hashes[routes.first(hashes, 0) == key]).tolist())) for key in (0, routes.groups)]
    assert max(of_one) <= shards / routes.groups + 2


def test_few_shards_send_straight() -> None:
    routes = Routes.among(STRAIGHT)
    hashes = np.array([0, 2**63, 2**64 - 1], dtype=np.uint64)
    assert routes.groups == 0
    assert routes.first(hashes, 3).tolist() == routes.last(hashes).tolist() == [0, STRAIGHT // 2, STRAIGHT - 1]

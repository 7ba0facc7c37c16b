"""The sentences of chosen sets against plain subset tests and matchings."""

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mining_oracle import Row, ambiguous_rows, coded, mined
from test_mining import ROWS

from conceptloom.arrays.ids import unpack_ids
from conceptloom.concepts.coded_sentences import CODED
from conceptloom.concepts.degrees import count_degrees, merge_degrees
from conceptloom.concepts.mining import MiningRules
from conceptloom.concepts.routing import route
from conceptloom.concepts.scoring import SCORED, score
from conceptloom.concepts.supporters import SUPPORTERS, supporters
from conceptloom.tables import from_ipc


@settings(deadline=None)
@given(rows=st.one_of(ROWS, ambiguous_rows()), shards=st.integers(1, 4), data=st.data())
@pytest.mark.slow
def test_chosen_sets_find_all_their_sentences(rows: list[Row], shards: int, data: st.DataObject) -> None:
    sentences, terms, _ = coded(rows)
    batches = list(mined(sentences, MiningRules((2, 4)), shards))
    degrees = merge_degrees(map(count_degrees, batches))
    sets = pa.Table.from_batches([score(batch, degrees, terms.hashes()) for batch in batches], SCORED)
    picked = data.draw(st.lists(st.integers(0, len(sets) - 1), unique=True, max_size=20)) if len(sets) else []
    chosen = sets.take(pa.array(picked, pa.int64()))
    found = [
        supporters(from_ipc([block], CODED).to_batches(), chosen, shard, shards)
        for shard, block in route(sentences, 2, shards)
    ]
    table = pa.concat_tables([SUPPORTERS.empty_table(), *found])
    pairs = list(zip(table["set"].to_pylist(), table["id"].to_pylist()))
    expected = {
        (id_, sentence)
        for id_, concepts in zip(chosen["set"].to_pylist(), terms.strings(chosen["concepts"]).to_pylist())
        for row, sentence in zip(rows, sentences["id"].to_pylist())
        if row.supports(concepts)
    }
    assert len(pairs) == len(set(pairs)) and set(pairs) == expected
    assert all(part == part.sort_by([("set", "ascending"), ("id", "ascending")]) for part in found)
    assert len(unpack_ids(table["id"])) == len(expected)

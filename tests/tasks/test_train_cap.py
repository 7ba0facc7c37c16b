"""The cap on the captions of a set of train: its tasks' functions in shards, against a sort of all captions."""

import random
from collections import defaultdict

import numpy as np
import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from conceptloom.hashing import bucket_of, id_heads, text_id
from conceptloom.schemas import REJECTED
from conceptloom.tasks.commongen.split.cap import COUNTS, CUTS, count_sentences, cuts_of, within
from conceptloom.tasks.commongen.split.judge import JUDGED
from conceptloom.tasks.commongen.split.references import REFERENCES
from conceptloom.tasks.commongen.split.train import left_out

Rows = list[tuple[int, str]]


def references(rows: Rows) -> pa.Table:
    """The sentences of a shard, by (set, id)."""
    found = [
        {"set": number, "id": id_, "text": f"t{id_}", "source": "s", "locator": "l"} for number, id_ in sorted(rows)
    ]
    return pa.Table.from_pylist(found, schema=REFERENCES)


def in_shards(rows: Rows, shards: int) -> list[pa.Table]:
    """The sentences in the shards in which stage ingest puts them."""
    heads = id_heads(np.array([id_.encode() for _, id_ in rows], dtype="S20"))
    places = bucket_of(heads, shards).tolist()
    return [references([row for row, place in zip(rows, places) if place == shard]) for shard in range(shards)]


@settings(deadline=None)
@given(
    texts=st.lists(st.tuples(st.integers(1, 4), st.integers(0, 40)), min_size=1, max_size=120, unique=True),
    shards=st.integers(1, 7),
    most=st.integers(1, 12),
    order=st.integers(0, 99).map(random.Random),
)
def test_a_set_keeps_its_first_captions(
    texts: list[tuple[int, int]], shards: int, most: int, order: random.Random
) -> None:
    rows = [(number, text_id(f"{text}")) for number, text in texts]
    parts = in_shards(rows, shards)
    counts = [count_sentences(part, shard) for shard, part in enumerate(parts)]
    order.shuffle(counts)
    cuts = cuts_of(pa.concat_tables([COUNTS.empty_table(), *counts]), most)
    assert cuts.schema == CUTS
    every = defaultdict[int, list[str]](list)
    for number, id_ in sorted(rows):
        every[number].append(id_)
    assert set(cuts["set"].to_pylist()) == {number for number, ids in every.items() if len(ids) > most}
    kept: Rows = []
    for shard, part in enumerate(parts):
        mask = within(part, cuts, shard)
        assert mask.shape == (len(part),)
        kept += [(row["set"], row["id"]) for row, keep in zip(part.to_pylist(), mask.tolist(), strict=True) if keep]
    assert sorted(kept) == sorted((number, id_) for number, ids in every.items() for id_ in ids[:most])


def test_what_is_left_out_names_its_set() -> None:
    row = {"set": 7, "concepts": ["dog", "park", "run"]}
    sets = pa.Table.from_pylist([{**row, "set": 3, "concepts": ["a", "b", "c"]}, row], schema=JUDGED)
    (found,) = left_out(references([(7, "ab")]), sets).to_pylist()
    assert left_out(references([]), sets).schema == REJECTED
    assert (found["id"], found["text"], found["source"], found["locator"]) == ("ab", "tab", "s", "l")
    assert (found["stage"], found["reason"], found["detail"]) == ("split", "over_train_references", "dog#park#run")

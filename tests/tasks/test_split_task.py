"""Stage split: its tasks one after the other, without Beam, and its statistics against those of the rows in memory."""

import json
from collections import defaultdict
from collections.abc import Iterable
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conceptloom.errors import BuildError
from conceptloom.examples import Example
from conceptloom.hashing import bucket_of, id_heads, text_id
from conceptloom.ledger import Ledger
from conceptloom.schemas import SENTENCES
from conceptloom.splits.policies import AllPairsUnseen, Policy, Random, UnseenPairs
from conceptloom.statistics import Counts, dataset_statistics
from conceptloom.tables import read_table, write_table
from conceptloom.tasks.korean_commongen.split import (
    DIVIDED,
    Assign,
    DivideShard,
    FindCandidates,
    FindLonePairs,
    MarkSeen,
    SendSets,
    Summarise,
    decode_counts,
    encode_counts,
    held_rows,
    held_splits,
    summarise,
)

SHARDS = 3
NUMBER = st.integers(0, 1 << 50)
COUNTS = st.builds(
    Counts,
    NUMBER,
    st.tuples(*[NUMBER] * 5),
    NUMBER,
    NUMBER,
    st.dictionaries(st.text(st.characters(codec="utf-8")), NUMBER),
    st.lists(st.integers(0, (1 << 64) - 1), unique=True).map(lambda hashes: np.array(sorted(hashes), dtype=np.uint64)),
)


def shown(counts: Counts) -> tuple[Any, ...]:
    return counts.sets, counts.sizes, counts.sentences, counts.characters, counts.sources, counts.concepts.tolist()


def corpus(count: int) -> list[dict[str, Any]]:
    """Sentences with sets of 1 to 8 of 60 concepts; some sets come twice, in another order."""
    random = np.random.default_rng(7)
    rows: list[dict[str, Any]] = []
    for number in range(count):
        concepts = [f"개념{concept}" for concept in random.choice(60, random.integers(1, 9), replace=False)]
        if number % 10 == 9:
            concepts = rows[-1]["concepts"][::-1]
        source = "captions" if random.random() < 0.4 else "dialogues"
        text = f"문장 {number}이다."
        rows.append({"id": text_id(text), "text": text, "source": source, "locator": f"{source}#{number}", "copies": 1})
        rows[-1] |= {"concepts": concepts, "morphemes": []}
    return sorted(rows, key=lambda row: row["id"])


class Stage:
    """The stage without a runner: the same tasks, blocks brought together by a dictionary."""

    def __init__(self, directory: Path, rows: list[dict[str, Any]], policy: Policy) -> None:
        self.source, self.target, self.policy = str(directory / "in"), str(directory / "out"), policy
        table = pa.Table.from_pylist(rows, schema=SENTENCES)
        shards = bucket_of(id_heads(np.array([row["id"] for row in rows], dtype="S20")), SHARDS)
        for shard in range(SHARDS):
            write_table(f"{self.source}/sentences-{shard:05d}.parquet", table.filter(pa.array(shards == shard)))
        self.receipts: list[dict[str, Any]] = []

    def run(self, validation: int, test: int) -> dict[str, Any]:
        """Runs the stage; the answer is its statistics."""
        sent = self.each(SendSets(self.policy, True, SHARDS, self.source), dict.fromkeys(range(SHARDS), ()))
        lone = self.each(FindLonePairs(SHARDS), sent["pairs"])
        sets = {at: sent["sets"].get(at, []) + lone["lone"].get(at, []) for at in {*sent["sets"], *lone["lone"]}}
        found = self.each(FindCandidates(self.policy, validation + test, 5), sets)["candidates"][0]
        side = Assign(self.policy, validation, test, 5)(found)
        divided = self.each(DivideShard(self.policy, self.source, self.target), dict.fromkeys(range(SHARDS), ()), side)
        statistics = divided["statistics"][0]
        parts = [rows for block in statistics for _, rows in held_rows((0, block))]
        held = b"".join(parts)
        assert held_splits(held) == held_splits(b"".join(parts[::-1]))
        seen = self.each(MarkSeen(self.target), dict.fromkeys(range(SHARDS), ()), held)["statistics"].get(0, [])
        self.each(Summarise(self.target), {0: [*seen, *statistics]}, held)
        summary: dict[str, Any] = json.loads((Path(self.target) / "statistics.json").read_text(encoding="utf-8"))
        assert summary == json.loads(json.dumps(summarise([*reversed(statistics), *reversed(seen)], held)))
        return summary

    def each(self, task: Any, buckets: dict[int, Iterable[bytes]], side: bytes | None = None) -> Any:
        """The blocks that a task answers for the buckets: output -> bucket -> blocks."""
        found: dict[str, dict[int, list[bytes]]] = {tag: defaultdict(list) for tag in task.outputs}
        for bucket, blocks in buckets.items():
            for output in task.run(bucket, blocks, side):
                found[output.tag][output.bucket].append(output.data)
        self.receipts += [json.loads(data) for data in found.get("receipts", {}).get(0, [])]
        return found

    def rows(self, kind: str) -> list[dict[str, Any]]:
        """The rows of all shards of a kind."""
        paths = sorted(Path(self.target).glob(f"{kind}-*.parquet"))
        assert len(paths) == SHARDS
        return [row for path in paths for row in read_table(str(path)).to_pylist()]


@settings(deadline=None)
@given(COUNTS, st.sampled_from(["train", "validation", "test", "시험"]))
def test_counts_come_back(counts: Counts, split: str) -> None:
    name, back = decode_counts(encode_counts(split, counts))
    assert name == split
    assert shown(back) == shown(counts)
    assert back.concepts.dtype == np.uint64


def test_counts_that_came_back_can_be_merged() -> None:
    one = Counts(1, (1, 0, 0, 0, 0), 1, 9, {"a": 1}, np.array([1, 10], dtype=np.uint64))
    merged = decode_counts(encode_counts("train", one))[1].merge(one)
    assert shown(merged) == (2, (2, 0, 0, 0, 0), 2, 18, {"a": 2}, [1, 10])


@pytest.mark.parametrize("policy", [UnseenPairs(), AllPairsUnseen(), Random()], ids=lambda policy: policy.name)
@pytest.mark.parametrize(("validation", "test"), [(10, 20), (0, 15)])
def test_the_statistics_are_those_of_the_rows(tmp_path: Path, policy: Policy, validation: int, test: int) -> None:
    stage = Stage(tmp_path, corpus(300), policy)
    summary = stage.run(validation, test)
    examples: dict[str, list[Example]] = defaultdict(list)
    for row in stage.rows("sentences"):
        examples[row["split"]].append(Example(tuple(row["concepts"]), (row["text"],), row["source"]))
    assert (len(examples["validation"]), len(examples["test"])) == (validation, test)
    expected = dataset_statistics(examples["train"], examples["validation"], examples["test"]).to_json()
    if not validation:
        expected["validation"]["unseen"] = None
    assert summary == json.loads(json.dumps(expected))
    assert summary["test"]["unseen"]["sound"]["pairs"] > 0


@pytest.mark.parametrize("policy", [UnseenPairs(), AllPairsUnseen(), Random()], ids=lambda policy: policy.name)
def test_every_sentence_goes_somewhere_and_none_is_in_both(tmp_path: Path, policy: Policy) -> None:
    rows = corpus(300)
    stage = Stage(tmp_path, rows, policy)
    stage.run(10, 20)
    kept, rejected = stage.rows("sentences"), stage.rows("rejected")
    assert sorted(row["id"] for row in kept + rejected) == [row["id"] for row in rows]
    train = {frozenset(row["concepts"]) for row in kept if row["split"] == "train"}
    held = {frozenset(row["concepts"]) for row in kept if row["split"] != "train"}
    assert len(held) == 30
    assert not held & train
    pairs = {pair for concepts in train for pair in combinations(sorted(concepts), 2)}
    for concepts in held:
        fresh = set(combinations(sorted(concepts), 2)) - pairs
        assert len(fresh) >= {"unseen-pairs": 1, "random": 0}.get(policy.name, len(concepts) * (len(concepts) - 1) // 2)


def test_the_receipts_account_for_every_sentence(tmp_path: Path) -> None:
    stage = Stage(tmp_path, corpus(300), AllPairsUnseen())
    stage.run(5, 5)
    kept = stage.rows("sentences")
    total = Ledger()
    for receipt in stage.receipts:
        total.add(Ledger.from_json(receipt["ledger"]))
    total.check("split")
    assert sum(counts.kept for counts in total.sources.values()) == len(kept)
    splits: dict[tuple[str, str], int] = defaultdict(int)
    for file in (file for receipt in stage.receipts for file in receipt["files"] if "splits" in file):
        for split, sources in file["splits"].items():
            for source, number in sources.items():
                splits[split, source] += number
    expected: dict[tuple[str, str], int] = defaultdict(int)
    for row in kept:
        expected[row["split"], row["source"]] += 1
    assert splits == expected


def test_the_shards_keep_their_schema_and_order(tmp_path: Path) -> None:
    stage = Stage(tmp_path, corpus(100), Random())
    stage.run(3, 3)
    table = read_table(f"{stage.target}/sentences-00001.parquet")
    assert table.schema == DIVIDED
    assert table["id"].to_pylist() == sorted(table["id"].to_pylist())


def test_more_than_there_is_cannot_be_held_out(tmp_path: Path) -> None:
    with pytest.raises(BuildError, match="policy random can give .* test sets, 900 were asked for"):
        Stage(tmp_path, corpus(60), Random()).run(0, 900)


def test_nothing_held_out(tmp_path: Path) -> None:
    summary = Stage(tmp_path, corpus(60), Random()).run(0, 0)
    assert (summary["train"]["sentences"], summary["test"]["sentences"]) == (60, 0)
    assert held_splits(b"") == {}

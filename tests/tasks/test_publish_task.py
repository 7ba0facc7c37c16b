"""Stage publish: which shards make which file, and the rows of a file."""

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conceptloom.errors import OutputError
from conceptloom.hashing import text_id
from conceptloom.schemas import DATA
from conceptloom.tables import read_table, write_file, write_table
from conceptloom.tasks.korean_commongen.publish import Sentences, data_rows
from conceptloom.tasks.korean_commongen.split import DIVIDED
from conceptloom.tasks.publish import Copy, DataFile, PublishFiles, plan_files
from conceptloom.variants import curriculum_order

SOURCES = ["captions", "dialogues", "책"]
ROWS = st.dictionaries(
    st.sampled_from(["train", "validation", "test"]), st.dictionaries(st.sampled_from(SOURCES), st.integers(1, 60))
)
Shards = list[tuple[str, dict[str, dict[str, int]]]]
SHARDS = st.lists(ROWS, max_size=12).map(lambda rows: [(f"s{number:05d}", one) for number, one in enumerate(rows)])


def rows_of(rows: dict[str, dict[str, int]], split: str, source: str | None) -> int:
    return sum(number for name, number in rows.get(split, {}).items() if source is None or name == source)


@settings(deadline=None)
@given(SHARDS, st.sampled_from(["train", "test"]), st.integers(1, 200), st.booleans())
def test_every_shard_is_in_one_file_and_sources_follow_each_other(
    shards: Shards, split: str, rows_per_file: int, by_source: bool
) -> None:
    files = plan_files(split, shards, rows_per_file, curriculum_order if by_source else None)
    sources: list[str | None] = [None]
    if by_source:
        sources = [source for source in SOURCES if any(rows_of(rows, split, source) for _, rows in shards)]
    assert [(file.source, path) for file in files for path in file.shards] == [
        (source, path) for source in sources for path, rows in shards if rows_of(rows, split, source)
    ]
    assert all(file.split == split and file.shards for file in files)
    assert [file.name for file in files] == [f"{split}-{at:05d}-of-{len(files):05d}" for at in range(len(files))]


@settings(deadline=None)
@given(SHARDS, st.integers(1, 200), st.booleans())
def test_files_are_about_as_large_as_asked_for(shards: Shards, rows_per_file: int, by_source: bool) -> None:
    """A file of several shards exceeds the size by less than its largest shard; whole shards allow no better."""
    for file in plan_files("train", shards, rows_per_file, curriculum_order if by_source else None):
        sizes = [rows_of(dict(shards)[path], "train", file.source) for path in file.shards]
        assert len(sizes) == 1 or sum(sizes) < rows_per_file + max(sizes)


def test_shards_are_grouped() -> None:
    rows = {"train": {"captions": 10, "dialogues": 5}, "test": {"dialogues": 1}}
    shards = [(f"s{number}", rows) for number in range(4)]
    assert [file.shards for file in plan_files("train", shards, 30)] == [("s0", "s1"), ("s2", "s3")]
    assert [(file.source, file.shards) for file in plan_files("train", shards, 20, curriculum_order)] == [
        ("captions", ("s0", "s1")),
        ("captions", ("s2", "s3")),
        ("dialogues", ("s0", "s1", "s2", "s3")),
    ]
    assert [file.name for file in plan_files("test", shards, 20, curriculum_order)] == ["test-00000-of-00001"]
    assert plan_files("validation", shards, 20) == []
    assert plan_files("train", [], 20, curriculum_order) == []


def row(number: int, split: str, source: str) -> dict[str, Any]:
    text = f"{'가나다라마바사아자차'[number]} 개가 공을 문다."
    return {"id": text_id(text), "text": text, "source": source, "locator": f"{source}#{number}", "copies": 1} | {
        "concepts": ["공", f"개 {number}"],
        "morphemes": ["개/NNG"],
        "split": split,
    }


@pytest.fixture
def shards(tmp_path: Path) -> list[str]:
    """Two shards of six rows in the order of their ids, and one without rows."""
    rows = [row(number, ("train", "test")[number % 3 == 0], SOURCES[number % 2]) for number in range(10)]
    rows.sort(key=lambda one: one["id"])
    paths = [str(tmp_path / name) for name in ("a.parquet", "b.parquet", "c.parquet")]
    for path, part in zip(paths, (rows[:6], [], rows[6:]), strict=True):
        write_table(path, pa.Table.from_pylist(part, schema=DIVIDED))
    return paths


@pytest.mark.parametrize("split", ["train", "test", "validation"])
@pytest.mark.parametrize("source", [None, *SOURCES])
def test_a_file_has_the_rows_of_its_split_and_source(shards: list[str], split: str, source: str | None) -> None:
    table = data_rows(DataFile(split, "name", tuple(shards), source))
    every = [one for path in shards for one in read_table(path).to_pylist()]
    wanted = [one for one in every if one["split"] == split and source in (None, one["source"])]
    assert table.schema == DATA
    assert table.to_pylist() == [
        {"id": one["id"], "concepts": one["concepts"], "target": one["text"], "references": [one["text"]]}
        | {"source": one["source"], "locator": one["locator"]}
        for one in wanted
    ]
    assert table["id"].to_pylist() == sorted(table["id"].to_pylist())


def published(tmp_path: Path, shards: list[str], split: str) -> tuple[dict[str, Any], Path]:
    block = DataFile(split, f"{split}-00000-of-00001", tuple(shards)).encode()
    (output,) = PublishFiles(str(tmp_path / "out"), Sentences()).run(4, [block], None)
    found: dict[str, Any] = json.loads(output.data)
    return found, tmp_path / "out"


@pytest.mark.parametrize("split", ["train", "test"])
def test_a_file_is_written_in_every_format(tmp_path: Path, shards: list[str], split: str) -> None:
    receipt, output = published(tmp_path, shards, split)
    table = read_table(str(output / "data" / f"{split}-00000-of-00001.parquet"))
    rows = table.to_pylist()
    assert table.equals(data_rows(DataFile(split, "", tuple(shards))))
    lines = (output / "published" / f"{split}-00000-of-00001.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line) for line in lines] == [
        {"concept-set": "#".join(one["concepts"]), "scene": one["target"] if split == "train" else [one["target"]]}
        for one in rows
    ]
    text = (output / "published" / f"{split}-00000-of-00001.txt").read_text(encoding="utf-8")
    assert text == "".join(f"[SOS] {'#'.join(one['concepts'])} = {one['target']} [EOS]\n" for one in rows)
    assert [file["rows"] for file in receipt["files"]] == [len(rows)] * 3
    assert all(Path(file["path"]).stat().st_size == file["bytes"] for file in receipt["files"])
    assert sum(counts["kept"] for counts in receipt["ledger"].values()) == len(rows)


def test_a_copy_is_the_file(tmp_path: Path) -> None:
    file = write_file(str(tmp_path / "a"), b"one\ntwo\n", 2)
    block = Copy.of(str(tmp_path), {**file, "path": "a"}, "index/b").encode()
    (output,) = PublishFiles(str(tmp_path / "out"), Sentences()).run(0, [block], None)
    assert (tmp_path / "out" / "index" / "b").read_bytes() == b"one\ntwo\n"
    (file,) = json.loads(output.data)["files"]
    assert (file["rows"], file["bytes"]) == (2, 8)
    (tmp_path / "a").write_bytes(b"one\ntwO\n")
    with pytest.raises(OutputError, match="/a is not the file that its stage wrote"):
        list(PublishFiles(str(tmp_path / "out"), Sentences()).run(0, [block], None))

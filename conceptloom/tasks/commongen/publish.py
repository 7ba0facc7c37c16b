"""Stage publish of concept sets: CommonGen's own files beside the tables."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import pyarrow as pa

from conceptloom import storage
from conceptloom.json_values import JsonObject
from conceptloom.ledger import Ledger
from conceptloom.publishing import task_line
from conceptloom.schemas import DATA
from conceptloom.tables import write_file
from conceptloom.tasks.commongen.mine import sizes_of
from conceptloom.tasks.commongen.sample import set_ledger
from conceptloom.tasks.publish import DataFile, shard_rows


@dataclass(frozen=True)
class Sets:
    """A row of a shard is a concept set with its sentences, schema SETS_DATA of `split.gather`."""

    def rows(self, file: DataFile) -> pa.Table:
        """See Shape."""
        return shard_rows(file).select(DATA.names).cast(DATA)

    def write(self, output: str, file: DataFile, rows: pa.Table) -> list[JsonObject]:
        """Writes JSON lines, parallel text, and the annotation tasks for the sets of dev and test."""
        found = rows.select(["id", "concepts", "references"]).to_pylist()
        base = storage.join(output, "published", file.name)
        pairs = list(_pairs(found))
        files = [
            write_file(f"{base}.jsonl", _lines(map(_json, found)), len(found)),
            write_file(f"{base}_src.txt", _lines(source for source, _ in pairs), len(pairs)),
            write_file(f"{base}_trg.txt", _lines(target for _, target in pairs), len(pairs)),
        ]
        if file.split != "train":
            tasks = storage.join(output, "annotation", f"{file.name}.jsonl")
            files.append(write_file(tasks, _tasks(found), len(found)))
        return files

    def read(self, rows: pa.Table) -> Ledger:
        """See Shape; a set's source is its size."""
        return set_ledger(sizes_of(rows["concepts"]))


def _json(row: JsonObject) -> str:
    """Returns a set as in the published files; people write the reasons later, so there are none."""
    line = {"concept_set": "#".join(row["concepts"]), "scene": row["references"], "reason": []}
    return json.dumps(line, ensure_ascii=False)


def _tasks(found: list[JsonObject]) -> bytes:
    """Returns what a writer of references sees: the concepts, without any caption."""
    return "".join(task_line(row["id"], row["concepts"]) for row in found).encode()


def _pairs(rows: list[JsonObject]) -> Iterator[tuple[str, str]]:
    """Yields the lines of parallel text; a set that waits for its references has an empty line beside it."""
    return ((" ".join(row["concepts"]), text) for row in rows for text in row["references"] or [""])


def _lines(lines: Iterable[str]) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode()

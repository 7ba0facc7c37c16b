"""Small finished builds written by hand, on a disk or in an object store."""

import json

import pyarrow as pa

from conceptloom import storage
from conceptloom.manifest import Manifest
from conceptloom.pipelines.builds.finished import MARKER
from conceptloom.pipelines.korean_commongen.settings import KoreanCommonGenSettings
from conceptloom.schemas import DATA
from conceptloom.tables import write_table

SETTINGS = KoreanCommonGenSettings.model_validate({"inputs": {"a": {"patterns": ["/a"]}}}).model_dump(mode="json")


def rows(split: str, count: int) -> pa.Table:
    """That many rows of a split."""
    data = [
        {"id": f"{split}{at}", "concepts": [f"{split}{at}", "x"], "target": f"{split} {at}", "references": []}
        for at in range(count)
    ]
    return pa.Table.from_pylist(data, schema=DATA)


def make(
    builds: str,
    name: str,
    train: int = 20,
    recipe: str = "korean-commongen",
    malformed: int = 0,
    finished: str = "",
    frozen: str | None = None,
) -> str:
    """A finished build of so many rows of train, in two files, and two each of validation and test."""
    directory = storage.join(builds, name)
    storage.write_bytes(storage.join(directory, MARKER), f"{recipe}\n".encode())
    files = []
    for split, part, count in (("train", 0, train - 1), ("train", 1, 1), ("validation", 0, 2), ("test", 0, 2)):
        path = f"data/{split}-0000{part}-of-00002.parquet"
        table = rows(f"{split}{part}", count)
        files.append({**write_table(storage.join(directory, path), table), "path": path})
    report = {
        "records": {"records": {"a": 10}, "malformed": {"a": malformed}},
        "stages": {},
        "statistics": {"n": train},
    }
    storage.write_bytes(storage.join(directory, "report.json"), json.dumps(report).encode())
    settings = {**SETTINGS, "recipe": recipe, "frozen": frozen}
    Manifest(recipe, "f", settings, tuple(files), finished=finished).write(directory)
    return directory

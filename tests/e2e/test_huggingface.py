"""A built data set is loaded by Hugging Face's `load_dataset` without a network and without a word of configuration."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from builds import SAMPLE_INPUTS, build, data_rows, environment, rows, sample_build

pytest.importorskip("datasets")

LOAD = """
import json, sys
from datasets import load_dataset

found = {}
for name in sys.argv[2:]:
    loaded = load_dataset(sys.argv[1], *([] if name == "default" else [name]))
    found[name] = {
        split: {
            "columns": part.column_names,
            "features": {name: str(feature) for name, feature in part.features.items()},
            "rows": list(part),
        }
        for split, part in loaded.items()
    }
print(json.dumps(found))
"""


def load(directory: Path, home: Path, *configs: str) -> dict[str, Any]:
    """What `load_dataset` gives for each configuration, in a process of its own with an empty cache."""
    offline = {"HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1", "HF_HOME": str(home)}
    done = subprocess.run(
        [sys.executable, "-c", LOAD, str(directory), *configs],
        env=environment(**offline), cwd=home, capture_output=True, encoding="utf-8", timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.fixture(scope="module")
def loaded(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    return load(sample_build(), tmp_path_factory.mktemp("home"), "default", "rejected", "index")


def test_splits_and_columns(loaded: dict[str, Any]) -> None:
    data = data_rows(sample_build())
    assert loaded["default"].keys() == data.keys()
    for split, found in data.items():
        part = loaded["default"][split]
        assert part["columns"] == ["id", "concepts", "target", "references", "source", "locator"]
        assert part["rows"] == found
        assert part["features"]["concepts"] == part["features"]["references"]
        assert part["features"]["concepts"].startswith("List(")


def test_rejected_sentences(loaded: dict[str, Any]) -> None:
    part = loaded["rejected"]["train"]
    assert part["columns"] == ["id", "text", "source", "locator", "stage", "reason", "detail"]
    assert part["rows"] == rows(sample_build(), "rejected/*.parquet")


def test_index(loaded: dict[str, Any]) -> None:
    part = loaded["index"]["train"]
    assert part["columns"] == ["concept", "source", "sentence_id", "centrality", "rank", "selected"]
    assert part["rows"] == rows(sample_build(), "index/*.parquet")


def test_a_build_without_a_held_out_split(tmp_path: Path) -> None:
    """An empty split has no file, and is no split of the card."""
    (tmp_path / "home").mkdir()
    build(tmp_path / "out", SAMPLE_INPUTS, split={"test": 0, "validation": 5})
    loaded = load(tmp_path / "out", tmp_path / "home", "default")
    assert {split: len(part["rows"]) for split, part in loaded["default"].items()}.keys() == {"train", "validation"}
    assert len(loaded["default"]["validation"]["rows"]) == 5

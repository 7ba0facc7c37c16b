"""What is written into a scheduler's folder; what the scheduler makes of it is tested with a real Airflow."""

import json
import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest
from memory_store import MemoryFileSystem

from conceptloom import storage
from conceptloom.errors import OutputError
from conceptloom.runners.scheduling import DAG, write_dags

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize("kind", ["local", "memory"])
def test_the_dag_and_the_stages_are_written_again_over_old_ones(kind: str, tmp_path: Path) -> None:
    MemoryFileSystem.objects.clear()
    place = str(tmp_path / "dags") if kind == "local" else "memory://bucket/dags"
    for _ in range(2):
        paths = write_dags(place)
        assert paths == [storage.join(place, name) for name in ("conceptloom_recipes.json", "conceptloom_dag.py")]
        stages = json.loads(storage.read_bytes(paths[0]))
        assert stages["korean-commongen"] == ["ingest", "select", "split", "publish"]
        assert storage.read_bytes(paths[1]) == DAG.read_bytes()
        storage.write_bytes(paths[0], b"old")


def test_a_folder_that_cannot_be_written_is_an_output_error(tmp_path: Path) -> None:
    (tmp_path / "dags").write_bytes(b"")
    with pytest.raises(OutputError, match=r"dags/conceptloom_recipes.json: cannot be written"):
        write_dags(str(tmp_path / "dags"))


@pytest.mark.slow
def test_the_dag_is_shipped_but_is_no_package(tmp_path: Path) -> None:
    """It imports Airflow, which is not there: nothing that walks the packages may meet it."""
    build = [sys.executable, "setup.py", "-q", "build_py", "--build-lib", str(tmp_path)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    assert (tmp_path / "conceptloom" / "runners" / "airflow" / "conceptloom_dag.py").read_bytes() == DAG.read_bytes()
    assert "airflow" not in [
        module.name for module in pkgutil.iter_modules([str(tmp_path / "conceptloom" / "runners")])
    ]

"""Builds on Prism, Beam's own portable runner."""

from pathlib import Path
from typing import Any

import pytest
from apache_beam.utils.subprocess_server import pick_port
from builds import build, differing, sample_build
from engines import assert_counters_are_the_ledgers, prepared, worker_pool

from conceptloom import progress
from conceptloom.runners import following
from conceptloom.runners.prism import open_prism

WORKERS = (1, 2)


@pytest.fixture(scope="module")
def binary() -> str:
    """The option that names the binary."""
    return f"--prism_location={prepared('prism') / 'prism'}"


@pytest.mark.parametrize("workers", WORKERS)
def test_prism_builds_the_same_bytes(tmp_path: Path, binary: str, workers: int) -> None:
    with open_prism(workers, (binary,)) as runner:
        context = build(tmp_path / "out", runner=runner)
    assert differing(tmp_path / "out", sample_build()) == []
    assert_counters_are_the_ledgers(context)


def test_workers_elsewhere_tell_their_progress_by_metrics(
    tmp_path: Path, binary: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(following, "SECONDS", 0.05)
    told: list[tuple[int, int]] = []
    (port,) = pick_port(None)
    options: tuple[Any, ...] = ("--environment_type=EXTERNAL", f"--environment_config=localhost:{port}")
    with worker_pool(tmp_path / "pool", port), open_prism(2, (binary, *options)) as runner:
        end = progress.listen(lambda read, done: told.append((read, done)))
        context = build(tmp_path / "out", runner=runner)
        end()
    assert differing(tmp_path / "out", sample_build()) == []
    counts = [one for manifest in context.manifests.values() for one in manifest.ledger.values()]
    read = sum(one["read"] for one in counts)
    assert (sum(read for read, _ in told), sum(done for _, done in told)) == (read, read)

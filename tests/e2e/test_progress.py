"""The progress that a stage tells while it runs, and the bar that shows it."""

from pathlib import Path

import pytest
from builds import build

import conceptloom.pipelines.build.inputs
from conceptloom import progress
from conceptloom.cli.show import ConsoleObserver


def test_select_tells_of_its_work_before_its_sentences_are_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every shard is a step of sending and one of scoring; together with the sentences they are all of the work."""
    monkeypatch.setattr(conceptloom.pipelines.build.inputs, "BUCKET_BYTES", 100_000)
    build(tmp_path / "out", only="ingest")
    told: list[float] = []
    done: list[int] = []

    def work(share: float) -> None:
        told.extend([share] if share else [])
        assert not share or sum(done) == 0, "work is told after sentences are done"

    stops = [progress.watch(work), progress.listen(lambda _, kept: done.append(kept))]
    build(tmp_path / "out", only="select")
    for stop in stops:
        stop()
    assert len(told) == 2 * len(list((tmp_path / "out").glob("stages/1-ingest/sentences-*"))) > 4
    assert sum(told) == pytest.approx(0.9)
    assert sum(done) > 0


def test_the_bar_moves_with_work_and_with_sentences() -> None:
    observer = ConsoleObserver()
    (bar,) = (observer._bars,)
    observer.started("select", 200)
    shown = []
    for tell in (lambda: observer._work(0.5), lambda: observer._work(0.4), lambda: observer._advance(200, 100)):
        tell()
        shown.append(bar.tasks[0].completed)
    assert shown == pytest.approx([100, 180, 190])
    observer._advance(0, 100)
    assert bar.tasks[0].completed == pytest.approx(bar.tasks[0].total) == 200

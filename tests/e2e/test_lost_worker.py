"""A build on Flink whose workers are killed by SIGKILL, in the middle of tagging and in the middle of selection."""

import threading
from contextlib import ExitStack
from pathlib import Path

import pytest
from apache_beam.utils.subprocess_server import pick_port
from builds import build, differing, files_of, lines_input, many_sentences, write_lines
from engines import assert_counters_are_the_ledgers, flink_server, worker_pool

import conceptloom.pipelines.build.inputs
from conceptloom import progress
from conceptloom.runners.flink import open_flink

SHARDS = 3
_DEATH = f"""
import os, signal
replace = os.replace

def die_once(source, target):
    # Before a shard gets its name, when others of its stage have theirs.
    directory, name = os.path.split(str(target))
    for stage, victims in (("1-ingest", [os.getpid()]), ("2-select", [os.getppid(), os.getpid()])):
        written = [one for one in os.listdir(directory) if one.startswith("sentences-")]
        if directory.endswith(stage) and name.startswith("sentences-") and len(written) >= {SHARDS}:
            try:
                mark = os.open(os.path.join(os.path.dirname(__file__), stage), os.O_CREAT | os.O_EXCL | os.O_WRONLY)
            except FileExistsError:
                continue
            os.write(mark, str(len(written)).encode())
            for victim in victims:
                os.kill(victim, signal.SIGKILL)
    replace(source, target)

os.replace = die_once
"""
"""What python runs as `sitecustomize` in a worker: it dies once in each of two stages; in the second with its pool."""


def test_a_build_that_loses_workers_ends_in_the_same_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conceptloom.pipelines.build.inputs, "BUCKET_BYTES", 30_000)
    inputs = {"s": lines_input(write_lines(tmp_path / "raw.txt", many_sentences(6_000)))}
    settings = {"select": {"posting_limit": 20}}
    build(tmp_path / "undisturbed", inputs, **settings)
    notes: list[str] = []
    end = progress.read_notes(notes.append)
    (port,) = pick_port(None)
    with ExitStack() as stack:
        _watched_pool(stack, tmp_path, port)
        server = stack.enter_context(flink_server())
        workers = ("--environment_type=EXTERNAL", f"--environment_config=localhost:{port}")
        runner = stack.enter_context(open_flink(2, (f"--job_endpoint={server.endpoint}", *workers)))
        context = build(tmp_path / "killed", inputs, runner=runner, **settings)
    end()
    for stage in ("1-ingest", "2-select"):
        assert SHARDS <= int((tmp_path / "death" / stage).read_text()) < context.buckets
    assert [note.partition(" failed: ")[0] for note in notes] == ["stage ingest", "stage select"]
    assert differing(tmp_path / "undisturbed", tmp_path / "killed") == []
    assert not [name for name in files_of(tmp_path / "killed") if ".writing-" in name]
    assert_counters_are_the_ledgers(context)


def _watched_pool(stack: ExitStack, directory: Path, port: int) -> None:
    """A worker pool, started again when it was killed, as whoever watches over workers does."""
    (directory / "death").mkdir()
    (directory / "death" / "sitecustomize.py").write_text(_DEATH)
    path = str(directory / "death")
    first = stack.enter_context(worker_pool(directory / "pool", port, path=path))

    def watch() -> None:
        if not finished.is_set() and first.wait() and not finished.is_set():
            again.enter_context(worker_pool(directory / "pool-again", port, path=path))

    finished, again = threading.Event(), ExitStack()
    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    stack.callback(again.close)
    stack.callback(finished.set)

"""Builds on real Flink: embedded in its job server, and a cluster with workers in an environment of their own."""

import gzip
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from apache_beam.utils.subprocess_server import pick_port
from builds import (
    RECIPE,
    SAMPLE_ARGUMENTS,
    build,
    differing,
    finished_cli,
    lines_input,
    many_sentences,
    plain_sentences,
    sample_build,
    write_lines,
)
from engines import (
    assert_counters_are_the_ledgers,
    flink_cluster,
    flink_jars,
    flink_server,
    worker_pool,
)
from installed import installed_python

import conceptloom.transforms.blocks
from conceptloom import progress
from conceptloom.errors import BuildError, InputError
from conceptloom.runners.flink import open_flink
from conceptloom.runners.portable import PortableRunner
from conceptloom.tasks.ingest import AnalyseBucket


@pytest.fixture(scope="module")
def embedded() -> Iterator[str]:
    """The endpoint of a job server with Flink inside."""
    with flink_server() as server:
        yield server.endpoint


@pytest.fixture
def flink(embedded: str) -> Iterator[PortableRunner]:
    """Flink, with the tasks in this process."""
    with open_flink(1, (f"--job_endpoint={embedded}", "--environment_type=LOOPBACK")) as runner:
        yield runner


def test_embedded_flink_builds_the_same_bytes(tmp_path: Path, flink: PortableRunner) -> None:
    told: list[tuple[int, int]] = []
    end = progress.listen(lambda read, done: told.append((read, done)))
    context = build(tmp_path / "out", runner=flink)
    end()
    assert differing(tmp_path / "out", sample_build()) == []
    assert_counters_are_the_ledgers(context)
    counts = [one for manifest in context.manifests.values() for one in manifest.ledger.values()]
    read = sum(one["read"] for one in counts)
    assert (sum(read for read, _ in told), sum(done for _, done in told)) == (read, read)


def test_the_command_line_starts_a_job_server_and_ends_it(tmp_path: Path) -> None:
    """With workers in a pool of this machine; a relative output is one place for all."""
    options = ["--", "--flink_master=[local]", f"--flink_job_server_jar={flink_jars()}"]
    arguments = ["--output=out", "--runner=flink", "--workers=2"]
    finished_cli("build", RECIPE, *SAMPLE_ARGUMENTS, *arguments, *options, cwd=tmp_path)
    assert differing(tmp_path / "out", sample_build()) == []
    assert _processes_that_name(str(flink_jars()), str(tmp_path)) == []


def _processes_that_name(*words: str) -> list[str]:
    commands = (path.read_bytes().decode(errors="replace") for path in Path("/proc").glob("[0-9]*/cmdline"))
    return [command for command in commands if all(word in command for word in words)]


def test_an_error_of_the_input_is_one_line(tmp_path: Path, flink: PortableRunner) -> None:
    path = tmp_path / "cut.txt.gz"
    path.write_bytes(gzip.compress("\n".join(many_sentences(3_000)).encode())[:-300])
    with pytest.raises(InputError) as caught:
        build(tmp_path / "out", {"s": lines_input(path)}, runner=flink)
    assert str(caught.value).startswith(f"{path}: the gzip file is damaged or cut off")
    assert "\n" not in str(caught.value) and "while running" not in str(caught.value)


def test_another_error_of_a_task_names_the_stage_and_is_not_tried_again(
    tmp_path: Path, flink: PortableRunner, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[int] = []

    def fail(task: Any, bucket: int, *_: Any) -> Any:
        calls.append(bucket)
        raise KeyError("no such morpheme")

    monkeypatch.setattr(AnalyseBucket, "run", fail)
    corpus = write_lines(tmp_path / "raw.txt", plain_sentences()[:50])
    with pytest.raises(BuildError) as caught:
        build(tmp_path / "out", {"s": lines_input(corpus)}, runner=flink)
    assert str(caught.value) == 'stage ingest failed: KeyError: "no such morpheme'
    assert calls == [0]


def _not_here() -> Any:
    raise AssertionError("a task ran in the process of the driver")


def test_a_cluster_with_workers_of_an_installed_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = sample_build()
    monkeypatch.setattr(conceptloom.transforms.blocks, "Pipelined", _not_here)
    monkeypatch.chdir(tmp_path)
    (port,) = pick_port(None)
    with flink_cluster(tmp_path / "flink") as server, worker_pool(tmp_path / "pool", port, installed_python()):
        workers = ("--environment_type=EXTERNAL", f"--environment_config=localhost:{port}")
        # One worker process a machine: Flink starts them anew between the steps of a job, 3 s of importing each.
        options = (f"--job_endpoint={server.endpoint}", *workers, "--sdk_worker_parallelism=1")
        with open_flink(2, options) as runner:
            context = build(Path("out"), runner=runner)
    assert differing(tmp_path / "out", expected) == []
    assert_counters_are_the_ledgers(context)

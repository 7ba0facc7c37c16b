"""The options of the portable runners: what is filled in, and what is refused before anything is submitted."""

import socket
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import grpc
import pytest
from apache_beam.options.pipeline_options import FlinkRunnerOptions, PipelineOptions, PortableOptions
from apache_beam.portability.api import beam_job_api_pb2, beam_job_api_pb2_grpc

import conceptloom.runners.flink
import conceptloom.runners.job_server
from conceptloom.errors import BuildError, ConceptloomError, ConfigError
from conceptloom.runners import RUNNERS
from conceptloom.runners.flink import _configuration, open_flink
from conceptloom.runners.job_server import JobServer
from conceptloom.runners.prism import open_prism

POOL = ("--environment_type=EXTERNAL", "--environment_config=worker:50000")


class _Engine(beam_job_api_pb2_grpc.JobServiceServicer):
    """A job server whose engine has an option of its own."""

    def DescribePipelineOptions(self, request: Any, context: Any) -> Any:  # noqa: N802  (gRPC names it)
        own = beam_job_api_pb2.PipelineOptionDescriptor(name="checkpointing_interval")
        return beam_job_api_pb2.DescribePipelineOptionsResponse(options=[own])


@contextmanager
def _listening(engine: _Engine | None) -> Iterator[str]:
    """The address of an engine, or of a server of something else."""
    server = grpc.server(ThreadPoolExecutor(1))
    if engine is not None:
        beam_job_api_pb2_grpc.add_JobServiceServicer_to_server(engine, server)
    port = server.add_insecure_port("localhost:0")
    server.start()
    try:
        yield f"localhost:{port}"
    finally:
        server.stop(None).wait()


@contextmanager
def _server(*_: Any) -> Iterator[JobServer]:
    with _listening(_Engine()) as endpoint:
        yield JobServer(endpoint)


def _submitted(monkeypatch: pytest.MonkeyPatch, workers: int, *options: str) -> PipelineOptions:
    """The options that a job is submitted with; the server itself is not asked."""
    monkeypatch.setattr(conceptloom.runners.flink, "job_server", _server)
    with open_flink(workers, options) as runner:
        return PipelineOptions(list(runner._options))


@pytest.mark.parametrize(
    ("given", "kind", "parallelism", "a_machine"),
    [
        ((), "LOOPBACK", 3, 1),
        (("--flink_master=[local]",), "LOOPBACK", 3, 1),
        (("--flink_master=host:8081", *POOL), "EXTERNAL", 3, 0),
        ((*POOL, "--parallelism=12", "--sdk_worker_parallelism=4"), "EXTERNAL", 12, 4),
    ],
)
def test_what_the_user_leaves_out_follows_from_the_workers(
    monkeypatch: pytest.MonkeyPatch, given: tuple[str, ...], kind: str, parallelism: int, a_machine: int
) -> None:
    options = _submitted(monkeypatch, 3, *given)
    portable = options.view_as(PortableOptions)
    assert options.view_as(FlinkRunnerOptions).parallelism == parallelism
    assert int(portable.sdk_worker_parallelism) == a_machine
    assert portable.environment_type == kind
    assert portable.job_endpoint.startswith("localhost:")


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (("--flink_master=host:8081",), "where the tasks run: --environment_type=LOOPBACK | EXTERNAL"),
        (("--job_endpoint=localhost:8099",), "where the tasks run"),
        (("--environment_type=docker",), "no --environment_type is called 'docker'; there are: LOOPBACK, EXTERNAL"),
        (("--environment_type=EXTERNAL",), "EXTERNAL needs the address of the worker pool"),
        (("--environment_type=DOCKER",), "DOCKER needs an image with the package installed"),
        (("--environment_type=PROCESS", "--environment_config=boot"), "is not JSON with a command"),
        (("--environment_type=PROCESS", '--environment_config={"os": "linux"}'), "is not JSON with a command"),
        (("--environment_type=LOOPBACK", "--environment_config=x"), "LOOPBACK takes no --environment_config"),
        (("--flink_submit_uber_jar", *POOL), "not supported"),
        (("--job_server_java_launcher=/no/java",), "/no/java: no such program"),
        (("--flink_job_server_jar=/no/server.jar", "--job_server_java_launcher=sh"), "/no/server.jar: no such file"),
    ],
)
def test_options_that_cannot_work(given: tuple[str, ...], said: str) -> None:
    with pytest.raises(ConfigError) as caught, open_flink(2, given):
        pass
    assert said in str(caught.value)


def test_a_directory_without_jars(tmp_path: Path) -> None:
    given = (f"--flink_job_server_jar={tmp_path}", "--job_server_java_launcher=sh")
    with pytest.raises(ConfigError, match="this directory contains no jar"), open_flink(2, given):
        pass


def _opened(name: str, *options: str) -> AbstractContextManager[Any]:
    return RUNNERS[name].open(1, options)


@pytest.mark.parametrize("name", ["flink", "prism"])
def test_an_endpoint_where_nobody_answers(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """Whether nothing listens, or something that takes no jobs."""
    monkeypatch.setattr(JobServer.check, "__defaults__", (0.3,))
    with socket.create_server(("localhost", 0)) as silent:
        for port in (silent.getsockname()[1], 1):
            with pytest.raises(BuildError, match=f"no Beam job server responds at localhost:{port}"):
                _opened(name, f"--job_endpoint=localhost:{port}", *POOL).__enter__()


@pytest.mark.parametrize("name", ["flink", "prism"])
def test_an_endpoint_of_something_else(name: str) -> None:
    with _listening(None) as endpoint, pytest.raises(BuildError, match=f"no Beam job server responds at {endpoint}"):
        _opened(name, f"--job_endpoint={endpoint}", *POOL).__enter__()


@pytest.mark.parametrize("name", ["direct", "flink", "prism"])
def test_options_that_nobody_knows_are_told(name: str) -> None:
    """Beam would pass over them. What only the engine knows is no mistake."""
    with _listening(_Engine()) as endpoint:
        where = () if name == "direct" else (f"--job_endpoint={endpoint}", *POOL, "--checkpointing_interval=9")
        with _opened(name, *where, "--parallelism=2", "--no_auth"):
            pass
        with pytest.raises(ConfigError) as caught, _opened(name, *where, "--paralelism=2", "--no_auht"):
            pass
    assert str(caught.value) == "no pipeline option is called --paralelism; no pipeline option is called --no_auht"


@pytest.mark.parametrize("name", ["direct", "flink", "prism"])
def test_options_that_cannot_be_read_are_one_line(name: str) -> None:
    with pytest.raises(ConfigError, match=r"^pipeline options: argument --parallelism: invalid int value: 'x'$"):
        _opened(name, "--parallelism=x", *POOL).__enter__()


@pytest.mark.parametrize(
    ("given", "said"), [((), "no Prism binary is given"), (("--prism_location=/no/prism",), "is not a program")]
)
def test_prism_is_never_downloaded(given: tuple[str, ...], said: str) -> None:
    with pytest.raises(ConfigError, match=f"{said}.*go install .*prism@v") as caught, open_prism(2, given):
        pass
    assert isinstance(caught.value, ConceptloomError)


def test_a_server_that_ends_at_once_is_quoted(tmp_path: Path) -> None:
    binary = tmp_path / "prism"
    binary.write_text("#!/bin/sh\necho starting\necho panic: the port is taken >&2\necho 'main.go:1 +0x1'\nexit 3\n")
    binary.chmod(0o755)
    with pytest.raises(ConfigError) as caught, open_prism(1, (f"--prism_location={binary}",)):
        pass
    assert str(caught.value) == "Prism cannot be started: panic: the port is taken (status 3)"


def test_naming_the_runners_loads_no_engine(tmp_path: Path) -> None:
    engines = ("conceptloom.runners.flink", "conceptloom.runners.prism")
    code = f"import conceptloom.runners, sys; print([m for m in sys.modules if m in {engines}])"
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


@pytest.mark.parametrize(
    ("options", "workers", "managed", "network"),
    [((), 2, 1024, 64), (("--parallelism=16",), 2, 8192, 256), (("--flink_master=[auto]",), 1, 512, 64)],
)
def test_a_flink_inside_the_server_gets_memory_for_its_slots(
    options: tuple[str, ...], workers: int, managed: int, network: int
) -> None:
    lines = _configuration(PipelineOptions(list(options)), workers).splitlines()
    assert dict(line.removeprefix("taskmanager.memory.").split(": ") for line in lines) == {
        "managed.size": f"{managed}m",
        "network.min": f"{network}m",
        "network.max": f"{network}m",
    }


def test_the_users_configuration_of_flink_is_the_only_one() -> None:
    assert _configuration(PipelineOptions(["--flink_conf_dir=/etc/flink"]), 4) == ""

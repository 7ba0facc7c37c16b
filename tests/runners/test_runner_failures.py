"""From the texts of runners, as they came from Flink and Prism, to one line, and whether it is worth another try."""

from typing import Any

import grpc
import pytest

from conceptloom import progress
from conceptloom.errors import BuildError, ConceptloomError, InputError
from conceptloom.runners.failures import as_error, is_lost_worker
from conceptloom.runners.job_server import JobServer
from conceptloom.runners.portable import PortableRunner

TRACE = """Traceback (most recent call last):
  File "conceptloom/readers/ranges.py", line 54, in read_span
    yield from reader.read(stream, name, span.first)
EOFError: Compressed file ended before the end-of-stream marker was reached

The above exception was the direct cause of the following exception:

Traceback (most recent call last):
  File "apache_beam/runners/common.py", line 1512, in process
{raised}

During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File "sdk_worker.py", line 310, in _execute
    response = task()
               ^^^^^^
{raised} [while running 'Ingest/Read/ReadSpan/ParDo(RunTask)']

\tat org.apache.beam.runners.fnexecution.control.FnApiControlClient.handle(FnApiControlClient.java:180)
"""
FLINK = (
    "Pipeline job_1 failed in state FAILED: java.lang.RuntimeException: Error received from SDK harness for "
    "instruction 2: "
)
PRISM = "Pipeline job-005 failed in state FAILED: bundle inst004 stage-003 failed:"
CANCELLED = (
    "Pipeline job_1 failed in state FAILED: org.apache.beam.vendor.grpc.v1p60p1.io.grpc.StatusRuntimeException: "
    "CANCELLED: client cancelled"
)
LOST = (
    CANCELLED,
    "Pipeline job-010 failed in state FAILED: bundle inst019 stage-018 failed:SDK worker disconnected: worker[job-010]",
    "Pipeline job_1 failed in state FAILED: java.net.ConnectException: finishConnect(..) failed: Connection refused",
    FLINK + TRACE.format(raised="grpc._channel._MultiThreadedRendezvous: <_MultiThreadedRendezvous of RPC"),
)


@pytest.mark.parametrize("head", [FLINK, PRISM])
def test_an_error_of_ours_is_found_in_the_traceback(head: str) -> None:
    raised = "conceptloom.errors.InputError: a.gz: the gzip file is damaged; get the whole file again"
    error = RuntimeError(head + TRACE.format(raised=raised))
    found = as_error("ingest", error)
    assert (type(found), str(found)) == (InputError, "a.gz: the gzip file is damaged; get the whole file again")
    assert not is_lost_worker(error)


@pytest.mark.parametrize("head", [FLINK, PRISM])
def test_any_other_error_of_a_task_is_its_last_line(head: str) -> None:
    error = RuntimeError(head + TRACE.format(raised="KeyError: 'no such key'"))
    assert str(as_error("select", error)) == "stage select failed: KeyError: 'no such key'"
    assert not is_lost_worker(error)


@pytest.mark.parametrize("text", LOST)
def test_a_lost_worker(text: str) -> None:
    error = RuntimeError(text)
    assert is_lost_worker(error)
    assert str(as_error("select", error)).startswith("stage select failed: ")
    assert "Pipeline" not in str(as_error("select", error)) and "\n" not in str(as_error("select", error))


ENGINE = (
    ("java.io.IOException: Cannot write record to fresh sort buffer. Record too large.", "managed.size"),
    (
        "java.io.IOException: The record exceeds the maximum size of a sort buffer (current maximum: 4128768 bytes).",
        "--flink_conf_dir",
    ),
    (
        "java.io.IOException: Insufficient number of network buffers: required 17, but only 12 available. The total "
        "number of network buffers is currently set to 2048 of 32768 bytes each.",
        "taskmanager.memory.network.max",
    ),
    (
        "org.apache.flink.runtime.jobmanager.scheduler.NoResourceAvailableException: Could not acquire the minimum "
        "required resources.",
        "lower it",
    ),
    ("java.lang.OutOfMemoryError: Java heap space", "-Xmx4g"),
    ("java.lang.IllegalStateException: of a kind that nobody has seen", "nobody has seen"),
)


@pytest.mark.parametrize(("text", "cure"), ENGINE)
def test_a_failure_of_the_engine_names_the_cure_and_is_not_tried_again(text: str, cure: str) -> None:
    failure, notes = _run(_Failing(RuntimeError(f"Pipeline job_1 failed in state FAILED: {text}")))
    assert isinstance(failure, BuildError) and notes == []
    assert str(failure).startswith(f"stage ingest failed: {text.rstrip('.')}") and cure in str(failure)
    assert "\n" not in str(failure) and "tried" not in str(failure)


def test_an_error_in_this_process_is_no_lost_worker() -> None:
    assert not is_lost_worker(TypeError("unhashable"))
    assert str(as_error("split", TypeError("unhashable"))) == "stage split failed: TypeError: unhashable"


class _Failing(PortableRunner):
    """Fails as told, one error a job, before it ends well."""

    def __init__(self, *errors: Exception) -> None:
        super().__init__(JobServer("nowhere:1"), (), True, waits=(0, 0))
        self.errors = list(errors)

    def _run(self, stage: str, construct: Any) -> dict[str, int]:
        if self.errors:
            raise self.errors.pop(0)
        return {"read": 1}


def _run(runner: PortableRunner) -> tuple[Any, list[str]]:
    notes: list[str] = []
    end = progress.read_notes(notes.append)
    try:
        return runner.run("ingest", None), notes  # type: ignore[arg-type]
    except ConceptloomError as error:
        return error, notes
    finally:
        end()


def test_a_stage_is_run_again_so_many_times() -> None:
    lost = [RuntimeError(text) for text in LOST]
    counted, notes = _run(_Failing(*lost[:2]))
    assert counted == {"read": 1} and len(notes) == 2
    failure, notes = _run(_Failing(*lost))
    assert isinstance(failure, BuildError) and "tried 3 times" in str(failure) and len(notes) == 2


def test_what_a_task_raised_is_not_tried_again() -> None:
    failure, notes = _run(_Failing(RuntimeError(FLINK + TRACE.format(raised="KeyError: 1"))))
    assert str(failure) == "stage ingest failed: KeyError: 1" and notes == []


def test_a_server_that_went_away_is_not_tried_again() -> None:
    with pytest.raises(BuildError, match="no Beam job server responds at localhost:1"):
        JobServer("localhost:1").check(0.2)
    failure, notes = _run(_Failing(BuildError("no Beam job server responds at localhost:1")))
    assert str(failure) == "no Beam job server responds at localhost:1" and notes == []


class _Ended(JobServer):
    def ended(self) -> str | None:
        return "java.lang.OutOfMemoryError (status 3)"


def test_a_server_that_ended_is_told_with_the_stage() -> None:
    failure, _ = _run(PortableRunner(_Ended("localhost:1"), (), True, waits=()))
    assert isinstance(failure, BuildError)
    assert str(failure) == (
        "stage ingest failed: the job server ended unexpectedly: java.lang.OutOfMemoryError (status 3)"
    )


class _Broken(grpc.RpcError, grpc.Call):  # type: ignore[misc]
    def code(self) -> Any:
        return grpc.StatusCode.UNAVAILABLE

    def details(self) -> str:
        return "Stream removed"

    add_callback = cancel = initial_metadata = is_active = time_remaining = trailing_metadata = None  # type: ignore


def test_a_broken_connection_is_told_in_a_line() -> None:
    assert str(as_error("ingest", _Broken())) == "stage ingest failed: UNAVAILABLE: Stream removed"
    assert is_lost_worker(_Broken())

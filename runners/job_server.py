"""Job servers: processes that accept Beam jobs and pass them to an engine, given or started for a build."""

import os
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress

import grpc
from apache_beam.options.pipeline_options import PipelineOptions, PortableOptions
from apache_beam.portability.api import beam_job_api_pb2, beam_job_api_pb2_grpc
from apache_beam.runners.portability.portable_runner import TERMINAL_STATES
from apache_beam.utils.subprocess_server import pick_port

from conceptloom.errors import BuildError, ConfigError

START_SECONDS = 120
ANSWER_SECONDS = 10
END_SECONDS = 20
CANCEL_SECONDS = 60

_GUARD = 'exec 3<&0; (cat <&3 >/dev/null; kill $$ 2>/dev/null) & exec "$@" </dev/null 3<&-'
"""Runs the given command and ends it when standard input is closed, so that a build killed by any signal leaves no
server behind."""


class JobServer:
    """A job server at `endpoint`; if it was started here, it has a process and a log."""

    def __init__(self, endpoint: str, process: subprocess.Popen[bytes] | None = None, log: str = os.devnull) -> None:
        self.endpoint = endpoint
        self._process = process
        self._log = log

    def check(self, seconds: float = ANSWER_SECONDS) -> None:
        """Raises BuildError if the server has ended or does not respond in time."""
        ended = self.ended()
        if ended:
            raise BuildError(f"the job server ended unexpectedly: {ended}")
        if not self.answers(seconds):
            raise self._silent()

    def ended(self) -> str | None:
        """Returns the last message of a server that was started here and has ended, or None if it may still run."""
        if self._process is None or self._process.poll() is None:
            return None
        return f"{self._last_words()} (status {self._process.returncode})"

    def answers(self, seconds: float) -> bool:
        """Returns whether a job server responds within that time."""
        with grpc.insecure_channel(self.endpoint) as channel:
            try:
                grpc.channel_ready_future(channel).result(timeout=seconds)
            except grpc.FutureTimeoutError:
                return False
            return True

    def option_names(self) -> set[str]:
        """Returns the names of the options that are specific to the engine behind the server.

        Raises BuildError if the endpoint is not a job server.
        """
        asked = beam_job_api_pb2.DescribePipelineOptionsRequest()
        with grpc.insecure_channel(self.endpoint) as channel:
            service = beam_job_api_pb2_grpc.JobServiceStub(channel)
            try:
                answer = service.DescribePipelineOptions(asked, timeout=ANSWER_SECONDS)
            except grpc.RpcError as error:
                raise self._silent() from error
        return {option.name for option in answer.options}

    def cancel(self, job: str, seconds: float = CANCEL_SECONDS) -> bool:
        """Cancels a job; returns whether it reached a final state within that time.

        On a connection of its own: Beam closes the one that the job was submitted on when it is interrupted.
        """
        request, end = beam_job_api_pb2.CancelJobRequest(job_id=job), time.monotonic() + seconds
        with grpc.insecure_channel(self.endpoint) as channel, suppress(grpc.RpcError):
            service = beam_job_api_pb2_grpc.JobServiceStub(channel)
            service.Cancel(request, timeout=ANSWER_SECONDS)
            asked = beam_job_api_pb2.GetJobStateRequest(job_id=job)
            while time.monotonic() < end:
                if service.GetState(asked, timeout=ANSWER_SECONDS).state in TERMINAL_STATES:
                    return True
                time.sleep(0.2)
        return False

    def _silent(self) -> BuildError:
        return BuildError(f"no Beam job server responds at {self.endpoint}: check that it runs, and its address")

    def _last_words(self) -> str:
        """Returns the last informative line of the log, not a stack frame of Java or Go."""
        with open(self._log, encoding="utf-8", errors="replace") as stream:
            lines = [line.strip() for line in stream if line.strip()]
        telling = [line for line in lines if any(word in line.lower() for word in ("error", "exception", "panic"))]
        return (telling or lines or ["its log is empty"])[-1]


def named(options: PipelineOptions) -> AbstractContextManager[JobServer] | None:
    """Returns the job server at --job_endpoint, or None if not given; raises BuildError if it does not respond."""
    endpoint = options.view_as(PortableOptions).job_endpoint
    if not endpoint:
        return None
    server = JobServer(endpoint)
    server.check()
    return nullcontext(server)


@contextmanager
def started(name: str, command: Callable[[int, str], list[str]]) -> Iterator[JobServer]:
    """Starts a server until the block ends; `command` takes its port and a directory for its files.

    Raises ConfigError if it does not start.
    """
    with tempfile.TemporaryDirectory(prefix="conceptloom-", ignore_cleanup_errors=True) as directory:
        (port,) = pick_port(None)
        log = os.path.join(directory, "log")
        with guarded(command(port, directory), log) as process:
            server = JobServer(f"localhost:{port}", process, log)
            _await(server, name)
            yield server


@contextmanager
def guarded(command: list[str], log: str) -> Iterator[subprocess.Popen[bytes]]:
    """Starts a process that ends with the block or with this process; writes its output to the file `log`."""
    with open(log, "wb") as stream:
        process = subprocess.Popen(
            ["sh", "-c", _GUARD, "sh", *command],
            stdin=subprocess.PIPE,
            stdout=stream,
            stderr=stream,
            start_new_session=True,
        )
    try:
        yield process
    finally:
        _end(process)


def _await(server: JobServer, name: str) -> None:
    end = time.monotonic() + START_SECONDS
    while not server.answers(0.5):
        problem = server.ended()
        if problem or time.monotonic() > end:
            raise ConfigError(f"{name} cannot be started: {problem or f'no response in {START_SECONDS} s'}")


def _end(process: subprocess.Popen[bytes]) -> None:
    assert process.stdin is not None
    process.stdin.close()
    try:
        process.wait(END_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()

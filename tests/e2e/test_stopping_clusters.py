"""A build on a cluster that is stopped: its job is cancelled before the process ends; nothing more is written."""

import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import grpc
import pytest
from apache_beam.portability.api import beam_job_api_pb2, beam_job_api_pb2_grpc
from builds import RECIPE, command, environment, files_of, many_sentences, write_lines
from engines import flink_server, wait_for

State = beam_job_api_pb2.JobState


@pytest.fixture(scope="module")
def endpoint() -> Iterator[str]:
    """A job server that outlives the builds."""
    with flink_server() as server:
        yield server.endpoint


def _jobs(endpoint: str) -> dict[str, int]:
    """The states of all jobs that a server has had."""
    with grpc.insecure_channel(endpoint) as channel:
        answer = beam_job_api_pb2_grpc.JobServiceStub(channel).GetJobs(beam_job_api_pb2.GetJobsRequest(), timeout=10)
    return {job.job_id: job.state for job in answer.job_info}


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_the_job_has_ended_when_the_build_has(tmp_path: Path, endpoint: str, how: signal.Signals) -> None:
    earlier = _jobs(endpoint)
    corpus = write_lines(tmp_path / "raw.txt", many_sentences(60_000))
    arguments = (f"--input=captions:lines={corpus}", f"--output={tmp_path / 'out'}", "--runner=flink", "--workers=1")
    options = ("--", f"--job_endpoint={endpoint}", "--environment_type=LOOPBACK")
    with subprocess.Popen(
        command("build", RECIPE, *arguments, *options), env=environment(), stderr=subprocess.PIPE, text=True
    ) as process:

        def running() -> list[str]:
            assert process.poll() is None, "the build ended before it was stopped"
            return [job for job, state in _jobs(endpoint).items() if job not in earlier and state == State.RUNNING]

        wait_for(running, "a job that runs")
        process.send_signal(how)
        _, told = process.communicate(timeout=90)
    states = {job: State.Enum.Name(state) for job, state in _jobs(endpoint).items() if job not in earlier}
    assert list(states.values()) == ["CANCELLED"]
    assert process.returncode == 130
    assert "cancelling its job" in told and "Traceback" not in told
    assert not [name for name in files_of(tmp_path) if name.endswith("MANIFEST.json")]

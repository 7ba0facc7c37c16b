"""A job is submitted, watched and accounted for, against a service on this machine."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import pytest
from apache_beam.internal.gcp.auth import _Credentials
from apache_beam.runners.dataflow import dataflow_runner
from apache_beam.runners.dataflow.internal.apiclient import DataflowApplicationClient
from dataflow_requests import NEEDED, context
from dataflow_service import JOB, Service, serving
from google.cloud.dataflow import JobState

import conceptloom.runners.dataflow
from conceptloom import progress
from conceptloom.errors import BuildError
from conceptloom.pipelines import RECIPES
from conceptloom.runners import RUNNERS, following

RECIPE, STAGE = "korean-commongen", "ingest"
PAGE = f"https://console.cloud.google.com/dataflow/jobs/europe-west4/{JOB}?project=a-project"
COUNTS = {"read": 12, "kept": 7, "rejected_length": 2, "rejected_digits": 3}
Sleep = Callable[[float], None]


@pytest.fixture(autouse=True)
def _quick_and_offline(monkeypatch: pytest.MonkeyPatch) -> None:
    """No credentials are looked for, nothing is uploaded, and the seconds between two looks at a job are short."""
    monkeypatch.setattr(_Credentials, "_credentials_init", True)
    monkeypatch.setattr(DataflowApplicationClient, "stage_file", lambda self, *_, **__: None)
    monkeypatch.setattr(conceptloom.runners.dataflow, "POLL_SECONDS", 0.02)
    _sleeping(monkeypatch, lambda seconds: time.sleep(seconds / 100))


def _sleeping(patch: pytest.MonkeyPatch, sleep: Sleep) -> None:
    patch.setattr(dataflow_runner, "time", SimpleNamespace(time=time.time, sleep=sleep))


@contextmanager
def running(service: Service, *flags: str, workers: int | None = None) -> Iterator[Callable[[], dict[str, int]]]:
    """A call that runs the first stage on the service."""
    (construct,) = (one.construct for one in RECIPES[RECIPE].stages if one.name == STAGE)
    known = context(RECIPE, STAGE)
    with (
        serving(service) as address,
        RUNNERS["dataflow"].open(workers, (*NEEDED, *flags, f"--dataflow_endpoint={address}", "--no_auth")) as runner,
    ):
        runner.prepare(RECIPE, ["gs://a-bucket/raw/*.json"], "gs://a-bucket/builds/first")
        try:
            yield lambda: runner.run(STAGE, lambda pipeline: construct(known, pipeline))
        finally:
            # An interrupted wait leaves Beam's own thread behind, which would ask a service that is gone.
            for thread in threading.enumerate():
                if "poll_for_job_completion" in thread.name:
                    thread.join(30)


def test_a_job_is_run_and_its_counters_come_back() -> None:
    service = Service(counts=COUNTS)
    with running(service) as run:
        assert run() == COUNTS
    assert service.job["labels"] == {"recipe": RECIPE, "stage": STAGE}
    assert service.job["name"].startswith(f"conceptloom-{RECIPE}-{STAGE}-")
    assert "numWorkers" not in service.job["environment"]["workerPools"][0]


@pytest.mark.parametrize(("flags", "expected"), [([], 3), (["--num_workers=5"], 5)])
def test_workers_are_those_to_begin_with(flags: list[str], expected: int) -> None:
    """Beam's own option is the more particular one."""
    service = Service()
    with running(service, *flags, workers=3) as run:
        run()
    assert service.job["environment"]["workerPools"][0]["numWorkers"] == expected


def test_progress_is_told_while_a_job_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    service = Service(counts=COUNTS)
    told: list[tuple[int, int]] = []
    heard = threading.Event()

    def listen(read: int, done: int) -> None:
        told.append((read, done))
        heard.set()

    def sleep(_: float) -> None:
        assert heard.wait(30)

    _sleeping(monkeypatch, sleep)
    stop = progress.listen(listen)
    try:
        with running(service) as run:
            run()
    finally:
        stop()
    assert told[0] == (12, 12)
    assert (sum(read for read, _ in told), sum(done for _, done in told)) == (12, 12)


ERROR = "Traceback (most recent call last):\n  File \"x.py\"\nconceptloom.errors.InputError: a.json: cannot be read: gone; check it [while running 'Ingest/Read']"  # noqa: E501


def _error(text: str) -> dict[str, Any]:
    return {"id": "1", "time": "2026-11-21T04:06:00Z", "messageText": text, "messageImportance": "JOB_MESSAGE_ERROR"}


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (ERROR, "a.json: cannot be read: gone; check it"),
        ("The zone is out of machines.", "The zone is out of machines."),
    ],
)
def test_a_failed_job_is_named(text: str, reason: str) -> None:
    service = Service(states=["JOB_STATE_RUNNING", "JOB_STATE_FAILED"], messages=[_error(text)])
    with running(service) as run, pytest.raises(BuildError) as raised:
        run()
    for part in (f"stage {STAGE} failed", JOB, reason, PAGE):
        assert part in str(raised.value)


def test_a_job_that_somebody_cancelled() -> None:
    with (
        running(Service(states=["JOB_STATE_CANCELLED"])) as run,
        pytest.raises(BuildError, match="CANCELLED") as raised,
    ):
        run()
    assert PAGE in str(raised.value)


def test_a_job_that_is_not_taken() -> None:
    with running(Service(refusal=403)) as run, pytest.raises(BuildError, match="no quota") as raised:
        run()
    assert str(raised.value).startswith(f"stage {STAGE}: job conceptloom-{RECIPE}-{STAGE}-")


def test_an_interrupted_build_cancels_its_job(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else the job would write where the next build begins."""

    def sleep(seconds: float) -> None:
        if threading.current_thread() is threading.main_thread():
            raise KeyboardInterrupt
        time.sleep(seconds / 100)

    _sleeping(monkeypatch, sleep)
    service = Service(states=["JOB_STATE_RUNNING"])
    with running(service) as run, pytest.raises(KeyboardInterrupt):
        run()
    assert service.requested == [JobState.JOB_STATE_CANCELLED]


def test_counters_that_cannot_be_had_stop_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(result: Any, stage: str) -> dict[str, int]:
        asked.set()
        raise OSError("the service is away")

    asked = threading.Event()
    monkeypatch.setattr(following, "counters", broken)
    with following.followed(None, STAGE, 0.01):
        assert asked.wait(30)

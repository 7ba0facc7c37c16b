"""Runs stages as jobs of a Beam job server, on any engine."""

import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext

import apache_beam as beam
from apache_beam.options.pipeline_options import PipelineOptions
from apache_beam.runners.portability import portable_runner
from apache_beam.runners.runner import PipelineResult

from conceptloom import progress
from conceptloom.errors import BuildError, ConceptloomError
from conceptloom.parallel import local_pool
from conceptloom.pipelines.build.engine import Construct, Runner
from conceptloom.runners.counters import counters
from conceptloom.runners.environments import LOOPBACK
from conceptloom.runners.failures import as_error, is_lost_worker
from conceptloom.runners.following import followed, retold
from conceptloom.runners.job_server import JobServer
from conceptloom.runners.options import check_known, parsed
from conceptloom.stopping import held_back
from conceptloom.tasks.common import load_common

WAITS = (1, 10, 60)
"""Seconds to wait before each retry of a job: a lost worker may have to be restarted first."""

# Beam closes a job's state stream after this time, as for a short request; a stage may run for days.
_ALWAYS = ("--job_server_timeout=2592000",)


class PortableRunner(Runner):
    """Runs each stage as a job of one job server; runs it again if a worker was lost.

    A stage may safely run twice: its tasks write whole files under fixed names.
    """

    def __init__(
        self, server: JobServer, options: tuple[str, ...], here: bool, waits: tuple[float, ...] = WAITS
    ) -> None:
        self._server = server
        self._options = options
        self._here = here
        self._waits = waits

    def run(self, stage: str, construct: Construct, directory: str | None = None) -> dict[str, int]:
        """Runs the job of a stage; raises the ConceptloomError of a task, or BuildError that names the stage."""
        for wait in self._waits:
            try:
                return self._run(stage, construct)
            except Exception as error:
                failure = as_error(stage, error)
                if not is_lost_worker(error):
                    raise failure from error
            progress.note(f"{failure}; a worker was lost: running the stage again in {wait:g} s")
            time.sleep(wait)
        try:
            return self._run(stage, construct)
        except Exception as error:
            raise self._given_up(stage, error) from error

    def _given_up(self, stage: str, error: Exception) -> ConceptloomError:
        failure = as_error(stage, error)
        if not is_lost_worker(error):
            return failure
        tries = len(self._waits) + 1
        return BuildError(f"{failure}; tried {tries} times: check that the engine can reach running workers")

    def _run(self, stage: str, construct: Construct) -> dict[str, int]:
        try:
            self._server.check()
        except BuildError as error:
            raise BuildError(f"stage {stage} failed: {error}") from error
        options = PipelineOptions([f"--job_name=conceptloom-{stage}", *self._options])
        pipeline = beam.Pipeline(runner=portable_runner.PortableRunner(), options=options)
        construct(pipeline)
        with retold():
            result = self._ended(stage, pipeline)
        return counters(result, stage)

    def _ended(self, stage: str, pipeline: beam.Pipeline) -> PipelineResult:
        """Returns the result of the stage's job; cancels the job if this process is stopped meanwhile."""
        result: PipelineResult | None = None
        try:
            with held_back():
                result = pipeline.run()
            with nullcontext() if self._here else followed(result, stage):
                result.wait_until_finish()
        except (KeyboardInterrupt, SystemExit):
            if result is not None:
                self._cancel(stage, result._job_id)
            raise
        return result

    def _cancel(self, stage: str, job: str) -> None:
        # Until the job has ended it writes into the output, whose lock this process gives up when it ends.
        progress.note(f"stage {stage}: cancelling its job")
        if not self._server.cancel(job):
            progress.note(
                f"warning: the job {job} of stage {stage} was not seen to end; it may still write into the output: "
                "check it in the engine before you build there again"
            )


@contextmanager
def opened(
    workers: int, environment: str, server: AbstractContextManager[JobServer], options: tuple[str, ...]
) -> Iterator[PortableRunner]:
    """Yields a runner on a job server; tasks that run in this process (LOOPBACK) share a pool of `workers` processes.

    Raises ConfigError for options that are unknown to both Beam and the server.
    """
    here = environment == LOOPBACK
    with local_pool(workers, load_common) if here else nullcontext(), server as ready:
        check_known(parsed(options), ready.option_names())
        given = (*_ALWAYS, f"--environment_type={environment}", *options, f"--job_endpoint={ready.endpoint}")
        yield PortableRunner(ready, given, here)

"""Runs stages as jobs of a Beam job server, whichever engine stands behind it."""

import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from typing import Any

import apache_beam as beam
from apache_beam.options.pipeline_options import PipelineOptions
from apache_beam.runners.portability import portable_runner

from conceptloom import progress
from conceptloom.errors import BuildError, ConceptloomError
from conceptloom.parallel import local_pool
from conceptloom.pipelines.build.engine import Runner
from conceptloom.runners.counters import counters
from conceptloom.runners.environments import LOOPBACK
from conceptloom.runners.failures import as_error, is_lost_worker
from conceptloom.runners.following import followed, retold
from conceptloom.runners.job_server import JobServer
from conceptloom.runners.options import check_known, parsed
from conceptloom.tasks.common import load_common

WAITS = (1, 10, 60)
"""Seconds before a job is run again: whoever watches over the workers may have to start one first."""

# Beam ends a job's state stream after this time, as if it were a question: here it is asked how a stage goes for days.
_ALWAYS = ("--job_server_timeout=2592000",)


class PortableRunner(Runner):
    """Runs each stage as a job of one job server, again where a worker was lost.

    A stage may run twice: its tasks write whole files under names that do not change.
    """

    def __init__(
        self, server: JobServer, options: tuple[str, ...], here: bool, waits: tuple[float, ...] = WAITS
    ) -> None:
        self._server = server
        self._options = options
        self._here = here
        self._waits = waits

    def run(self, stage: str, construct: Callable[[beam.Pipeline], Any]) -> dict[str, int]:
        """Runs one stage's job; raises the ConceptloomError of a task, or BuildError naming the stage."""
        for wait in self._waits:
            try:
                return self._run(stage, construct)
            except Exception as error:
                failure = as_error(stage, error)
                if not is_lost_worker(error):
                    raise failure from error
            progress.note(f"{failure}; a worker was lost: the stage is run again in {wait:g} s")
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
        return BuildError(f"{failure}; tried {tries} times: do the workers run, and can the engine reach them?")

    def _run(self, stage: str, construct: Callable[[beam.Pipeline], Any]) -> dict[str, int]:
        try:
            self._server.check()
        except BuildError as error:
            raise BuildError(f"stage {stage} failed: {error}") from error
        options = PipelineOptions([f"--job_name=conceptloom-{stage}", *self._options])
        pipeline = beam.Pipeline(runner=portable_runner.PortableRunner(), options=options)
        construct(pipeline)
        with retold():
            result = pipeline.run()
            try:
                with nullcontext() if self._here else followed(result, stage):
                    result.wait_until_finish()
            except (KeyboardInterrupt, SystemExit):
                with suppress(Exception):
                    result.cancel()
                raise
        return counters(result, stage)


@contextmanager
def opened(
    workers: int, environment: str, server: AbstractContextManager[JobServer], options: tuple[str, ...]
) -> Iterator[PortableRunner]:
    """A runner on a job server; tasks that run in this process (LOOPBACK) share `workers` processes of its own.

    Raises ConfigError for options that neither Beam nor the server knows.
    """
    here = environment == LOOPBACK
    with local_pool(workers, load_common) if here else nullcontext(), server as ready:
        check_known(parsed(options), ready.option_names())
        given = (*_ALWAYS, f"--environment_type={environment}", *options, f"--job_endpoint={ready.endpoint}")
        yield PortableRunner(ready, given, here)

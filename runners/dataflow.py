"""Google Cloud Dataflow: each stage is a separate batch job, named and labelled after recipe and stage."""

import re
import time
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import apache_beam as beam
from apache_beam.options.pipeline_options import GoogleCloudOptions, PipelineOptions
from apache_beam.runners.runner import PipelineResult, PipelineState

from conceptloom.errors import BuildError, ConfigError
from conceptloom.pipelines.build.engine import Construct, Runner
from conceptloom.runners.counters import counters
from conceptloom.runners.dataflow_checks import missing
from conceptloom.runners.failures import as_error
from conceptloom.runners.following import followed

POLL_SECONDS = 20.0
"""The interval between two queries of a job's counters."""


class DataflowRunner(Runner):
    """Runs each stage as a Dataflow job and waits for it. `options` are Beam's; `workers` sets --num_workers."""

    def __init__(self, options: tuple[str, ...] = (), workers: int | None = None) -> None:
        self._options = options if workers is None else (f"--num_workers={workers}", *options)
        self._recipe = "build"

    @staticmethod
    @contextmanager
    def with_workers(workers: int | None, options: tuple[str, ...] = ()) -> Iterator["DataflowRunner"]:
        """Yields a runner whose jobs start with that many workers; with None the service decides."""
        yield DataflowRunner(options, workers)

    def prepare(self, recipe: str, inputs: Sequence[str], output: str) -> None:
        """Raises ConfigError that lists everything a job lacks; checks only the options, without network access."""
        found = missing(self._options, inputs, output)
        if found:
            raise ConfigError(f"runner dataflow: {'; '.join(found)}")
        self._recipe = recipe

    def run(self, stage: str, construct: Construct, directory: str | None = None) -> dict[str, int]:
        """Submits the job of a stage and waits for it; raises BuildError that names the stage, the job and its page.

        If the wait is interrupted, the job is cancelled: it would otherwise write into the output of the next build.
        """
        result, where = self._submit(stage, construct)
        try:
            with followed(result, stage, POLL_SECONDS):
                state = result.wait_until_finish()
        except Exception as error:
            reason = str(as_error(stage, error)).removeprefix(f"stage {stage} failed: ")
            raise BuildError(f"stage {stage} failed: job {result.job_id()}: {reason}; see {where}") from error
        except BaseException:
            result.cancel()
            raise
        if state != PipelineState.DONE:
            raise BuildError(f"stage {stage} failed: job {result.job_id()} ended as {state}; see {where}")
        return counters(result, stage)

    def _submit(self, stage: str, construct: Construct) -> tuple[PipelineResult, str]:
        options = PipelineOptions(job_options(self._options, self._recipe, stage))
        cloud = options.view_as(GoogleCloudOptions)
        try:
            pipeline = beam.Pipeline(options=options)
            construct(pipeline)
            result = pipeline.run()
        except Exception as error:
            raise BuildError(f"stage {stage}: job {cloud.job_name} was not submitted: {error}") from error
        page = f"https://console.cloud.google.com/dataflow/jobs/{cloud.region}/{result.job_id()}"
        return result, f"{page}?project={cloud.project}"


def job_options(options: Sequence[str], recipe: str, stage: str) -> list[str]:
    """Returns the pipeline options of a stage's job: the given options, a unique job name, and labels.

    The main session is not saved: everything that a worker needs is in the package.
    """
    given = PipelineOptions(list(options)).view_as(GoogleCloudOptions).job_name
    name = job_name(given or f"conceptloom-{recipe}", stage)
    labels = [f"--labels=recipe={recipe}", f"--labels=stage={stage}"]
    return ["--no_save_main_session", *options, "--runner=DataflowRunner", f"--job_name={name}", *labels]


def job_name(prefix: str, stage: str) -> str:
    """Returns a valid job name `PREFIX-STAGE-…` that ends in the time (UTC) and a random part."""
    unique = f"{time.strftime('%Y%m%d-%H%M%S', time.gmtime())}-{uuid.uuid4().hex[:6]}"
    return re.sub(r"[^a-z0-9]+", "-", f"{prefix}-{stage}-{unique}".lower())

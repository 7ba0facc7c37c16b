"""The local runner: Beam's FnApiRunner in this process, with a pool of worker processes for the heavy tasks.

It is instantiated directly, because Beam's own DirectRunner is a switch that tries other runners first.
"""

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import cache

import apache_beam as beam
from apache_beam.options.pipeline_options import PipelineOptions
from apache_beam.runners.portability.fn_api_runner import FnApiRunner
from apache_beam.transforms.environments import Environment

from conceptloom.parallel import local_pool
from conceptloom.pipelines.build.engine import Construct, Runner
from conceptloom.runners.counters import counters
from conceptloom.runners.failures import as_error
from conceptloom.runners.options import check_known, parsed
from conceptloom.stopping import asked
from conceptloom.tasks.common import load_common

MEMORY_PER_BYTE = 15
"""Bytes of memory per byte of input: a shuffle takes about 1 KB for a sentence of 66 bytes."""


def cores() -> int:
    """Returns the number of CPU cores of this machine."""
    return os.cpu_count() or 1


class DirectRunner(Runner):
    """Runs stages on this machine. Beam keeps a shuffle in the memory of this process (about 1 KB per sentence).

    `environment` is a Beam SDK environment to run the tasks in instead of this process, for tests.
    """

    def __init__(self, options: tuple[str, ...] = (), environment: Environment | None = None) -> None:
        self._options = options
        self._environment = environment
        self._open_pool: Callable[[], object] = lambda: None

    @staticmethod
    @contextmanager
    def with_workers(workers: int | None, options: tuple[str, ...] = ()) -> Iterator["DirectRunner"]:
        """Yields a runner whose tasks run in `workers` processes (None: one per core), started with the first stage.

        Raises ConfigError for options that Beam does not know.
        """
        with ExitStack() as stack:
            check_known(parsed(options))
            runner = DirectRunner(options)
            pool = local_pool(workers or cores(), load_common)
            runner._open_pool = cache(lambda: stack.enter_context(pool))
            yield runner

    def warning(self, input_bytes: int) -> str | None:
        """Returns a warning if the shuffle of this much text is unlikely to fit into memory."""
        return memory_warning(input_bytes)

    def run(self, stage: str, construct: Construct) -> dict[str, int]:
        """Runs the pipeline of a stage; raises the ConceptloomError of a task, or BuildError that names the stage.

        Raises KeyboardInterrupt when the user stops it.
        """
        self._open_pool()
        runner = FnApiRunner(default_environment=self._environment)
        pipeline = beam.Pipeline(runner=runner, options=PipelineOptions(list(self._options)))
        try:
            construct(pipeline)
            result = pipeline.run()
            result.wait_until_finish()
        except Exception as error:
            if asked():
                raise KeyboardInterrupt from None
            raise as_error(stage, error) from error
        return counters(result, stage)


def memory_warning(input_bytes: int) -> str | None:
    """Returns a warning if a build of that many bytes of text is unlikely to fit into the memory of this machine."""
    need = input_bytes * MEMORY_PER_BYTE
    have = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    if need <= have:
        return None
    return (
        f"the direct runner keeps a shuffle in memory: this input needs about {need / 2**30:.0f} GiB, this machine has "
        f"{have / 2**30:.0f}; build a part with --limit, or choose another --runner"
    )

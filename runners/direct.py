"""The local runner: Beam's FnApiRunner in this process, with a pool of worker processes for the heavy tasks.

It is instantiated directly, because Beam's own DirectRunner is a switch that tries other runners first.
"""

import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import cache

import apache_beam as beam
from apache_beam.runners.portability.fn_api_runner import FnApiRunner
from apache_beam.transforms.environments import Environment

from conceptloom import storage
from conceptloom.parallel import local_pool
from conceptloom.pipelines.build.engine import Construct, Runner
from conceptloom.runners.counters import counters
from conceptloom.runners.failures import as_error
from conceptloom.runners.options import OptionsParsedOnce, check_known, parsed
from conceptloom.spill import spilling
from conceptloom.stopping import asked
from conceptloom.tasks.common import load_common

SHUFFLE = "shuffle"
"""The folder in a stage's directory with the blocks that wait to meet, while the stage runs."""

FEW_BYTES = 1 << 20
"""Text that takes less work than starting worker processes does, each of which needs 1.5 CPU seconds for that."""

MEMORY, MEMORY_PER_WORKER, MEMORY_PER_BYTE = 300 << 20, 450 << 20, 2
"""Bytes of memory of this process, of a worker with a bucket, and for each byte of input: the candidates of a split."""


def cores() -> int:
    """Returns the number of CPU cores of this machine."""
    return os.cpu_count() or 1


class DirectRunner(Runner):
    """Runs stages on this machine. Beam keeps a shuffle in the memory of this process: references to blocks in files.

    `compression` is the Arrow codec of these blocks: none, unless a build is to tell what another runner would shuffle.
    `workers` is the number of processes that it warns for; None is as in `with_workers`.
    `environment` is a Beam SDK environment to run the tasks in instead of this process, for tests.
    """

    def __init__(
        self,
        options: tuple[str, ...] = (),
        environment: Environment | None = None,
        compression: str | None = None,
        workers: int | None = 1,
    ) -> None:
        self._options = options
        self._environment = environment
        self._compression = compression
        self._by_input, self._workers = workers is None, workers or cores()
        self._open_pool: Callable[[], object] = _no_pool

    @staticmethod
    @contextmanager
    def with_workers(
        workers: int | None, options: tuple[str, ...] = (), compression: str | None = None
    ) -> Iterator["DirectRunner"]:
        """Yields a runner whose tasks run in `workers` processes, started with the first stage.

        None means one per core, or this process alone for a build of FEW_BYTES of text. Raises ConfigError for options
        that Beam does not know.
        """
        with ExitStack() as stack:
            check_known(parsed(options))
            runner = DirectRunner(options, compression=compression, workers=workers)
            pool = local_pool(runner._workers, load_common)
            runner._open_pool = cache(lambda: stack.enter_context(pool))
            yield runner

    def begin(self, input_bytes: int) -> None:
        """Leaves out the processes of a small build, unless their number was given."""
        if self._by_input and input_bytes <= FEW_BYTES:
            self._open_pool, self._workers = _no_pool, 1

    def warning(self, input_bytes: int) -> str | None:
        """Returns a warning if a build of this much text is unlikely to fit into memory."""
        return memory_warning(input_bytes, self._workers)

    def run(self, stage: str, construct: Construct, directory: str | None = None) -> dict[str, int]:
        """Runs the pipeline of a stage; raises the ConceptloomError of a task, or BuildError that names the stage.

        What is shuffled waits in files below `directory`, or in a temporary directory if it is remote; without one, in
        memory. Raises KeyboardInterrupt when the user stops it.
        """
        self._open_pool()
        with _shuffling_in(directory, self._compression):
            return self._run(stage, construct)

    def _run(self, stage: str, construct: Construct) -> dict[str, int]:
        runner = FnApiRunner(default_environment=self._environment)
        pipeline = beam.Pipeline(runner=runner, options=OptionsParsedOnce(list(self._options)))
        try:
            construct(pipeline)
            result = pipeline.run()
            result.wait_until_finish()
        except Exception as error:
            if asked():
                raise KeyboardInterrupt from None
            raise as_error(stage, error) from error
        return counters(result, stage)


def _no_pool() -> None:
    return


@contextmanager
def _shuffling_in(directory: str | None, compression: str | None) -> Iterator[None]:
    with ExitStack() as stack:
        if directory is not None and storage.is_remote(directory):
            directory = stack.enter_context(tempfile.TemporaryDirectory(prefix="conceptloom-"))
        if directory is not None:
            stack.enter_context(spilling(os.path.join(directory, SHUFFLE), compression))
        yield


def memory_warning(input_bytes: int, workers: int) -> str | None:
    """Returns a warning if a build of that many bytes of text is unlikely to fit into the memory of this machine."""
    need = MEMORY + workers * MEMORY_PER_WORKER + input_bytes * MEMORY_PER_BYTE
    have = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    if need <= have:
        return None
    return (
        f"this input needs about {need / 2**30:.1f} GiB of memory with {workers} workers, this machine has "
        f"{have / 2**30:.1f}; give fewer --workers, build a part with --limit, or choose another --runner"
    )

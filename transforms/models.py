"""Work that needs a model, and maybe an accelerator: a process opens the model once and runs its blocks itself."""

import json
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping

import apache_beam as beam
from apache_beam import pvalue
from apache_beam.metrics import Metrics
from apache_beam.utils.shared import Shared

from conceptloom import progress, spill
from conceptloom.errors import BuildError, ConceptloomError
from conceptloom.parallel import one_thread
from conceptloom.tasks.base import Output, Task, run_spilling
from conceptloom.tasks.models import COUNTED, ModelTask
from conceptloom.transforms.blocks import TASKS, Side, tagged


class HeldModel:
    """A process's one opened model. Threads take turns: a device works on one block at a time."""

    def __init__(self, open_task: Callable[[], Task]) -> None:
        begin = time.monotonic()
        self._opened = open_task()
        self._load_ms: int | None = _milliseconds(begin)
        self._turn = threading.Lock()

    def run(self, bucket: int, blocks: list[bytes], side: bytes | None) -> list[Output]:
        """Returns the results for one bucket."""
        with self._turn:
            return list(run_spilling(spill.opened(), self._opened, bucket, blocks, side))

    def take_load_ms(self) -> int | None:
        """Returns how long opening took, the first time; None from then on, so that it is counted once."""
        with self._turn:
            taken, self._load_ms = self._load_ms, None
        return taken


class RunModelTask(beam.DoFn):
    """Runs a task with a model on (bucket, blocks), one block after the other in this process.

    Unlike RunTask it never uses the local pool: each of its processes would load the model, and a device has one owner.
    """

    def __init__(self, stage: str, task: ModelTask, share: float = 0.0) -> None:
        self._stage = stage
        self._task = task
        self._share = share
        self._shared = Shared()

    def setup(self) -> None:
        one_thread()
        self._held = self._shared.acquire(self._open)

    def start_bundle(self) -> None:
        self._side = Side()

    def process(
        self, element: tuple[int, Iterable[bytes]], side: Iterable[bytes] | None = None
    ) -> Iterator[pvalue.TaggedOutput]:
        bucket, blocks = element
        begin = time.monotonic()
        outputs = self._held.run(bucket, [block for block in blocks if block], self._side.whole(side))
        self._count(model_blocks=1, model_ms=_milliseconds(begin))
        load_ms = self._held.take_load_ms()
        if load_ms is not None:
            # Not counted where it happens: a runner drops what is counted outside of a bundle.
            self._count(model_loads=1, model_load_ms=load_ms)
        yield from tagged(self._task, self._without_counts(outputs))
        progress.work(self._share)

    def _open(self) -> HeldModel:
        try:
            return HeldModel(self._task.open)
        except ConceptloomError as error:
            raise type(error)(f"stage {self._stage}: {error}") from error
        except Exception as error:  # whatever the libraries of models raise
            reason = " ".join(f"{type(error).__name__}: {error}".split())
            raise BuildError(f"stage {self._stage}: the model cannot be opened: {reason}") from error

    def _without_counts(self, outputs: Iterable[Output]) -> Iterator[Output]:
        for output in outputs:
            if output.tag == COUNTED:
                self._count(**json.loads(output.data))
            else:
                yield output

    def _count(self, **numbers: int) -> None:
        for name, number in numbers.items():
            Metrics.counter(TASKS, f"{name}_{type(self._task).__name__}").inc(number)


class MapBlocksWithModel(beam.PTransform):
    """As MapBlocks, for a task with a model: opened once in a process, which runs all of its blocks itself.

    `hints` are Beam's resource hints (accelerator, min_ram): they bring workers with the device, where a runner has
    such workers. `share` is as in RunTask. Counters, each for its task: model_loads, model_load_ms, model_blocks,
    model_ms, and what the task counts itself (conceptloom.tasks.models.counted).

    Beam's RunInference is not used, as it would make the result depend on bundles or cost more: it batches elements by
    time unless minimum and maximum are equal, while a block here is a batch already, made by the data alone; it has one
    output, pickles each batch once more to know its size, and its sharing among processes (MultiProcessShared) pickles
    every call and was seen to hang under the local runner.
    """

    def __init__(
        self,
        stage: str,
        task: ModelTask,
        side: "beam.PCollection[bytes] | None" = None,
        hints: Mapping[str, str] | None = None,
        share: float = 0.0,
    ) -> None:
        super().__init__()
        self._stage = stage
        self._share = share
        self._task = task
        self._side = side
        self._hints = dict(hints or {})

    def expand(self, blocks: "beam.PCollection[tuple[int, Iterable[bytes]]]") -> "beam.pvalue.DoOutputsTuple":
        sides = {} if self._side is None else {"side": pvalue.AsIter(self._side)}
        run = beam.ParDo(RunModelTask(self._stage, self._task, self._share), **sides).with_output_types(
            tuple[int, bytes]
        )
        named = type(self._task).__name__ >> run.with_resource_hints(**self._hints).with_outputs(*self._task.outputs)
        return blocks | named


def _milliseconds(begin: float) -> int:
    return round(1000 * (time.monotonic() - begin))

"""How a recipe's stages run: one module for each runner."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass

from conceptloom.pipelines.build.engine import Runner
from conceptloom.registry import Registry
from conceptloom.runners.dataflow import DataflowRunner
from conceptloom.runners.direct import DirectRunner, cores


@dataclass(frozen=True)
class RunnerEntry:
    """A runner that can be named: `open` takes Beam's pipeline options, and how many workers (None: as it thinks best).

    Opening a runner with a job server of its own starts it: a dry run tells whether it can be started.
    """

    summary: str
    open: Callable[[int | None, tuple[str, ...]], AbstractContextManager[Runner]]


def _flink(workers: int | None, options: tuple[str, ...]) -> AbstractContextManager[Runner]:
    from conceptloom.runners.flink import open_flink  # and with it all of Beam's portability

    return open_flink(workers or cores(), options)


def _prism(workers: int | None, options: tuple[str, ...]) -> AbstractContextManager[Runner]:
    from conceptloom.runners.prism import open_prism

    return open_prism(workers or cores(), options)


RUNNERS: Registry[RunnerEntry] = Registry("runner")
RUNNERS.add("direct", RunnerEntry("on this machine (default)", DirectRunner.with_workers))
RUNNERS.add("flink", RunnerEntry("on Apache Flink, embedded or a cluster", _flink))
RUNNERS.add("prism", RunnerEntry("on Beam's Prism, a binary that is given", _prism))
RUNNERS.add("dataflow", RunnerEntry("as jobs of Google Cloud Dataflow", DataflowRunner.with_workers))

__all__ = ["RUNNERS", "DataflowRunner", "DirectRunner", "RunnerEntry"]

"""Runners: where the stages of a recipe run, one module for each."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass

from conceptloom.pipelines.build.engine import Runner
from conceptloom.registry import Registry
from conceptloom.runners.dataflow import DataflowRunner
from conceptloom.runners.direct import DirectRunner, cores


@dataclass(frozen=True)
class RunnerEntry:
    """A named runner: `open` takes the number of workers (None: the runner's default) and Beam's pipeline options.

    Opening a runner that has its own job server starts the server, so that a dry run checks that too.
    """

    summary: str
    open: Callable[[int | None, tuple[str, ...]], AbstractContextManager[Runner]]


def _flink(workers: int | None, options: tuple[str, ...]) -> AbstractContextManager[Runner]:
    from conceptloom.runners.flink import open_flink  # imports all of Beam's portability layer

    return open_flink(workers or cores(), options)


def _prism(workers: int | None, options: tuple[str, ...]) -> AbstractContextManager[Runner]:
    from conceptloom.runners.prism import open_prism

    return open_prism(workers or cores(), options)


RUNNERS: Registry[RunnerEntry] = Registry("runner")
RUNNERS.add("direct", RunnerEntry("on this machine (default)", DirectRunner.with_workers))
RUNNERS.add("flink", RunnerEntry("on Apache Flink, embedded or a cluster", _flink))
RUNNERS.add("prism", RunnerEntry("on Beam's Prism, given as a binary", _prism))
RUNNERS.add("dataflow", RunnerEntry("as jobs of Google Cloud Dataflow", DataflowRunner.with_workers))

__all__ = ["RUNNERS", "DataflowRunner", "DirectRunner", "RunnerEntry"]

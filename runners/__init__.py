"""How a recipe's stages run: one module for each runner."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass

from conceptloom.registry import Registry
from pipelines.build import Runner
from runners.direct import DirectRunner


@dataclass(frozen=True)
class RunnerEntry:
    """A runner that can be named: `open` takes the number of workers and Beam's pipeline options."""

    summary: str
    open: Callable[[int, tuple[str, ...]], AbstractContextManager[Runner]]


def _flink(workers: int, options: tuple[str, ...]) -> AbstractContextManager[Runner]:
    from runners.flink import open_flink  # and with it all of Beam's portability

    return open_flink(workers, options)


def _prism(workers: int, options: tuple[str, ...]) -> AbstractContextManager[Runner]:
    from runners.prism import open_prism

    return open_prism(workers, options)


RUNNERS: Registry[RunnerEntry] = Registry("runner")
RUNNERS.add("direct", RunnerEntry("on this machine (default)", DirectRunner.with_workers))
RUNNERS.add("flink", RunnerEntry("on Apache Flink, embedded or a cluster", _flink))
RUNNERS.add("prism", RunnerEntry("on Beam's Prism, a binary that is given", _prism))

__all__ = ["RUNNERS", "DirectRunner", "RunnerEntry"]

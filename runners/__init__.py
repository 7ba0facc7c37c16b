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


RUNNERS: Registry[RunnerEntry] = Registry("runner")
RUNNERS.add("direct", RunnerEntry("on this machine (default)", DirectRunner.with_workers))

__all__ = ["RUNNERS", "DirectRunner", "RunnerEntry"]

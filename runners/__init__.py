"""How a recipe's stages run: one module for each runner."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass

from conceptloom.registry import Registry
from pipelines.build import Runner
from runners.dataflow import DataflowRunner
from runners.direct import DirectRunner


@dataclass(frozen=True)
class RunnerEntry:
    """A runner that can be named: `open` takes Beam's pipeline options, and how many workers (None: as it thinks best).

    Opening starts nothing that a dry run would have to wait for.
    """

    summary: str
    open: Callable[[int | None, tuple[str, ...]], AbstractContextManager[Runner]]


RUNNERS: Registry[RunnerEntry] = Registry("runner")
RUNNERS.add("direct", RunnerEntry("on this machine (default)", DirectRunner.with_workers))
RUNNERS.add("dataflow", RunnerEntry("as jobs of Google Cloud Dataflow", DataflowRunner.with_workers))

__all__ = ["RUNNERS", "DataflowRunner", "DirectRunner", "RunnerEntry"]

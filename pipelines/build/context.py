"""What a stage knows about its build, and what its tasks reported."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Generic

import pyarrow as pa

from conceptloom import storage
from conceptloom.json_values import JsonObject
from conceptloom.ledger import Ledger
from conceptloom.manifest import Manifest
from conceptloom.pipelines.build.inputs import InputPlan
from conceptloom.pipelines.build.settings import S
from conceptloom.tasks.shards import read_shard


@dataclass
class Context(Generic[S]):
    """What a stage knows about its build: settings, planned inputs, location, and the output of earlier stages."""

    settings: S
    plan: InputPlan
    output: str
    stages: tuple[str, ...]
    manifests: dict[str, Manifest] = field(default_factory=dict)

    @property
    def first(self) -> str:
        """The name of the stage that reads the inputs."""
        return self.stages[0]

    def directory(self, stage: str) -> str:
        """Returns the directory of one stage, `stages/<n>-<name>`."""
        return storage.join(self.output, "stages", f"{self.stages.index(stage) + 1}-{stage}")

    @property
    def buckets(self) -> int:
        """The number of id buckets: as written by the first stage, or as planned if it has not run yet."""
        first = self.manifests.get(self.first)
        if first is None:
            return self.plan.buckets
        return sum(file["path"].startswith("sentences-") for file in first.files)

    def ledger(self, stage: str) -> Ledger:
        """Returns the ledger of a finished stage."""
        return Ledger.from_json(self.manifests[stage].ledger)

    def handed_on(self, stage: str) -> dict[str, int]:
        """Returns the number of items, by source, that the stage after a finished one reads.

        These are the sentences kept or, if the stage turned them into something else, the items made (`made`).
        """
        made = self.manifests[stage].summary.get("numbers", {}).get("made")
        if made is not None:
            return dict(made)
        return {source: counts.kept for source, counts in self.ledger(stage).sources.items() if counts.kept}

    def kept(self, stage: str) -> int:
        """Returns the number of sentences that a finished stage kept."""
        return self.ledger(stage).total().kept

    def shards(self, stage: str, kind: str, columns: list[str]) -> Iterator[pa.Table]:
        """Yields the given columns of each shard of one kind, from a finished stage."""
        for file in self.manifests[stage].files:
            if file["path"].startswith((f"{kind}-", f"{kind}.")):
                yield read_shard(storage.join(self.directory(stage), file["path"]), columns)


@dataclass
class Receipts:
    """Everything that the tasks of one stage reported, combined."""

    ledger: Ledger
    files: list[JsonObject]
    numbers: dict[str, dict[str, int]]
    """Other counts, summed by name and source: `records`, `malformed`, and `made` (see Context.handed_on)."""

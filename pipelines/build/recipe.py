"""What a recipe is: an ordered list of stages, each one Beam job that commits one directory."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import apache_beam as beam
import pyarrow as pa

from conceptloom import storage
from conceptloom.ledger import Ledger
from conceptloom.manifest import Manifest
from conceptloom.pipelines.build.inputs import InputPlan
from conceptloom.pipelines.build.settings import RecipeSettings
from conceptloom.pipelines.estimation.model import CostModel
from conceptloom.tables import read_table


@dataclass
class Context:
    """What a stage may know: the settings, the planned inputs, where the build is, and what earlier stages left."""

    settings: Any
    plan: InputPlan
    output: str
    stages: tuple[str, ...]
    manifests: dict[str, Manifest] = field(default_factory=dict)

    def directory(self, stage: str) -> str:
        """The directory of one stage, `stages/<n>-<name>`."""
        return storage.join(self.output, "stages", f"{self.stages.index(stage) + 1}-{stage}")

    @property
    def buckets(self) -> int:
        """How many buckets of ids there are: as the first stage left them, or will."""
        first = self.manifests.get(self.stages[0])
        if first is None:
            return self.plan.buckets
        return sum(file["path"].startswith("sentences-") for file in first.files)

    def ledger(self, stage: str) -> Ledger:
        """The ledger of a finished stage."""
        return Ledger.from_json(self.manifests[stage].ledger)

    def handed_on(self, stage: str) -> dict[str, int]:
        """What the stage behind a finished one reads, by source.

        It is what was kept, or (`made`) what was made of it, where that is something else than sentences.
        """
        made = self.manifests[stage].summary.get("numbers", {}).get("made")
        if made is not None:
            return dict(made)
        return {source: counts.kept for source, counts in self.ledger(stage).sources.items() if counts.kept}

    def kept(self, stage: str) -> int:
        """How many sentences a finished stage kept."""
        return sum(counts.kept for counts in self.ledger(stage).sources.values())

    def shards(self, stage: str, kind: str, columns: list[str]) -> Iterator[pa.Table]:
        """Some columns of all shards of one kind that a finished stage left."""
        for file in self.manifests[stage].files:
            if file["path"].startswith((f"{kind}-", f"{kind}.")):
                yield read_table(storage.join(self.directory(stage), file["path"]), columns)


@dataclass
class Receipts:
    """Everything that the tasks of one stage reported, put together."""

    ledger: Ledger
    files: list[dict[str, Any]]
    numbers: dict[str, dict[str, int]]
    """Other counts that are added up, by name and source: `records`, `malformed`; `made`, see Context.handed_on."""


def no_check(context: Context, receipts: Receipts) -> dict[str, Any]:
    """The check of a stage that has nothing to check beyond its ledger."""
    return {}


def no_notes(settings: Any, output: str) -> tuple[str, ...]:
    """The check of a recipe whose settings are all checked by their types."""
    return ()


@dataclass(frozen=True)
class Stage:
    """One stage of a recipe.

    `settings` answers all that the stage's result depends on besides its inputs; `construct` adds its transforms to a
    pipeline; `check` looks at what came out, raises BuildError, or answers what its manifest should keep.
    """

    name: str
    settings: Callable[[Any], dict[str, Any]]
    construct: Callable[[Context, beam.Pipeline], Any]
    check: Callable[[Context, Receipts], dict[str, Any]] = no_check
    into_output: bool = False
    """Whether the stage writes into the build's own directory (the last one) instead of one of its own."""
    code: tuple[str, ...] = ()
    """The modules whose code makes the result; what they import counts with them (conceptloom.code)."""

    @property
    def modules(self) -> tuple[str, ...]:
        """Those of `code`; where it names none, the module that `construct` is of."""
        return self.code or (self.construct.__module__,)


@dataclass(frozen=True)
class Recipe:
    """A named recipe: its settings, its stages in order, and what is written when all are done."""

    name: str
    summary: str
    settings: type[RecipeSettings]
    stages: tuple[Stage, ...]
    finish: Callable[[Context], None]
    products: tuple[str, ...]
    """The names in the build's directory that its last stage and `finish` make."""
    check: Callable[[Any, str], tuple[str, ...]] = no_notes
    """Looks at settings and output before anything runs; raises a ConceptloomError, or answers what the user should
    know."""
    costs: CostModel | None = None
    """What the costs of its stages grow with; without it, what a build will take is not estimated."""

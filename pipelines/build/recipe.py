"""The contract of a recipe: an ordered list of stages, and everything about its data that other recipes do not share.

A recipe is one object that its own folder makes. Nothing outside that folder asks for a recipe's name: the engine, the
command line, `diff`, `explain`, `promote` and `estimate` ask the recipe.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, NamedTuple

import apache_beam as beam
import pyarrow as pa

from conceptloom.gates import Build, Verdict, shared_rows
from conceptloom.json_values import JsonObject
from conceptloom.pipelines.build.card import Card
from conceptloom.pipelines.build.context import Context, Receipts
from conceptloom.pipelines.build.settings import S
from conceptloom.pipelines.estimation.model import CostModel
from conceptloom.registry import Registry

if TYPE_CHECKING:
    from conceptloom.pipelines.builds.finished import FinishedBuild

History = JsonObject
"""What became of one sentence, set or record in a build, as JSON values."""


def no_check(context: Context[S], receipts: Receipts) -> JsonObject:
    """The check of a stage that has nothing to check beyond its ledger."""
    return {}


@dataclass(frozen=True)
class Stage(Generic[S]):
    """One stage of a recipe: one Beam job that commits one directory.

    `settings` returns everything that the stage's result depends on besides its inputs; `construct` adds its transforms
    to a pipeline; `check` examines the result and returns what the manifest should keep, or raises BuildError.
    """

    name: str
    settings: Callable[[S], JsonObject]
    construct: Callable[[Context[S], beam.Pipeline], object]
    check: Callable[[Context[S], Receipts], JsonObject] = no_check
    into_output: bool = False
    """Whether the stage writes into the build's own directory (the last one) instead of one of its own."""
    code: tuple[str, ...] = ()
    """The modules whose code makes the result; what they import counts with them (conceptloom.code)."""

    @property
    def modules(self) -> tuple[str, ...]:
        """The modules of `code`; where it names none, the module that defines `construct`."""
        return self.code or (self.construct.__module__,)


@dataclass(frozen=True)
class DataRows:
    """What the rows of the data set are, and how they are shown."""

    schema: pa.Schema
    """Of the files in data/. The column `id` holds 20 hexadecimal digits; builds are compared by the other columns."""
    headline: str
    """The column that tells a reader best what a row is."""
    counted: Callable[[JsonObject], str]
    """The statistics of a split in a line."""
    line: Callable[[JsonObject], str]
    """A row in a line."""

    @property
    def compared(self) -> tuple[str, ...]:
        """The columns that may differ between two rows of one id."""
        return tuple(name for name in self.schema.names if name != "id")


@dataclass(frozen=True)
class CommandOption:
    """A setting with an option of its own on the command line, `--KEY VALUE`: a file that the recipe reads."""

    key: str
    help: str


class Explainer(NamedTuple):
    """How a build's sentences, sets or records are explained."""

    histories: Callable[["FinishedBuild", str], list[History]]
    """Of a build and whatever a user names in it: an id, a text, a locator. Empty where there is nothing."""
    text: Callable[[History], str]


class Variants(NamedTuple):
    """The variants (ablations) that can be made of a finished data set."""

    kinds: tuple[str, ...]
    write: Callable[["FinishedBuild", "VariantRequest"], dict[str, tuple[int, int]]]
    """Writes one; returns how many rows each split has, and how many were left out. Raises ConfigError, InputError."""


class VariantRequest(NamedTuple):
    """What variant is wanted, and where: a local or remote directory that is still empty."""

    kind: str
    output: str
    seed: int
    source: str | None


def no_notes(settings: S, output: str) -> tuple[str, ...]:
    """The check of a recipe whose settings are fully checked by their types."""
    return ()


def no_facts(context: Context[S]) -> JsonObject:
    """The report of a recipe that has nothing of its own to report."""
    return {}


def rows_apart(settings: S, build: Build) -> list[Verdict]:
    """The promise of a recipe whose splits share no row: the gate `leak` checks their ids."""
    return shared_rows(build)


@dataclass(frozen=True)
class Recipe(Generic[S]):
    """A named recipe: settings, stages in order, and what its data set is."""

    name: str
    summary: str
    settings: type[S]
    stages: tuple[Stage[S], ...]
    products: tuple[str, ...]
    """The names in the build's directory that the last stage and the engine make."""
    rows: DataRows
    card: Card
    report: Callable[[Context[S]], JsonObject] = no_facts
    """The recipe's own part of report.json."""
    made_by: tuple[str, ...] = ()
    """Keys of this part that say by what the data was made: two builds are compared by them too."""
    check: Callable[[S, str], tuple[str, ...]] = no_notes
    """Examines settings and output before anything runs; returns notes for the user, or raises a ConceptloomError."""
    leaks: Callable[[S, Build], list[Verdict]] = rows_apart
    """What the gate `leak` finds in a finished build: whether the splits keep what they promise each other."""
    options: tuple[CommandOption, ...] = ()
    demo: Callable[[], JsonObject] | None = None
    """Settings that build the sample corpora in the package."""
    explain: Explainer | None = None
    """Without it a build is explained from its ledgers and its data alone."""
    table: str = ""
    """The statistics table that describes its data (conceptloom.statistics.TABLES), if there is one."""
    variants: Variants | None = None
    costs: CostModel | None = None
    """What the costs of its stages grow with; without it, the cost of a build is not estimated."""

    @property
    def elsewhere(self) -> tuple[str, ...]:
        """Settings that say where files stood and where steps ran, not what the data set is: its card omits them."""
        return ("inputs", "frozen", "resources", *(option.key for option in self.options))


RECIPES: Registry[Recipe[Any]] = Registry("recipe", "conceptloom.recipes", Recipe)
"""Importing conceptloom.pipelines registers those of this package."""

"""The contract of a recipe: an ordered list of stages, and everything that is specific to its data.

A recipe is one object, defined in its own folder. No code outside that folder depends on a recipe's name: the engine,
the command line, `diff`, `explain`, `promote` and `estimate` use the recipe object.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeAlias

import apache_beam as beam
import pyarrow as pa

from conceptloom.gates import Build, Verdict, shared_rows
from conceptloom.json_values import JsonObject
from conceptloom.pipelines.build.card import Card
from conceptloom.pipelines.build.context import Context, Receipts
from conceptloom.pipelines.build.settings import S
from conceptloom.pipelines.estimation.model import AnyCosts
from conceptloom.registry import Registry

if TYPE_CHECKING:
    from conceptloom.pipelines.builds.finished import FinishedBuild

History = JsonObject
"""The history of one sentence, concept set or record in a build, as JSON values."""


def no_check(context: Context[S], receipts: Receipts) -> JsonObject:
    """Checks nothing: for a stage that needs no check beyond its ledger."""
    return {}


@dataclass(frozen=True)
class Stage(Generic[S]):
    """One stage of a recipe: one Beam job that commits one directory.

    `settings` returns everything that the stage's result depends on besides its inputs; `construct` adds its transforms
    to a pipeline; `check` examines the result and returns a summary for the manifest, or raises BuildError.
    """

    name: str
    settings: Callable[[S], JsonObject]
    construct: Callable[[Context[S], beam.Pipeline], object]
    check: Callable[[Context[S], Receipts], JsonObject] = no_check
    into_output: bool = False
    """Whether the stage writes into the directory of the build (as the last stage does) instead of its own."""
    code: tuple[str, ...] = ()
    """The modules whose code, with everything that they import, determines the result (see conceptloom.code)."""

    @property
    def modules(self) -> tuple[str, ...]:
        """The modules in `code`, or the module that defines `construct` if `code` is empty."""
        return self.code or (self.construct.__module__,)


@dataclass(frozen=True)
class DataRows:
    """The rows of the data set and how they are displayed."""

    schema: pa.Schema
    """The schema of the files in data/. Column `id` has 20 hexadecimal digits; `diff` compares the other columns."""
    headline: str
    """The column that best identifies a row to a reader."""
    counted: Callable[[JsonObject], str]
    """Formats the statistics of a split as one line."""
    line: Callable[[JsonObject], str]
    """Formats a row as one line."""

    @property
    def compared(self) -> tuple[str, ...]:
        """The columns that may differ between two rows with the same id."""
        return tuple(name for name in self.schema.names if name != "id")


@dataclass(frozen=True)
class CommandOption:
    """A setting with its own command-line option `--KEY VALUE`: a file that the recipe reads."""

    key: str
    help: str


class Explainer(NamedTuple):
    """How `explain` describes the sentences, sets or records of a build."""

    histories: Callable[["FinishedBuild", str], list[History]]
    """Finds the histories for an id, a text or a locator in a build; returns an empty list if nothing matches."""
    text: Callable[[History], str]
    """Formats a history as text."""


class Variants(NamedTuple):
    """The variants (ablations) that can be derived from a finished data set."""

    kinds: tuple[str, ...]
    write: Callable[["FinishedBuild", "VariantRequest"], dict[str, tuple[int, int]]]
    """Writes a variant; returns the rows kept and left out for each split. Raises ConfigError or InputError."""


class VariantRequest(NamedTuple):
    """The requested variant; `output` is an empty local or remote directory."""

    kind: str
    output: str
    seed: int
    source: str | None


def no_notes(settings: S, output: str) -> tuple[str, ...]:
    """Checks nothing: for a recipe whose settings are fully validated by their types."""
    return ()


def no_facts(context: Context[S]) -> JsonObject:
    """Returns an empty report: for a recipe that adds nothing to report.json."""
    return {}


def rows_apart(settings: S, build: Build) -> list[Verdict]:
    """Returns the verdicts of gate `leak` for a recipe that only promises that its splits share no row."""
    return shared_rows(build)


@dataclass(frozen=True)
class Recipe(Generic[S]):
    """A named recipe: its settings, its stages in order, and a description of its data set."""

    name: str
    summary: str
    settings: type[S]
    stages: tuple[Stage[S], ...]
    products: tuple[str, ...]
    """The files and folders in the build's directory that the last stage and the engine write."""
    rows: DataRows
    card: Card
    report: Callable[[Context[S]], JsonObject] = no_facts
    """Returns the recipe's own part of report.json."""
    made_by: tuple[str, ...] = ()
    """Keys of this part that say how the data was made; `diff` compares them too."""
    check: Callable[[S, str], tuple[str, ...]] = no_notes
    """Checks settings and output before anything runs; returns notes for the user, or raises a ConceptloomError."""
    leaks: Callable[[S, Build], list[Verdict]] = rows_apart
    """Returns the verdicts of gate `leak` on a finished build: whether its splits share only what they may."""
    options: tuple[CommandOption, ...] = ()
    demo: Callable[[], JsonObject] | None = None
    """Returns settings that build the sample corpora in the package."""
    explain: Explainer | None = None
    """If None, `explain` uses only the ledgers and the data."""
    table: str = ""
    """The name of the statistics table that describes its data (conceptloom.statistics.TABLES), if any."""
    variants: Variants | None = None
    costs: AnyCosts[S] | None = None
    """The cost model of its stages; if None, the cost of a build cannot be estimated."""

    @property
    def elsewhere(self) -> tuple[str, ...]:
        """The settings that say where files are and where steps run; the card omits them."""
        return ("inputs", "frozen", "resources", *(option.key for option in self.options))


AnyRecipe: TypeAlias = Recipe[Any]
"""A recipe whose settings are not known statically."""

RECIPES: Registry[AnyRecipe] = Registry("recipe", "conceptloom.recipes", Recipe)
"""The registered recipes; importing conceptloom.pipelines registers those of this package."""

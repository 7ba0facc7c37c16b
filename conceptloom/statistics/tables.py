"""The statistics tables of the papers, by name: what `conceptloom stats` prints."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from conceptloom.errors import ConfigError
from conceptloom.examples import Example
from conceptloom.json_values import JsonObject
from conceptloom.registry import Registry
from conceptloom.statistics.files import load_examples, load_stored
from conceptloom.statistics.summary import dataset_statistics
from conceptloom.statistics.text_table import text_table
from conceptloom.statistics.tuples import tuple_columns, tuple_table

Held = Mapping[str, Sequence[Example]]
"""The examples of `validation` and `test`, where they are given."""


class Shown(NamedTuple):
    """A table as JSON values and as text."""

    values: JsonObject
    text: str


@dataclass(frozen=True)
class StatisticsTable:
    """A table that can be named: `make` takes train, what is held out, and whether extra references are tagged."""

    summary: str
    make: Callable[[Sequence[Example], Held, bool], Shown]
    wants_test: bool = False
    """Whether it is about a test set."""
    load: Callable[[str], list[Example]] = load_examples
    """Returns the examples that `make` takes, of `PATTERN` or `SOURCE=PATTERN`."""


def _korean(train: Sequence[Example], held: Held, additional: bool) -> Shown:
    from conceptloom.languages.korean.extract import concepts_of  # opens a tagger

    if "test" not in held:
        raise ConfigError("the table korean-commongen is one of a test set too: give --test FILE")
    extract = concepts_of if additional else None
    statistics = dataset_statistics(train, held.get("validation"), held["test"], extract)
    return Shown(statistics.to_json(), text_table(statistics))


def _english(train: Sequence[Example], held: Held, additional: bool) -> Shown:
    columns = tuple_columns(train, held)
    return Shown({name: column.to_json() for name, column in columns.items()}, tuple_table(columns))


TABLES: Registry[StatisticsTable] = Registry("table")
TABLES.add("korean-commongen", StatisticsTable("table 1 of Korean CommonGen (Seo et al., 2022)", _korean, True))
TABLES.add(
    "commongen",
    StatisticsTable("table 1 of CommonGen (Lin et al., 2020); does without a test set", _english, load=load_stored),
)

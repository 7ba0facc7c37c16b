"""The statistics table of a finished build: the one that describes the data of its recipe."""

from conceptloom.errors import ConfigError, InputError
from conceptloom.examples import Example
from conceptloom.pipelines.builds.finished import FinishedBuild, open_finished
from conceptloom.statistics.files import COLUMNS, examples_of
from conceptloom.statistics.tables import TABLES, Shown


def build_statistics(directory: str, table: str | None = None, additional: bool = True) -> Shown:
    """Returns the table of the build in a directory: `table`, or that of its recipe.

    Raises InputError where there is no finished build, or no test set that the table needs; ConfigError where the
    recipe has no table and none is named. Memory: the whole data set.
    """
    build = open_finished(directory)
    name = table or build.recipe.table
    if not name:
        raise ConfigError(
            f"recipe {build.recipe.name} has no table of its own: give --table, one of {', '.join(TABLES)}"
        )
    held = {split: rows for split in ("validation", "test") if (rows := _examples(build, split))}
    if TABLES[name].wants_test and "test" not in held:
        raise InputError(f"{build.directory} has no test set, which the table {name} is about")
    return TABLES[name].make(_examples(build, "train"), held, additional)


def _examples(build: FinishedBuild, split: str) -> list[Example]:
    return [example for table in build.tables(split, COLUMNS) for example in examples_of(table)]

"""What became of whatever a user names in a build: what recipes share of that, and a history for any recipe."""

import re
from collections.abc import Iterable, Iterator

from conceptloom.hashing import ID_LENGTH, text_id
from conceptloom.json_values import JsonObject
from conceptloom.pipelines.build.recipe import Explainer, History
from conceptloom.pipelines.builds.finished import SPLITS, FinishedBuild, open_build, with_value

ID = re.compile(rf"[0-9a-f]{{{ID_LENGTH}}}")
DUPLICATE = "duplicate"


def opened(directory: str) -> tuple[FinishedBuild, Explainer]:
    """A build, or the one that a name of the current build points at, and what explains its recipe.

    Raises InputError for a directory that holds no build.
    """
    build = open_build(directory)
    return build, build.recipe.explain or PLAIN


def head(row: JsonObject) -> History:
    """What a row of the first stage, or a rejected one, says of where it stands."""
    return {name: row[name] for name in ("id", "text", "source", "locator")}


def why(row: JsonObject) -> JsonObject:
    """Why a row was rejected."""
    return {name: row[name] for name in ("stage", "reason", "detail")}


def split_line(history: History) -> str:
    """Which split something is in, and whether that is so because it was in an earlier build."""
    frozen = ", as in the build whose validation and test are frozen" if history.get("frozen") else ""
    return f"split     {history['split']}{frozen}"


def place_lines(history: History) -> Iterator[str]:
    """Text, id, source and copies."""
    yield history["text"]
    yield f"id        {history['id']}"
    if history["source"]:
        yield f"source    {history['source']}, {history['locator']}"
    yield from (f"copy      {locator}" for locator in history.get("copies_at", ()))


def rejected_lines(rows: Iterable[JsonObject]) -> Iterator[str]:
    """A line for each stage that left something out."""
    for row in rows:
        detail = f" ({row['detail']})" if row["detail"] else ""
        yield f"rejected  in stage {row['stage']}: {row['reason']}{detail}"


def histories(build: FinishedBuild, what: str) -> list[History]:
    """The histories of what an id, a text, or a locator names, from ledgers and data alone; empty for none."""
    found = _history(build, what if ID.fullmatch(what) else text_id(what))
    return [found] if found else list(_at_place(build, what))


def _at_place(build: FinishedBuild, locator: str) -> Iterator[History]:
    for kind in ("sentences", "rejected"):
        for table in build.first.tables(kind):
            for row in with_value(table, "locator", locator):
                yield (_history(build, row["id"]) if row["id"] else None) or {**head(row), "rejected": [why(row)]}


def _history(build: FinishedBuild, unit: str) -> History | None:
    bucket = build.bucket(unit)
    kept = build.rows_with(next(iter(build.recipe.stages)).name, "sentences", bucket, "id", unit)
    rejected = build.rejected(bucket, unit)
    if not kept and not rejected:
        return None
    others = [row for row in rejected if row["reason"] != DUPLICATE]
    history = head((kept or others or rejected)[0])
    history["copies_at"] = [row["locator"] for row in rejected if row["reason"] == DUPLICATE]
    history["rejected"] = [why(row) for row in others]
    history["rows"] = list(_rows(build, history["locator"]))
    return history


def _rows(build: FinishedBuild, locator: str) -> Iterator[JsonObject]:
    """The rows of the data set that stand at a locator, with their splits."""
    for split in SPLITS if build.recipe.stages[-1].name in build.stages else ():
        for table in build.tables(split):
            yield from ({"split": split, "row": row} for row in with_value(table, "locator", locator))


def history_text(history: History) -> str:
    """A history as lines of text."""
    lines = [*place_lines(history), *rejected_lines(history["rejected"])]
    for found in history.get("rows", ()):
        lines += [f"{name:<9} {value}" for name, value in found["row"].items() if name not in history]
        lines.append(split_line(found))
    return "\n".join(lines)


PLAIN = Explainer(histories, history_text)
"""Explains the builds of any recipe."""

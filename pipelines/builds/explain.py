"""The history of a sentence or record in a build: the parts that recipes share, and an explainer for any recipe."""

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from conceptloom.arrays.types import Column
from conceptloom.data_set import SPLITS
from conceptloom.hashing import ID_LENGTH, text_id
from conceptloom.json_values import JsonObject
from conceptloom.languages.spelling import one_spelling
from conceptloom.pipelines.build.recipe import Explainer, History
from conceptloom.pipelines.builds.finished import FinishedBuild, open_build, with_value

ID = re.compile(rf"[0-9a-f]{{{ID_LENGTH}}}")
DUPLICATE = "duplicate"
MOST = 10
"""The most sentences that a part of a text is explained for."""
_RECORD = re.compile(r".+#\d+")


class Found(NamedTuple):
    """What was found in a build, and whether there is more of it."""

    histories: list[History]
    more: bool = False


def opened(directory: str) -> tuple[FinishedBuild, Explainer]:
    """Returns the build in a directory (or a link such as `current`) and its explainer.

    Raises InputError if the directory does not contain a build.
    """
    build = open_build(directory)
    return build, build.recipe.explain or PLAIN


def explained(build: FinishedBuild, explainer: Explainer, what: str) -> Found:
    """Returns the histories of what the explainer finds, else of all texts of a record, else of those that hold a part.

    A record is `FILE#RECORD`, a locator without field and sentence. A part is compared in one spelling, without regard
    to case, with what the first stage kept or rejected; MOST of these texts are explained, in the order of the shards.
    """
    exact = explainer.histories(build, what)
    if exact:
        return Found(exact)
    if _RECORD.fullmatch(what):
        return Found(list(_of_rows(build, explainer, lambda table: _in_record(table["locator"], what))))
    part = one_spelling(what)
    holding = lambda table: pc.match_substring(table["text"], part, ignore_case=True)  # noqa: E731
    found = list(islice(_of_rows(build, explainer, holding), MOST + 1)) if part else []
    return Found(found[:MOST], len(found) > MOST)


def _in_record(locators: Column, record: str) -> Column:
    """Whether each locator is one of the record: itself, with a field, or with the number of a sentence."""
    starts = [pc.starts_with(locators, f"{record}{mark}") for mark in ("/", ".")]
    return pc.or_(pc.equal(locators, record), pc.or_(*starts))


def _of_rows(build: FinishedBuild, explainer: Explainer, chosen: Callable[[pa.Table], Column]) -> Iterator[History]:
    """Yields the histories of the first stage's rows that are chosen, each sentence once."""
    seen = set[str]()
    for kind in ("sentences", "rejected"):
        for table in build.first.tables(kind, ["id", "text", "locator"]):
            for row in table.filter(chosen(table)).to_pylist():
                # A malformed record has no id.
                name = row["id"] or row["locator"]
                if name not in seen:
                    seen.add(name)
                    yield from explainer.histories(build, name)


def head(row: JsonObject) -> History:
    """Returns the identity and origin of a row of the first stage or of a rejected row."""
    return {name: row[name] for name in ("id", "text", "source", "locator")}


def why(row: JsonObject) -> JsonObject:
    """Returns why a row was rejected."""
    return {name: row[name] for name in ("stage", "reason", "detail")}


def split_line(history: History) -> str:
    """Returns a line with the split, and whether it was kept from an earlier build."""
    frozen = ", as in the build whose validation and test are frozen" if history.get("frozen") else ""
    return f"split     {history['split']}{frozen}"


def place_lines(history: History) -> Iterator[str]:
    """Yields lines with text, id, source and copies."""
    yield history["text"]
    yield f"id        {history['id']}"
    if history["source"]:
        yield f"source    {history['source']}, {history['locator']}"
    yield from (f"copy      {locator}" for locator in history.get("copies_at", ()))


def rejected_lines(rows: Iterable[JsonObject]) -> Iterator[str]:
    """Yields a line for each rejection."""
    for row in rows:
        detail = f" ({row['detail']})" if row["detail"] else ""
        yield f"rejected  in stage {row['stage']}: {row['reason']}{detail}"


def histories(build: FinishedBuild, what: str) -> list[History]:
    """Returns the histories for an id, a text or a locator, from ledgers and data alone; empty if nothing matches."""
    found = _history(build, what if ID.fullmatch(what) else text_id(what))
    return [found] if found else list(_at_place(build, what))


def _at_place(build: FinishedBuild, locator: str) -> Iterator[History]:
    for kind in ("sentences", "rejected"):
        for table in build.first.tables(kind):
            for row in with_value(table, "locator", locator):
                yield (_history(build, row["id"]) if row["id"] else None) or {**head(row), "rejected": [why(row)]}


def _history(build: FinishedBuild, unit: str) -> History | None:
    bucket = build.bucket(unit)
    kept = build.rows_with(build.recipe.stages[0].name, "sentences", bucket, "id", unit)
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
    """Yields the rows of the data set with a locator, and their splits."""
    for split in SPLITS if build.recipe.stages[-1].name in build.stages else ():
        for table in build.tables(split):
            yield from ({"split": split, "row": row} for row in with_value(table, "locator", locator))


def history_text(history: History) -> str:
    """Formats a history as lines of text."""
    lines = [*place_lines(history), *rejected_lines(history["rejected"])]
    for found in history.get("rows", ()):
        lines += [f"{name:<9} {value}" for name, value in found["row"].items() if name not in history]
        lines.append(split_line(found))
    return "\n".join(lines)


PLAIN = Explainer(histories, history_text)
"""Explains the builds of any recipe."""

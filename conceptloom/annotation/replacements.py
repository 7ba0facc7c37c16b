"""Replaces sets of a build whose references people rejected: reads the build and imports, writes tasks and a record."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from conceptloom import storage
from conceptloom.annotation.replacing import (
    DEV,
    TEST,
    TRAIN,
    Splits,
    Tally,
    failed_sets,
    leaving_train,
    moved,
    next_best,
    unseen_by_train,
)
from conceptloom.annotation.replacing_inputs import (
    LEAVING,
    REPLACED,
    overlap_policy,
    reviewed_sets,
    splits_of,
    tallies_of,
)
from conceptloom.annotation.tasks import SEPARATOR, make_tasks, write_tasks
from conceptloom.data_set import open_data_set
from conceptloom.errors import ConfigError, OutputError
from conceptloom.examples import Example
from conceptloom.json_values import JsonObject, to_json_lines

KEEP, YIELD = "keep", "yield"
MODES = (KEEP, YIELD)


@dataclass(frozen=True)
class Replacing:
    """What is replaced, and how: see the options of `conceptloom annotation replace`."""

    results: tuple[str, ...]
    """Directories that `annotation import` wrote."""
    reviewed: str | None = None
    """A file with a set a line, by id or as a#b#c, that reviewers reject whatever was accepted for it."""
    earlier: tuple[str, ...] = ()
    """Directories of earlier replacements of this build, in their order."""
    least: int = 1
    rejections: int = 1
    train: str = KEEP
    references: int = 1
    """The rows of each new task in the table."""
    seed: int = 42


def replace_sets(directory: str, chosen: Replacing, output: str) -> JsonObject:
    """Writes the new tasks, what replaced what, and what train must give up into a new directory; returns the report.

    Raises InputError for a directory that is no such build, import or replacement; ConfigError for an unknown mode, or
    if nothing says which sets failed; OutputError unless `output` is new or empty. Memory: the build's sets, without
    their sentences.
    """
    _require(chosen, output)
    build = open_data_set(directory)
    policy, splits = overlap_policy(build), splits_of(build, chosen.earlier)
    failed = _failed(splits, chosen)
    keep = unseen_by_train(splits, policy) if chosen.train == KEEP else np.ones(len(splits.candidates), dtype=np.bool_)
    moves, without = next_best(splits, list(failed), keep)
    leaving = leaving_train(splits, moved(splits, moves), policy)
    record = list(_record(splits, failed, {move.instead: move.row for move in moves}))
    report = {
        "build": build.manifest.fingerprint,
        "policy": policy.name,
        "settings": asdict(chosen),
        "sets": {TEST: len(splits.test), DEV: len(splits.dev), TRAIN: len(splits.train)},
        "failed": {name: sum(row["split"] == name for row in record) for name in (TEST, DEV)},
        "replaced": len(moves),
        "without_candidate": without,
        "leaving_train": dict(sorted(Counter(leaving["reason"].to_pylist()).items())),
    }
    _write(output, record, leaving, report, chosen)
    return report


def _require(chosen: Replacing, output: str) -> None:
    if chosen.train not in MODES:
        raise ConfigError(f"no way to treat train is called {chosen.train!r}; there are: {', '.join(MODES)}")
    if not chosen.results and not chosen.reviewed:
        raise ConfigError("nothing says which sets failed; give --result, --reviewed, or both")
    if storage.list_files(output):
        raise OutputError(f"{output} exists already; choose another directory")


class _Failure(NamedTuple):
    """Why a set is replaced."""

    tally: Tally
    by_reviewers: bool


def _failed(splits: Splits, chosen: Replacing) -> dict[str, _Failure]:
    """The sets to be replaced, by id."""
    tallies = tallies_of(chosen.results, splits)
    by_reviewers = reviewed_sets(chosen.reviewed, splits) if chosen.reviewed else set[str]()
    few = failed_sets(tallies, chosen.least, chosen.rejections)
    unanswered = Tally(0, {})
    return {one: _Failure(tallies.get(one, unanswered), one in by_reviewers) for one in sorted({*few, *by_reviewers})}


def _record(splits: Splits, failed: Mapping[str, _Failure], rows: Mapping[str, int]) -> Iterator[JsonObject]:
    """A line for each failed set, in the order of `failed`: why it failed, and the candidate that replaces it."""
    in_train = set(splits.train["id"].to_pylist())
    held = {row["id"]: (split, row) for split, sets in splits.held().items() for row in sets.to_pylist()}
    for one, (tally, by_reviewers) in failed.items():
        split, row = held[one]
        new = splits.candidates.slice(rows[one], 1).to_pylist()[0] if one in rows else None
        yield {
            "split": split,
            **_named(row),
            "accepted": tally.taken,
            "rejected": dict(sorted(tally.rejected.items())),
            "by_reviewers": by_reviewers,
            "replacement": new and {**_named(new), "rank": new["rank"], "was_in_train": new["id"] in in_train},
        }


def _write(output: str, record: Sequence[JsonObject], leaving: pa.Table, report: JsonObject, chosen: Replacing) -> None:
    """Writes the tasks of each split first: what is in the record has its tasks."""
    for split in (TEST, DEV):
        new = [row["replacement"]["concept_set"] for row in record if row["split"] == split and row["replacement"]]
        if new:
            tasks = make_tasks((Example(tuple(name.split(SEPARATOR)), ()) for name in new), chosen.seed)
            write_tasks(output, tasks, [chosen.references] * len(tasks), name=split)
    train = [{**_named(row), "reason": row["reason"]} for row in leaving.sort_by("id").to_pylist()]
    contents = {REPLACED: to_json_lines(record), LEAVING: to_json_lines(train)}
    contents["report.json"] = json.dumps(report, ensure_ascii=False, indent=1) + "\n"
    for name, text in contents.items():
        storage.write_bytes(storage.join(output, name), text.encode())


def _named(row: JsonObject) -> JsonObject:
    return {"id": row["id"], "concept_set": SEPARATOR.join(sorted(row["concepts"]))}

"""What a replacement of sets starts from: a build, earlier replacements, imports of answers, reviewers' lists."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

import pyarrow as pa

from conceptloom import storage
from conceptloom.annotation.replacing import (
    CANDIDATES,
    DEV,
    OF_THE_SET,
    SETS,
    TEST,
    TRAIN,
    Splits,
    Tally,
    without_sets,
)
from conceptloom.annotation.tasks import SEPARATOR
from conceptloom.arrays.ids import ids_of_sets
from conceptloom.data_set import DataSet
from conceptloom.errors import InputError
from conceptloom.json_values import JsonObject
from conceptloom.readers.base import Text
from conceptloom.readers.jsonl import parse_line
from conceptloom.readers.lines import sound_lines
from conceptloom.splits.train_sets import TRAIN_POLICIES, TrainPolicy, train_policy
from conceptloom.tables import read_table

REPLACED, LEAVING = "replaced.jsonl", "leaving_train.jsonl"
"""The record of a replacement: which set took the place of which, and what train gives up."""


def overlap_policy(build: DataSet) -> TrainPolicy:
    """Returns the overlap policy of a build of concept sets; raises InputError for another build."""
    settings = build.manifest.settings.get("overlap", {})
    if settings.get("policy") not in TRAIN_POLICIES:
        raise InputError(
            f"{build.directory} is a build of recipe {build.manifest.name}, which has no overlap.policy and ranks no "
            "candidate sets for dev and test; name a build that does"
        )
    return train_policy(settings["policy"], settings)


def splits_of(build: DataSet, earlier: Sequence[str] = ()) -> Splits:
    """Returns the sets of a build after earlier replacements; sets that were ever in dev or test are no candidates."""
    parts = {split: _joined(build.tables(split, SETS.names), SETS) for split in (TRAIN, DEV, TEST)}
    files = (storage.join(build.directory, file["path"]) for file in build.files("index"))
    index = _joined((read_table(path, CANDIDATES.names) for path in files), CANDIDATES)
    rows = {one: row for row, one in enumerate(index["id"].to_pylist())}
    used = {one for split in (DEV, TEST) for one in parts[split]["id"].to_pylist()}
    for directory in earlier:
        for place, line in _lines(storage.join(directory, REPLACED), "split", "replacement"):
            new = line["replacement"] and line["replacement"]["id"]
            if line["id"] not in used or (new and new not in rows):
                raise InputError(f"{place}: no such set is in {build.directory}; name the build that it was made for")
            if new:
                added = index.select(SETS.names).take([rows[new]])
                parts[line["split"]] = pa.concat_tables([without_sets(parts[line["split"]], {line["id"]}), added])
                used.add(new)
        gone = {line["id"] for _, line in _lines(storage.join(directory, LEAVING))}
        parts[TRAIN] = without_sets(parts[TRAIN], gone)
    return Splits(parts[TRAIN], parts[DEV], parts[TEST], without_sets(index, used))


def tallies_of(results: Sequence[str], splits: Splits) -> dict[str, Tally]:
    """Returns the answers for the sets of dev and test that directories of `annotation import` are about.

    A record that stands in several imports counts once. Raises InputError where none of the sets is one of these.
    """
    held = set(splits.held_ids())
    taken, rejected = defaultdict[str, set[str]](set), defaultdict[str, set[tuple[str, str]]](set)
    waiting = set[str]()
    for directory in results:
        for _, line in _lines(storage.join(directory, "answers.jsonl"), "place"):
            taken[line["id"]].add(line["place"])
        for _, line in _lines(storage.join(directory, "rejected.jsonl"), "place", "reason"):
            if line["reason"] in OF_THE_SET:
                rejected[line["id"]].add((line["place"], line["reason"]))
        if storage.exists(still := storage.join(directory, "open.jsonl")):
            waiting.update(line["id"] for _, line in _lines(still))
    asked = held & {*taken, *rejected, *waiting}
    if results and not asked:
        raise InputError(f"{', '.join(results)}: no answer is for a dev or test set of this build; name its imports")
    return {one: Tally(len(taken[one]), Counter(reason for _, reason in rejected[one])) for one in asked}


def reviewed_sets(path: str, splits: Splits) -> set[str]:
    """Returns the ids of the sets in a file, one a line; raises InputError for one that is not in dev or test."""
    held = set(splits.held_ids())
    found = set[str]()
    for number, line in enumerate(sound_lines(path), 1):
        if text := line.strip():
            one = text if text in held else ids_of_sets([text.split(SEPARATOR)])[0]
            if one not in held:
                raise InputError(f"{path}: line {number}: {text} is no dev or test set; give its id, or a#b#c")
            found.add(one)
    return found


def _lines(path: str, *needed: str) -> Iterator[tuple[str, JsonObject]]:
    """The objects of a file of JSON lines that a command of ours wrote, each with its place."""
    for number, line in enumerate(sound_lines(path), 1):
        value = parse_line(Text(number, 0, line))
        if not isinstance(value, dict) or set(needed) - value.keys() or not isinstance(value.get("id"), str):
            raise InputError(f"{path}: line {number} is not as it was written; name an unchanged directory")
        yield f"{path}: line {number}", value


def _joined(tables: Iterator[pa.Table], schema: pa.Schema) -> pa.Table:
    return pa.concat_tables([schema.empty_table(), *(table.select(schema.names).cast(schema) for table in tables)])

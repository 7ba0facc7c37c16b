"""The parts that the last stages of all recipes share: the check of train and the list of final files."""

import json
from collections.abc import Mapping, Sequence

from conceptloom import progress, storage
from conceptloom.errors import BuildError
from conceptloom.json_values import JsonObject
from conceptloom.pipelines.build.context import Context, Receipts
from conceptloom.pipelines.build.settings import S
from conceptloom.tasks.base import STATISTICS
from conceptloom.tasks.publish import Copy, DataFile, SourceOrder, plan_files


def check_train(
    context: Context[S], receipts: Receipts, missing: str, wanted: Mapping[str, str] | None = None
) -> JsonObject:
    """Returns the statistics of stage split; raises BuildError with the message `missing` if train is empty.

    `wanted` maps the other splits that should have rows to the settings of their sizes; an empty one is warned of.
    """
    statistics = json.loads(storage.read_bytes(storage.join(context.directory("split"), STATISTICS)))
    if not _rows(receipts, "train"):
        raise BuildError(missing)
    for split, key in (wanted or {}).items():
        if not _rows(receipts, split):
            progress.note(f"warning: {split} is empty: raise {key}, or give more text")
    return {"statistics": statistics}


def _rows(receipts: Receipts, split: str) -> int:
    shards = [file["splits"].get(split, {}) for file in receipts.files if "splits" in file]
    return sum(sum(by_source.values()) for by_source in shards)


def data_files(context: Context[S], order: SourceOrder | None = None) -> list[DataFile]:
    """Returns the files of data/, made of the shards of stage split; `order` sorts train by source."""
    directory = context.directory("split")
    shards = [
        (storage.join(directory, file["path"]), file["splits"])
        for file in context.manifests["split"].files
        if "splits" in file
    ]
    plans = {"train": order, "validation": None, "test": None}
    rows = context.settings.rows_per_file
    return [one for split, order in plans.items() for one in plan_files(split, shards, rows, order)]


def stage_copies(context: Context[S], kinds: Mapping[str, Sequence[str]]) -> list[Copy]:
    """Returns the stage files that are published unchanged; `kinds` maps each folder to its stages."""
    copies = []
    for kind, stages in kinds.items():
        for stage in stages:
            directory, prefix = context.directory(stage), f"{stage}-" if len(stages) > 1 else ""
            # A file without rows is omitted: readers of whole folders fail on an empty row group.
            named = [f for f in context.manifests[stage].files if f["path"].startswith(f"{kind}-") and f["rows"]]
            for file in named:
                target = storage.join(kind, prefix + file["path"].removeprefix(f"{kind}-"))
                copies.append(Copy.of(directory, file, target))
    return copies

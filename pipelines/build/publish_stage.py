"""What the last stages of all recipes have in common: whether there is a train, which final files there are."""

import json
from collections.abc import Mapping, Sequence

from conceptloom import storage
from conceptloom.errors import BuildError
from conceptloom.json_values import JsonObject
from conceptloom.pipelines.build.context import Context, Receipts
from conceptloom.pipelines.build.settings import S
from conceptloom.tasks.base import STATISTICS
from conceptloom.tasks.publish import Copy, DataFile, SourceOrder, plan_files


def check_train(context: Context[S], receipts: Receipts, missing: str) -> JsonObject:
    """The check of a stage split: its statistics; raises BuildError, with the text `missing`, for an empty train."""
    statistics = json.loads(storage.read_bytes(storage.join(context.directory("split"), STATISTICS)))
    shards = [file["splits"].get("train", {}) for file in receipts.files if "splits" in file]
    if not sum(sum(by_source.values()) for by_source in shards):
        raise BuildError(missing)
    return {"statistics": statistics}


def data_files(context: Context[S], order: SourceOrder | None = None) -> list[DataFile]:
    """The files of data/, from the shards of stage split; those of train by source where there is an `order`."""
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
    """The files of the stages that are published as they are: by folder, the stages that they come from."""
    copies = []
    for kind, stages in kinds.items():
        for stage in stages:
            directory, prefix = context.directory(stage), f"{stage}-" if len(stages) > 1 else ""
            # A file without rows is left out: readers of whole folders stumble over an empty row group.
            named = [f for f in context.manifests[stage].files if f["path"].startswith(f"{kind}-") and f["rows"]]
            for file in named:
                target = storage.join(kind, prefix + file["path"].removeprefix(f"{kind}-"))
                copies.append(Copy(storage.join(directory, file["path"]), target, file["rows"]))
    return copies

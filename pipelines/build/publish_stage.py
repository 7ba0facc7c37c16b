"""What the last stages of all recipes have in common: whether there is a train, which final files there are."""

import json
from collections.abc import Mapping, Sequence
from operator import attrgetter
from typing import Any

from conceptloom import storage
from conceptloom.errors import BuildError
from conceptloom.pipelines.build.recipe import Context
from conceptloom.tasks.base import STATISTICS
from conceptloom.tasks.publish import Copy, DataFile, plan_files


def check_train(context: Context, rows: str, setting: str, cure: str) -> dict[str, Any]:
    """The check of a stage split: its statistics; raises BuildError, with a cure, where train has no `rows`.

    `setting` is the one that names the policy, such as split.policy.
    """
    statistics = json.loads(storage.read_bytes(storage.join(context.directory("split"), STATISTICS)))
    if not statistics["train"]["sets"]:
        policy = attrgetter(setting)(context.settings)
        raise BuildError(f"policy {policy} leaves no {rows} for train: {cure}, or choose another {setting}")
    return {"statistics": statistics}


def data_files(context: Context, by_source: bool = False) -> list[DataFile]:
    """The files of data/, from the shards of stage split; with `by_source` those of train are ordered by source."""
    directory = context.directory("split")
    shards = [
        (storage.join(directory, file["path"]), file["splits"])
        for file in context.manifests["split"].files
        if "splits" in file
    ]
    plans = {"train": by_source, "validation": False, "test": False}
    rows = context.settings.publish.rows_per_file
    return [one for split, ordered in plans.items() for one in plan_files(split, shards, rows, ordered)]


def stage_copies(context: Context, kinds: Mapping[str, Sequence[str]]) -> list[Copy]:
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

"""UniLM's published outputs for CommonGen's dev set, as items: one line for each reference."""

import json
from pathlib import Path

import pytest

from conceptloom.metrics import Item

SHARED = Path(__file__).resolve().parents[2].parent / "shared" / "data"
FOLDER = SHARED / "en" / "commongen"


def unilm_dev() -> list[Item]:
    if not FOLDER.exists():
        pytest.skip(f"{FOLDER} is not here")
    predictions = (FOLDER / "unilm_dev_outputs.txt").read_text("utf-8").splitlines()
    sets = [json.loads(line) for line in (FOLDER / "commongen.dev.jsonl").read_text("utf-8").splitlines()]
    lines = [(one["concept_set"], scene) for one in sets for scene in one["scene"]]
    return [
        Item(key, tuple(concept.rpartition("_")[0] for concept in key.split("#")), (scene,), prediction)
        for (key, scene), prediction in zip(lines, predictions, strict=True)
    ]

"""The settings of `conceptloom demo --recipe commongen`: the sample corpora in the package."""

from conceptloom.json_values import JsonObject
from conceptloom.samples import sample


def demo_settings() -> JsonObject:
    """Returns settings for captions and scenes, with quotas that suit small corpora."""
    return {
        "inputs": {
            "captions": {"patterns": [sample("captions_en.txt")], "format": "lines"},
            "scenes": {"patterns": [sample("scenes_en.json")]},
        },
        "conceptnet": sample("concepts_en.txt"),
        "quotas": {"dev": {3: 0.01, 4: 0.01, 5: 0.01}, "test": {4: 0.02, 5: 0.02}},
    }

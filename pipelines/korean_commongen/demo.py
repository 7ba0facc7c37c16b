"""The settings of `conceptloom demo`: the sample corpora in the package."""

from conceptloom.json_values import JsonObject
from conceptloom.samples import sample


def demo_settings() -> JsonObject:
    """Returns settings for captions and dialogues, with the defaults."""
    return {
        "inputs": {
            "captions": {"patterns": [sample("captions_ko.json")]},
            "dialogues": {"patterns": [sample("dialogues_ko.json")]},
        }
    }

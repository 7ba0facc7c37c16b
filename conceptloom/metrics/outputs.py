"""The folder of an evaluation's files: a rerun replaces its own and never those of somebody else."""

import json
from collections.abc import Sequence

from conceptloom import storage
from conceptloom.errors import ConfigError
from conceptloom.json_values import JsonObject
from conceptloom.metrics.page.writing import PAGE
from conceptloom.metrics.results import LEADERBOARD, SCORES, SENTENCES

NAMES = (SCORES, LEADERBOARD, SENTENCES, PAGE)
"""The files that an evaluation writes."""


def own_files(directory: str) -> list[str]:
    """The names of the files that an earlier evaluation wrote into the folder; empty for a new folder.

    Its scores.json vouches for them. Raises ConfigError where a file that would be overwritten is not one of these.
    """
    scores = _scores(storage.read_existing(storage.join(directory, SCORES)))
    own = [] if scores is None else _named(scores)
    foreign = [name for name in NAMES if name not in own and storage.exists(storage.join(directory, name))]
    if foreign:
        path = storage.join(directory, foreign[0])
        raise ConfigError(f"{path} was not written by an evaluation: choose another --output, or move the file")
    return own


def delete_left_over(directory: str, own: Sequence[str]) -> None:
    """Deletes those of an earlier evaluation's files that this version does not write."""
    left_over = [storage.join(directory, name) for name in own if name not in NAMES]
    if left_over:
        storage.delete_all(left_over)


def _scores(content: bytes | None) -> JsonObject | None:
    """What a scores.json of an evaluation says; None for any other file."""
    try:
        found = json.loads(content or b"null")
    except ValueError:
        return None
    return found if isinstance(found, dict) and found.keys() >= {"preset", "references", "systems"} else None


def _named(scores: JsonObject) -> list[str]:
    """The files of an evaluation; before version 0.2 each system, and people, could have a page of its own."""
    systems = scores["systems"]
    pages = [f"evaluation-{number + 1}.html" for number in range(len(systems) if isinstance(systems, list) else 0)]
    return [*NAMES, *([] if "groups" in scores else [*pages, "evaluation-people.html"])]

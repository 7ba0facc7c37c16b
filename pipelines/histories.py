"""Explaining: the history of what a build holds, told by its recipe's own module."""

from collections.abc import Callable
from typing import NamedTuple

from conceptloom import storage
from conceptloom.errors import InputError
from pipelines import explain, explain_sets
from pipelines.build import MARKER
from pipelines.explain import History


class Explainer(NamedTuple):
    """How the builds of one recipe are explained."""

    histories: Callable[[str, str], list[History]]
    """Of a build's directory and what a user names in it."""
    text: Callable[[History], str]


EXPLAINERS = {
    "korean-commongen": Explainer(explain.histories, explain.history_text),
    "commongen": Explainer(explain_sets.histories, explain_sets.history_text),
}


def explainer_of(directory: str) -> Explainer:
    """The explainer of the recipe whose build a directory holds; raises InputError for a directory without one."""
    recipe = (storage.read_existing(storage.join(directory, MARKER)) or b"").decode("utf-8", "replace").strip()
    if recipe not in EXPLAINERS:
        raise InputError(f"{directory} holds no build with a finished stage ingest: check the path")
    return EXPLAINERS[recipe]

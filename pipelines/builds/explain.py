"""Explaining: the history of what a build holds, told by its recipe's own module."""

from collections.abc import Callable
from typing import NamedTuple

from conceptloom import storage
from conceptloom.current import build_at
from conceptloom.errors import InputError
from conceptloom.pipelines.build.engine import MARKER
from conceptloom.pipelines.commongen import explain as explain_sets
from conceptloom.pipelines.korean_commongen import explain
from conceptloom.pipelines.korean_commongen.explain import Finished, History


class Explainer(NamedTuple):
    """How the builds of one recipe are explained."""

    histories: Callable[[Finished, str], list[History]]
    """Of a build and what a user names in it."""
    text: Callable[[History], str]


EXPLAINERS = {
    "korean-commongen": Explainer(explain.histories, explain.history_text),
    "commongen": Explainer(explain_sets.histories, explain_sets.history_text),
}


def opened(directory: str) -> tuple[Finished, Explainer]:
    """A build, or the one that a name of the current build points at, and what explains its recipe.

    Raises InputError for a directory that holds no build, or one of another kind.
    """
    build = Finished(build_at(directory))
    recipe = (storage.read_existing(storage.join(build.directory, MARKER)) or b"").decode("utf-8", "replace").strip()
    if recipe not in EXPLAINERS:
        raise InputError(f"{directory} is a build of {recipe!r}, which cannot be explained: check the path")
    return build, EXPLAINERS[recipe]

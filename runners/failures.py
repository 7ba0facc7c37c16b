"""From what a runner raises to the one line that a user can act on."""

import re
from typing import Any

import conceptloom.errors
from conceptloom.errors import BuildError, ConceptloomError

_ERROR = re.compile(r"(?:conceptloom\.errors\.|\b)(?P<kind>\w+Error): (?P<message>.*?)(?= \[while running|\n|$)")


def as_error(stage: str, error: Exception) -> ConceptloomError:
    """The ConceptloomError inside a runner's exception, or a BuildError that names the stage and the exception.

    Runners wrap the exception of a function: in process they keep its type and lengthen its message, across processes
    they keep the traceback's text alone.
    """
    found = [match for match in _ERROR.finditer(f"{type(error).__name__}: {error}") if _kind(match) is not None]
    if found:
        made: ConceptloomError = _kind(found[-1])(found[-1]["message"])
        return made
    return BuildError(f"stage {stage} failed: {type(error).__name__}: {error}")


def _kind(match: re.Match[str]) -> Any:
    kind = getattr(conceptloom.errors, match["kind"], None)
    return kind if isinstance(kind, type) and issubclass(kind, ConceptloomError) else None

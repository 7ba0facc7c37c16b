"""Converts the exceptions of runners to one line that a user can act on."""

import re

import grpc

import conceptloom.errors
from conceptloom.errors import BuildError, ConceptloomError

_ERROR = re.compile(r"(?:conceptloom\.errors\.|\b)(?P<kind>\w+Error): (?P<message>.*?)(?= \[while running|\n|$)")
_JOB = re.compile(r"^Pipeline \S+ failed in state \w+: ")
_TRACEBACK = "Traceback (most recent call last):"
_RAISED = re.compile(r"^(?P<line>[A-Za-z_][\w.]*(?:: .*)?)$", re.MULTILINE)


def as_error(stage: str, error: Exception) -> ConceptloomError:
    """Returns the ConceptloomError inside a runner's exception, or a BuildError that names the stage and the exception.

    Runners wrap the exceptions of functions: in process they keep the type and extend the message; across processes
    they keep only the text of the traceback.
    """
    return _own(error) or BuildError(f"stage {stage} failed: {_cause(error)}")


def is_lost_worker(error: Exception) -> bool:
    """Returns whether a job failed because a worker was lost, so that running it again may succeed.

    An exception raised by a task comes with its traceback. If the worker was killed or could not be reached, there is
    none, or the traceback ends in the broken connection.
    """
    if _own(error) is not None or not isinstance(error, RuntimeError | grpc.RpcError):
        return False
    raised = _raised(error)
    return raised is None or raised.startswith("grpc.")


def _own(error: Exception) -> ConceptloomError | None:
    found = [match for match in _ERROR.finditer(f"{type(error).__name__}: {error}") if _kind(match) is not None]
    return _kind(found[-1])(found[-1]["message"]) if found else None


def _cause(error: Exception) -> str:
    if isinstance(error, grpc.Call):
        return f"{error.code().name}: {error.details()}"
    told = _raised(error) or _JOB.sub("", str(error))
    return told if told != str(error) else f"{type(error).__name__}: {error}"


def _raised(error: Exception) -> str | None:
    """Returns the exception line at the end of a traceback in the error's text, or None."""
    _, found, rest = str(error).partition(_TRACEBACK)
    raised = [match["line"] for match in _RAISED.finditer(rest) if found]
    return raised[-1].partition(" [while running")[0] if raised else None


def _kind(match: re.Match[str]) -> type[ConceptloomError] | None:
    kind = getattr(conceptloom.errors, match["kind"], None)
    return kind if isinstance(kind, type) and issubclass(kind, ConceptloomError) else None

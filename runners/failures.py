"""Converts the exceptions of runners to one line that a user can act on."""

import re

import grpc

import conceptloom.errors
from conceptloom.errors import BuildError, ConceptloomError

_ERROR = re.compile(r"(?:conceptloom\.errors\.|\b)(?P<kind>\w+Error): (?P<message>.*?)(?= \[while running|\n|$)")
_JOB = re.compile(r"^Pipeline \S+ failed in state \w+: ")
_TRACEBACK = "Traceback (most recent call last):"
_LOST = re.compile(
    r"""CANCELLED|UNAVAILABLE|[Dd]isconnected|Connection\ (?:refused|reset|unexpectedly\ closed)|ConnectException
    |ClosedChannelException|RemoteTransportException|hanging\ up|[Hh]eartbeat|TaskExecutor
    |Task\ ?[Mm]anager.*(?:lost|released|shut)|Broken\ pipe|connection\ closed""",
    re.VERBOSE,
)
"""What engines say of a worker that was killed or cannot be reached."""
_CURES = (
    (
        re.compile(
            r"Record too large|exceeds the maximum size of a sort buffer|[Tt]oo few memory segments|MemoryAllocation"
        ),
        "a sort of Flink has too little memory: raise taskmanager.memory.managed.size (for a Flink inside the job "
        "server in the flink-conf.yaml of a directory given as --flink_conf_dir), or give a task manager fewer slots",
    ),
    (
        re.compile(r"Insufficient number of network buffers"),
        "raise taskmanager.memory.network.max (for a Flink inside the job server in the flink-conf.yaml of a directory "
        "given as --flink_conf_dir), or lower --parallelism",
    ),
    (
        re.compile(r"NoResourceAvailable|Could not acquire the minimum required resources"),
        "the cluster has fewer free slots than the job's --parallelism: start task managers, or lower it",
    ),
    (
        re.compile(r"java\.lang\.OutOfMemoryError"),
        "the Java process has too little memory: for a Flink inside the job server give "
        "--job_server_jvm_properties=-Xmx4g, for a cluster raise taskmanager.memory.process.size",
    ),
)
"""Failures of an engine's own, and what mends them. To run the stage again would not."""
_RAISED = re.compile(r"^(?P<line>[A-Za-z_][\w.]*(?:: .*)?)$", re.MULTILINE)


def as_error(stage: str, error: Exception) -> ConceptloomError:
    """Returns the ConceptloomError inside a runner's exception, or a BuildError that names the stage and the exception.

    Runners wrap the exceptions of functions: in process they keep the type and extend the message; across processes
    they keep only the text of the traceback.
    """
    own = _own(error)
    if own is not None:
        return own
    cure = _cure(error)
    cause = f"stage {stage} failed: {_cause(error)}"
    return BuildError(f"{cause.rstrip('. ')}; {cure}" if cure else cause)


def is_lost_worker(error: Exception) -> bool:
    """Returns whether a job failed because a worker was lost, so that running it again may succeed.

    A task's exception comes with its traceback. If the worker was killed or could not be reached there is none, or it
    ends in the broken connection. What the engine says of itself, such as that a record is too large, happens again.
    """
    if _own(error) is not None or not isinstance(error, RuntimeError | grpc.RpcError):
        return False
    raised = _raised(error)
    if raised is not None:
        return raised.startswith("grpc.")
    return isinstance(error, grpc.RpcError) or (_cure(error) is None and _LOST.search(str(error)) is not None)


def _own(error: Exception) -> ConceptloomError | None:
    found = [match for match in _ERROR.finditer(f"{type(error).__name__}: {error}") if _kind(match) is not None]
    return _kind(found[-1])(found[-1]["message"]) if found else None


def _cure(error: Exception) -> str | None:
    """Returns what mends a failure of the engine itself, or None if it is of another kind or not known."""
    if _raised(error) is not None:
        return None
    return next((cure for pattern, cure in _CURES if pattern.search(str(error))), None)


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

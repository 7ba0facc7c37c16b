"""The log for programs, `--log-format json`: one JSON object a line on standard error, the last one with the status."""

import json
import sys
from collections.abc import Sequence
from datetime import datetime, timezone
from enum import Enum
from itertools import pairwise

from conceptloom.json_values import JsonObject

OPTION = "--log-format"
HELP = "What is said while it runs, on standard error: text, or json, which is one JSON object a line."


class LogFormat(str, Enum):
    """The values of the option."""

    TEXT = "text"
    JSON = "json"


def is_wanted(arguments: Sequence[str]) -> bool:
    """Returns whether the arguments ask for this log. Not left to the parser: its own errors are in the log too.

    >>> is_wanted(["build", "--log-format", "json"]), is_wanted(["build", "--", "--log-format=json"])
    (True, False)
    """
    own = list(arguments[: arguments.index("--")] if "--" in arguments else arguments)
    values = [one.partition("=")[2] for one in own if one.startswith(f"{OPTION}=")]
    values += [value for name, value in pairwise(own) if name == OPTION]
    return LogFormat.JSON.value in values


def write_event(event: str, **fields: object) -> None:
    """Writes one event, with the time (UTC), as one line."""
    now = datetime.now(timezone.utc).isoformat(timespec="milliseconds")
    line: JsonObject = {"time": now, "event": event, **fields}
    print(json.dumps(line, ensure_ascii=False), file=sys.stderr, flush=True)

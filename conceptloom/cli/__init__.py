"""The command line. What stops it stands first: the commands are imported when Ctrl-C is heeded."""

import os
import sys
import time
import traceback
from contextlib import suppress

from conceptloom.cli.json_log import is_wanted, write_event
from conceptloom.stopping import STATUS, asked, heeded

_GOES_ON = ("build", "demo")


def main() -> None:
    """Runs the command line and exits with the status that `run` returns."""
    status = run()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    # Running threads of Arrow and gRPC can abort a normal interpreter exit after all work is done.
    os._exit(status)


def run() -> int:
    """Runs the command line; returns the exit status.

    0 success, 1 invalid input or failed build, 2 wrong usage, 3 a gate was not passed, 130 stopped by the user.
    """
    begin, as_json, status, error = time.monotonic(), is_wanted(sys.argv[1:]), STATUS, None
    with heeded():
        try:
            from conceptloom.cli.commands import run_command

            status, error = run_command()
        except BaseException:
            # Whatever a stop was turned into on its way, it is a stop.
            if not (asked() or as_json):
                raise
            status, error = 1, traceback.format_exc()
        if asked():
            status, error = STATUS, _stopped(sys.argv[1:])
    if as_json:
        write_event("ended", status=status, seconds=round(time.monotonic() - begin, 2), error=error)
    elif error:
        print(error if status == STATUS else f"error: {error}", file=sys.stderr)
    return status


def _stopped(arguments: list[str]) -> str:
    if arguments[:1] and arguments[0] not in _GOES_ON:
        return "stopped"
    again = "the same command without --overwrite" if "--overwrite" in arguments else "the same command"
    return f"stopped; {again} goes on from here"

"""Ctrl-C on a terminal: one line, status 130, nothing left running, and the same command goes on."""

import io
import json
import os
import pty
import re
import select
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
from builds import (
    RECIPE,
    STAGES,
    build,
    command,
    differing,
    here,
    lines_input,
    many_sentences,
    sample_captions,
    write_lines,
)

from conceptloom.cli.show import ConsoleObserver
from conceptloom.stopping import asked, heeded

LINES = 6_000
CTRL_C = b"\x03"
_CONTROL = re.compile(rb"\x1b\[[0-9;?]*[A-Za-z]")
GOES_ON = "stopped; the same command goes on from here"


def stopped_when(shown: bytes, arguments: list[str]) -> tuple[int, list[str]]:
    """Runs the command line on a terminal of its own, and presses Ctrl-C as soon as `shown` is on it.

    Returns the exit status and the lines that came afterwards, without the progress bar.
    """
    child, terminal = pty.fork()
    if child == 0:
        words = command(*arguments)
        os.execv(words[0], words)
    said, end, pressed = b"", time.monotonic() + 120, -1
    while time.monotonic() < end:
        if select.select([terminal], [], [], 0.05)[0]:
            try:
                said += os.read(terminal, 65_536)
            except OSError:  # the terminal's last process has ended
                break
        if pressed < 0 and shown in _CONTROL.sub(b"", said):
            pressed = len(said)
            os.write(terminal, CTRL_C)
    _, status = os.waitpid(child, 0)
    os.close(terminal)
    after = _CONTROL.sub(b"", said[max(pressed, 0) :]).decode("utf-8", "replace").replace("^C", "\n")
    lines = [line.strip() for line in re.split(r"[\r\n]+", after)]
    return os.waitstatus_to_exitcode(status), [line for line in lines if line and "━" not in line]


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_lines(tmp_path_factory.mktemp("raw") / "a.txt", many_sentences(LINES))


@pytest.mark.parametrize("workers", [1, 2])
def test_every_stage_stops_with_one_line_and_goes_on(tmp_path: Path, corpus: Path, workers: int) -> None:
    output = tmp_path / "out"
    arguments = ["build", RECIPE, f"--input=s:lines={corpus}", "--output", str(output), f"--workers={workers}"]
    for stage in STAGES:
        status, lines = stopped_when(f"{stage:<8} ".encode(), arguments)
        assert (status, lines) == (130, [GOES_ON]), stage
        assert not (output / "MANIFEST.json").exists()
    build(output, {"s": lines_input(corpus)})
    build(tmp_path / "whole", {"s": lines_input(corpus)})
    assert differing(output, tmp_path / "whole") == []


@pytest.mark.parametrize("workers", [1, 2])
def test_a_build_stops_while_it_starts(tmp_path: Path, workers: int) -> None:
    """When the inputs are shown, Beam is still being imported by two workers, or the first stage is being planned."""
    path = write_lines(tmp_path / "a.txt", sample_captions())
    arguments = ["build", RECIPE, f"--input=s={path}", "--output", str(tmp_path / "out"), f"--workers={workers}"]
    assert stopped_when(b" bytes\r\n", arguments) == (130, [GOES_ON])
    assert stopped_when(b" bytes\r\n", [*arguments, "--overwrite"]) == (
        130,
        ["stopped; the same command without --overwrite goes on from here"],
    )


def test_the_log_for_programs_ends_with_the_stop(tmp_path: Path, corpus: Path) -> None:
    arguments = ["build", RECIPE, f"--input=s:lines={corpus}", "--output", str(tmp_path / "out"), "--log-format=json"]
    status, lines = stopped_when(b'"stage_started"', arguments)
    # The line that was being read may have been cut in two.
    events = [json.loads(line) for line in lines if line.startswith("{")]
    (ended,) = [event for event in events if event["event"] == "ended"]
    assert (status, ended["status"], ended["error"]) == (130, 130, GOES_ON)


def _pressed() -> Iterator[bytes]:
    yield "비가 온다.\n".encode()
    os.kill(os.getpid(), signal.SIGINT)


def test_another_command_says_that_it_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=_pressed()))
    said = here("concepts")
    assert (said.returncode, said.stderr) == (130, "stopped\n")


class _Pressed(io.StringIO):
    """A terminal at which Ctrl-C is pressed as soon as a line is on it."""

    def write(self, text: str) -> int:
        written = super().write(text)
        if text == "a line\n":
            os.kill(os.getpid(), signal.SIGINT)
        return written


def test_a_line_is_shown_once_when_a_stop_comes_with_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", terminal := _Pressed())
    observer = ConsoleObserver()
    with pytest.raises(KeyboardInterrupt):
        observer.noted("a line")
    observer.noted("the next")
    assert terminal.getvalue() == "a line\nthe next\n"


def test_a_stop_is_remembered_whatever_becomes_of_it() -> None:
    with heeded():
        assert not asked()
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGINT)
        assert asked()
    assert not asked()

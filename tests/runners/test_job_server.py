"""The processes that a build starts, and the end of them."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from conceptloom.runners.job_server import guarded

STARTER = """
import sys, time
from conceptloom.runners.job_server import guarded
with guarded(["sh", "-c", "echo $$ > pid; sleep 60"], "log"):
    time.sleep(60)
"""


def _lives(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    stat = Path(f"/proc/{process}/stat")
    return not stat.exists() or stat.read_text().rpartition(")")[2].split()[0] != "Z"


def _wait(path: Path) -> int:
    end = time.monotonic() + 30
    while not (path.exists() and path.read_text().endswith("\n")):
        assert time.monotonic() < end
        time.sleep(0.02)
    return int(path.read_text())


def test_a_server_ends_with_its_block(tmp_path: Path) -> None:
    with guarded(["sh", "-c", f"echo $$ > {tmp_path / 'pid'}; exec sleep 60"], str(tmp_path / "log")) as process:
        assert _wait(tmp_path / "pid") == process.pid
        assert _lives(process.pid)
    assert process.returncode == -signal.SIGTERM
    assert not _lives(process.pid)


def test_a_server_ends_when_its_build_is_killed(tmp_path: Path) -> None:
    starter = subprocess.Popen([sys.executable, "-c", STARTER], cwd=tmp_path)
    server = _wait(tmp_path / "pid")
    assert _lives(server)
    starter.kill()
    starter.wait()
    end = time.monotonic() + 10
    while _lives(server) and time.monotonic() < end:
        time.sleep(0.05)
    assert not _lives(server)


def test_what_it_says_goes_to_its_log(tmp_path: Path) -> None:
    with guarded(["sh", "-c", "echo one; echo two >&2"], str(tmp_path / "log")) as process:
        process.wait(10)
    assert (tmp_path / "log").read_text() == "one\ntwo\n"
    with pytest.raises(ProcessLookupError):
        os.kill(process.pid, 0)

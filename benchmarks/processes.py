"""What a command and all its processes use."""

import os
import subprocess
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

_PAUSE = 0.05


@dataclass(frozen=True)
class Run:
    """What a command took: wall and CPU seconds, and the peak of the bytes that all its processes held at a time."""

    seconds: float
    cpu: float
    peak: int


def measured(command: Sequence[str | Path]) -> Run:
    """Runs a command in an empty folder; raises SystemExit with what it said if it fails."""
    with tempfile.TemporaryDirectory() as folder, open(f"{folder}/said", "w+b") as said:
        begin, peak = time.monotonic(), 0
        process = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=said)
        # Waits without Popen, which does not tell what the process and its descendants used.
        while not (ended := os.wait4(process.pid, os.WNOHANG))[0]:
            peak = max(peak, sum(map(resident, family(process.pid))))
            time.sleep(_PAUSE)
        _, status, used = ended
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            said.seek(0)
            raise SystemExit(f"failed: {' '.join(map(str, command))}\n{said.read().decode(errors='replace')}")
        return Run(time.monotonic() - begin, used.ru_utime + used.ru_stime, peak)


def family(process: int) -> list[int]:
    """Returns a process and all its descendants."""
    try:
        threads = os.listdir(f"/proc/{process}/task")
        children = [c for t in threads for c in Path(f"/proc/{process}/task/{t}/children").read_text().split()]
    except OSError:
        return []
    return [process, *(member for child in children for member in family(int(child)))]


def resident(process: int) -> int:
    """Returns the resident bytes of a process; shared pages count for each process."""
    try:
        return int(Path(f"/proc/{process}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return 0

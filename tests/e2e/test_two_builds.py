"""Two builds into one directory at once."""

import signal
import subprocess
from pathlib import Path

from builds import RECIPE, SAMPLE_ARGUMENTS, command, differing, environment, here, sample_build


def test_a_second_build_is_refused_until_the_first_one_ends(tmp_path: Path) -> None:
    arguments = ["build", RECIPE, *SAMPLE_ARGUMENTS, "--output", tmp_path / "out", "--workers=1"]
    first = subprocess.Popen(command(*arguments), env=environment(), stderr=subprocess.PIPE, text=True)
    try:
        assert first.stderr is not None
        assert any("stage ingest: started" in line for line in iter(first.stderr.readline, ""))
        # It lives, but gets no further while the others try.
        first.send_signal(signal.SIGSTOP)
        for more in ([], ["--overwrite"]):
            said = here(*arguments, *more)
            assert said.returncode == 1
            assert f"another build is running in {tmp_path / 'out'}: wait" in said.stderr.splitlines()[-1]
    finally:
        first.kill()
        first.communicate()
    assert here(*arguments, "--overwrite").returncode == 0
    assert differing(sample_build(), tmp_path / "out") == []

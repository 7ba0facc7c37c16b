import subprocess
import sys

import pytest

PROBE = """
import sys
from conceptloom.tasks.common import load_common
before = set(sys.modules)
load_common()
print(*sorted({name.split(".")[0] for name in sys.modules} & {"apache_beam", "pyarrow"}))
print("conceptloom.tasks.ingest" in before, "conceptloom.tasks.ingest" in sys.modules)
"""


@pytest.mark.slow
def test_a_worker_loads_tasks_and_arrow_but_not_beam(tmp_path) -> None:
    found = subprocess.run([sys.executable, "-c", PROBE], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert found.stdout.split() == ["pyarrow", "False", "True"]

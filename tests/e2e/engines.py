"""Engines for the tests of the portable runners: Flink inside its job server, a Flink cluster, Prism, worker pools.

They come from the environments that `scripts/test_environments.py` makes; a test skips where its one is missing.
"""

import importlib.util
import json
import os
import shutil
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from apache_beam.options.pipeline_options import PipelineOptions
from apache_beam.utils.subprocess_server import pick_port
from builds import ROOT

from conceptloom.pipelines.build.context import Context
from conceptloom.runners.flink import job_server
from conceptloom.runners.job_server import JobServer, guarded

SCRIPT = ROOT / "scripts" / "test_environments.py"
_PACKAGES = (
    "java.lang java.net java.io java.nio sun.nio.ch java.lang.reflect java.text java.time java.util "
    "java.util.concurrent java.util.concurrent.atomic java.util.concurrent.locks"
)
LIGHT = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")
"""Java for processes that live for seconds: the full compiler would cost more than it saves."""
_OPENS = [f"--add-opens=java.base/{package}=ALL-UNNAMED" for package in _PACKAGES.split()]
_MEMORY = {
    "process.size": 2048,
    "framework.heap.size": 128,
    "task.heap.size": 512,
    "managed.size": 512,
    "framework.off-heap.size": 128,
    "task.off-heap.size": 0,
    "network.min": 128,
    "network.max": 128,
    "jvm-metaspace.size": 256,
    "jvm-overhead.min": 192,
    "jvm-overhead.max": 192,
}
"""Megabytes of a small task manager; without its start scripts Flink derives none of them."""


def prepared(name: str) -> Path:
    """The directory of one test environment; skips the test where it was not made."""
    specification = importlib.util.spec_from_file_location("test_environments", SCRIPT)
    assert specification is not None and specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    directory: Path = module.ROOT / name
    if not (directory / "READY").exists():
        pytest.skip(f"wants `python scripts/test_environments.py {name}`")
    return directory


def flink_jars() -> Path:
    """The directory of the job server's jars."""
    if shutil.which("java") is None:
        pytest.skip("wants Java")
    return prepared("job-server") / "jars"


def flink_server(master: str = "[local]", workers: int = 1) -> Any:
    """A Flink job server as a context: with Flink inside for so many parallel tasks, or before the cluster `master`."""
    jars = flink_jars()
    java = [f"--job_server_jvm_properties={one}" for one in LIGHT]
    return job_server(PipelineOptions([f"--flink_master={master}", f"--flink_job_server_jar={jars}", *java]), workers)


@contextmanager
def flink_cluster(directory: Path) -> Iterator[JobServer]:
    """A cluster of two processes, a job manager and a task manager of two slots, with a job server before it."""
    lib = prepared("flink") / "lib"
    (rpc,), (rest,) = pick_port(None), pick_port(None)
    (directory / "conf").mkdir(parents=True)
    (directory / "conf" / "config.yaml").write_text(_configuration(rpc, rest, directory / "files"))
    run = ["java", f"-Djava.io.tmpdir={directory}", *LIGHT, *_OPENS, "-cp", f"{lib}/*"]
    conf = ["--configDir", str(directory / "conf")]
    master = [*run, "org.apache.flink.runtime.entrypoint.StandaloneSessionClusterEntrypoint", *conf]
    memory = [f"-Dtaskmanager.memory.{name}={size}m" for name, size in _MEMORY.items()]
    tasks = [
        *run,
        "org.apache.flink.runtime.taskexecutor.TaskManagerRunner",
        *conf,
        "-Dtaskmanager.cpu.cores=2",
        *memory,
    ]
    with ExitStack() as stack:
        stack.enter_context(guarded([*master, "--executionMode", "cluster"], str(directory / "master.log")))
        stack.enter_context(guarded(tasks, str(directory / "tasks.log")))
        server = stack.enter_context(flink_server(f"localhost:{rest}"))
        wait_for(lambda: _overview(rest).get("slots-total") == 2, "the task manager's slots")
        yield server
        assert _overview(rest)["jobs-finished"] > 0


def _configuration(rpc: int, rest: int, files: Path) -> str:
    return f"""jobmanager:
  rpc: {{address: localhost, port: {rpc}}}
  bind-host: localhost
  memory: {{process: {{size: 1024m}}}}
taskmanager: {{bind-host: localhost, host: localhost, numberOfTaskSlots: 2}}
rest: {{address: localhost, bind-address: localhost, port: {rest}}}
blob: {{storage: {{directory: {files}}}}}
io: {{tmp: {{dirs: {files}}}}}
"""


def _overview(port: int) -> dict[str, Any]:
    try:
        with urllib.request.urlopen(f"http://localhost:{port}/overview", timeout=5) as answer:
            found: dict[str, Any] = json.load(answer)
            return found
    except OSError:
        return {}


def wait_for(condition: Callable[[], Any], what: str, seconds: float = 60) -> None:
    """Waits until the condition is true; fails after that time."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, f"waited {seconds} s for {what}"
        time.sleep(0.1)


@contextmanager
def worker_pool(
    directory: Path, port: int, python: Path = Path(sys.executable), path: str = ""
) -> Iterator[subprocess.Popen[bytes]]:
    """A pool that starts a worker process, of that python, for each that an engine asks for.

    Its workers know no working directory of this process; they import from `path` and what the python has installed.
    """
    directory.mkdir(parents=True, exist_ok=True)
    programs = os.pathsep.join([str(python.parent), os.environ["PATH"]])
    settings = ["env", "-C", str(directory), f"PATH={programs}", f"PYTHONPATH={path}"]
    pool = [str(python), "-m", "apache_beam.runners.worker.worker_pool_main", f"--service_port={port}"]
    with guarded([*settings, *pool], str(directory / "pool.log")) as process:
        server = JobServer(f"localhost:{port}")
        try:
            wait_for(lambda: process.poll() is not None or server.answers(1), "the worker pool")
            yield process
        finally:
            # The pool's workers too: it does not end them when it is ended itself.
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)


def assert_counters_are_the_ledgers(context: Context) -> None:
    """What the runner counted of each stage is what the stage's ledger holds, reason by reason."""
    for stage, manifest in context.manifests.items():
        expected: dict[str, int] = {}
        for source in context.ledger(stage).sources.values():
            reasons = {f"rejected_{reason}": number for reason, number in source.rejected.items()}
            for name, number in {"read": source.read, "kept": source.kept, **reasons}.items():
                expected[name] = expected.get(name, 0) + number
        # Beside them stands what the tasks counted of their own work.
        counted = {
            name: n for name, n in manifest.summary["counters"].items() if name in expected or "rejected" in name
        }
        assert counted == {name: number for name, number in expected.items() if number}, stage

"""Prepares what the tests of other systems run against: real Flink, Prism, a storage emulator, Airflow.

Each has a folder of its own, outside the project's environment; without it the tests that need it are skipped and say
so. Flink needs Java 17 and Maven, Prism needs Go. A second run makes only what is missing.

    python scripts/test_environments.py [NAME ...]
"""

import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import venv
from collections.abc import Callable, Iterable
from pathlib import Path

ROOT = Path(os.environ.get("CONCEPTLOOM_TEST_ENVIRONMENTS", Path.home() / ".cache" / "conceptloom-test-environments"))

BEAM_FLINK = "2.62.0"
"""The newest version of Beam's Flink runner whose parts are all in Maven Central one by one."""
FLINK = "1.19.3"
PRISM = "v2.77.0"
AIRFLOW = "3.3.2"
EMULATOR = "2024.8.3"

_POM = f"""<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>conceptloom</groupId><artifactId>flink-job-server</artifactId><version>1</version>
  <dependencies>
    <dependency>
      <groupId>org.apache.beam</groupId><artifactId>beam-runners-flink-1.19</artifactId><version>{BEAM_FLINK}</version>
    </dependency>
    <dependency><groupId>org.slf4j</groupId><artifactId>slf4j-simple</artifactId><version>1.7.30</version></dependency>
  </dependencies>
</project>
"""


def job_server(directory: Path) -> None:
    """The jars of Beam's Flink job server, with Flink inside."""
    pom = directory / "pom.xml"
    pom.write_text(_POM, encoding="utf-8")
    goal = "org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy-dependencies"
    _run("mvn", "-q", "-B", "-f", pom, goal, "-DincludeScope=runtime", f"-DoutputDirectory={directory / 'jars'}")


def flink(directory: Path) -> None:
    """The jars of a Flink cluster, from PyFlink's archive of them."""
    with tempfile.TemporaryDirectory() as downloads:
        where = ("--no-deps", "--no-binary", "apache-flink-libraries", "-d", downloads)
        _run(sys.executable, "-m", "pip", "download", "--quiet", *where, f"apache-flink-libraries=={FLINK}")
        (archive,) = Path(downloads).glob("*.tar.gz")
        with tarfile.open(archive) as files:
            files.extractall(downloads, filter="data")
        (jars,) = Path(downloads).glob("*/deps/lib")
        shutil.copytree(jars, directory / "lib")


def prism(directory: Path) -> None:
    """Beam's Prism runner, one binary."""
    _run("go", "install", f"github.com/apache/beam/sdks/v2/go/cmd/prism@{PRISM}", GOBIN=str(directory))


def storage(directory: Path) -> None:
    """An emulator of Google Cloud Storage."""
    _install(directory, f"gcp-storage-emulator=={EMULATOR}", "setuptools<81")


def airflow(directory: Path) -> None:
    """Airflow, in an environment of its own as in production."""
    _install(directory, f"apache-airflow=={AIRFLOW}")


ENVIRONMENTS: dict[str, Callable[[Path], None]] = {
    "job-server": job_server,
    "flink": flink,
    "prism": prism,
    "storage": storage,
    "airflow": airflow,
}


def prepare(name: str) -> Path:
    """Makes one environment unless it is there; returns its directory."""
    target = ROOT / name
    if (target / "READY").exists():
        return target
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    ENVIRONMENTS[name](target)
    (target / "READY").touch()
    return target


def _install(directory: Path, *requirements: str) -> None:
    venv.create(directory, with_pip=True)
    _run(directory / "bin" / "python", "-m", "pip", "install", "--quiet", *requirements)


def _run(*command: str | Path, **environment: str) -> None:
    subprocess.run([str(part) for part in command], check=True, env={**os.environ, **environment})


def main(names: Iterable[str]) -> int:
    """Makes as many of the environments as can be made; returns how many could not."""
    failed = 0
    for name in names:
        try:
            print(prepare(name), flush=True)
        except (OSError, subprocess.CalledProcessError) as error:
            print(f"{name} could not be made: {error}", file=sys.stderr)
            failed += 1
    return failed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:] or ENVIRONMENTS))

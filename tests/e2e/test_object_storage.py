"""Builds from and to object storage: the same bytes, killed, refused, cut off, and read by every command."""

import hashlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import apache_beam as beam
import pytest
from apache_beam.options.pipeline_options import PipelineOptions
from apache_beam.portability.python_urns import SUBPROCESS_SDK
from apache_beam.runners.portability.portable_runner import PortableRunner
from builds import (
    RECIPE,
    SAMPLES,
    STAGES,
    Recorder,
    build,
    command,
    differing,
    environment,
    finished_cli,
    here,
    plain_sentences,
    sample_build,
)
from emulator import BUCKET, CUT, Store

from conceptloom import storage
from conceptloom.errors import ConceptloomError
from conceptloom.pipelines.build.engine import Runner

HOME = f"gs://{BUCKET}"
INPUTS = [f"--input={name}={HOME}/corpora/{name}_*.json" for name in ("captions", "dialogues")]
REQUESTS = 200
"""A build of the samples wants 165 to 175; without care they become ten times as many."""


def fetched(remote: str, target: Path) -> Path:
    """A copy on this disk of what is below a remote directory."""
    for info in storage.list_files(remote):
        storage.copy(info.path, str(target / info.path.removeprefix(f"{remote}/")))
    return target


def unlike_samples(output: str, place: Path) -> list[str]:
    """The files of a remote build that differ from the local build of the same corpora."""
    return differing(sample_build(), fetched(output, place))


def manifests_hold(output: str) -> int:
    """Checks that every manifest's files are there, byte for byte; answers how many manifests there are."""
    paths = [info.path for info in storage.list_files(output)]
    manifests = [path for path in paths if path.endswith("/MANIFEST.json")]
    for path in manifests:
        manifest = json.loads(storage.read_bytes(path))
        # The last stage's files lie in the build's own directory.
        base = output if manifest["name"] == STAGES[-1] else path.removesuffix("/MANIFEST.json")
        for file in manifest["files"]:
            data = storage.read_bytes(f"{base}/{file['path']}")
            assert hashlib.blake2b(data, digest_size=16).hexdigest() == file["blake2b"], (path, file["path"])
    return len(manifests)


@pytest.fixture(scope="module")
def corpora(running: Store) -> Store:
    with pytest.MonkeyPatch.context() as patch:
        for name, value in running.environment().items():
            patch.setenv(name, value)
        for path in SAMPLES.glob("*.json"):
            storage.copy(str(path), f"{HOME}/corpora/{path.name}")
        storage.write_bytes(f"{HOME}/corpora/settings.yaml", b"seed: 0\n")
    return running


BUILT = f"{HOME}/built"
BUILD = ["build", RECIPE, *INPUTS, f"--config={HOME}/corpora/settings.yaml", "--workers=2"]


@pytest.fixture(scope="module")
def built(corpora: Store) -> str:
    """A build of the samples by two processes, where the store stands as one of Google's that is open to all."""
    corpora.forget()
    finished_cli(*BUILD, f"--output={BUILT}", "--", "--no_auth", env=corpora.public())
    # Whoever looks for credentials asks the store for them.
    assert [one for one in corpora.requests if "/storage/v1" not in one] == []
    assert len(corpora.requests) <= REQUESTS, corpora.requests
    return BUILT


def test_a_build_from_and_to_a_bucket_has_the_bytes_of_a_local_one(built: str, store: Store, tmp_path: Path) -> None:
    assert unlike_samples(built, tmp_path) == ["config.yaml"]
    patterns = (tmp_path / "config.yaml").read_text(encoding="utf-8").replace(f"{HOME}/corpora", str(SAMPLES))
    local = (sample_build() / "config.yaml").read_text(encoding="utf-8")
    assert patterns.replace("_*.json", "_ko.json") == local


def test_a_finished_build_is_found_with_few_requests_and_not_touched(built: str, store: Store) -> None:
    said = here(*BUILD, f"--output={built}", "--workers=1")
    assert said.stderr.count("not run again") == len(STAGES)
    assert len(store.requests) <= REQUESTS / 4 and store.uploads == 0


def test_commands_read_a_build_in_a_bucket(built: str, store: Store, tmp_path: Path) -> None:
    text = plain_sentences()[0]
    assert here("explain", built, text) == here("explain", sample_build(), text)
    for name in ("data/{}-00000-of-00001.parquet", "published/{}-*.jsonl"):
        found = [
            here("stats", *(f"--{split}={base}/{name.format(split)}" for split in ("train", "validation", "test")))
            for base in (built, sample_build())
        ]
        assert found[0] == found[1] and found[0].returncode == 0, found
    arguments = ["--kind=high-level", "--output"]
    assert here("variant", built, *arguments, f"{HOME}/variant", "--", "--no_auth").returncode == 0
    assert here("variant", sample_build(), *arguments, tmp_path / "local").returncode == 0
    assert differing(tmp_path / "local", fetched(f"{HOME}/variant", tmp_path / "remote")) == ["variant.json"]


def test_the_current_build_of_a_bucket_is_read_by_its_name(built: str, store: Store, tmp_path: Path) -> None:
    current = f"{HOME}/current"
    said = finished_cli("promote", built, "--json", "--", "--no_auth", env=store.public())
    assert json.loads(said.stdout)["promoted"] and storage.read_bytes(current) == f"{built}\n".encode()
    same = finished_cli("diff", current, str(sample_build()), "--exit-code", "--", "--no_auth", env=store.public())
    assert "all the same" in same.stdout
    plan = here("build", RECIPE, *INPUTS, f"--frozen={current}", f"--output={HOME}/next", "--dry-run")
    assert f"are those of {built};" in plan.stdout, plan
    over = here("build", RECIPE, *INPUTS, f"--frozen={current}", f"--output={built}", "--dry-run")
    assert over.returncode == 1 and "is also the output" in over.stderr
    frozen = tmp_path / "frozen"
    build(frozen, frozen=current)
    assert f"frozen: {built}\n" in (frozen / "config.yaml").read_text("utf-8")
    text = plain_sentences()[0]
    assert here("explain", current, text) == here("explain", built, text)
    assert here("variant", current, "--kind=curriculum", "--output", f"{HOME}/ordered").returncode == 0
    assert json.loads(storage.read_bytes(f"{HOME}/ordered/variant.json"))["of"] == f"{built}/"


def test_an_input_in_a_bucket_is_estimated(built: str, store: Store) -> None:
    said = finished_cli("estimate", RECIPE, *INPUTS, "--json", "--", "--no_auth", env=store.public())
    assert json.loads(said.stdout)["stages"][0]["read"] == 1252


@pytest.mark.parametrize("name", ["input", "output", "config", "explain", "stats"])
def test_a_bucket_that_does_not_exist_is_named_at_once(name: str, corpora: Store, store: Store, tmp_path: Path) -> None:
    begin = time.monotonic()
    arguments: dict[str, list[Any]] = {
        "input": ["build", RECIPE, "--input=captions=gs://nope/a_*.json", "--output", tmp_path / "out"],
        "output": ["build", RECIPE, *INPUTS, "--workers=1", "--output=gs://nope/out"],
        "config": ["build", RECIPE, *INPUTS, "--config=gs://nope/c.yaml", "--output", tmp_path / "out"],
        "explain": ["explain", "gs://nope/out", "개"],
        "stats": ["stats", "--train=gs://nope/train.json", "--test=gs://nope/test.json"],
    }
    said = here(*arguments[name])
    (line,) = [line for line in said.stderr.splitlines() if line.startswith("error: ")]
    assert (said.returncode, said.stdout) == (1, "")
    assert "gs://nope" in line and "bucket" in line and ("make it" in line or "check the path" in line), line
    assert time.monotonic() - begin < 15


def test_a_missing_extra_is_named(tmp_path: Path) -> None:
    program = (
        "import sys; sys.modules['google.cloud.storage'] = None\n"
        f"sys.argv = ['conceptloom', 'build', '{RECIPE}', '--input=a=gs://loom/a.json', '--output=out']\n"
        "from conceptloom.cli import main; main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, cwd=tmp_path, env=environment()
    )
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1 and "pip install 'conceptloom[gcp]'" in done.stderr, done.stderr


def _killed_at(number: int, store: Store, output: str) -> None:
    """Starts a build and kills it when half of an upload has come."""
    store.forget()
    arguments = ["build", RECIPE, *INPUTS, f"--output={output}", "--workers=2"]
    process = subprocess.Popen(command(*arguments), env=environment(), stderr=subprocess.DEVNULL)

    def kill(upload: int) -> int | None:
        if upload == number:
            os.kill(process.pid, signal.SIGKILL)
        return CUT if upload >= number else None

    store.fault = kill
    assert process.wait(120) == -signal.SIGKILL
    store.forget()


def test_a_killed_build_goes_on_to_the_same_bytes(corpora: Store, store: Store, tmp_path: Path) -> None:
    output, held = f"{HOME}/killed", []
    for number in (4, 8):
        _killed_at(number, store, output)
        held.append(manifests_hold(output))
    assert held == sorted(held) and held[0] < held[-1] <= len(STAGES)
    finished_cli("build", RECIPE, *INPUTS, f"--output={output}", "--workers=2")
    assert manifests_hold(output) == len(STAGES) + 1
    assert unlike_samples(output, tmp_path) == ["config.yaml"]


@pytest.fixture(scope="module")
def small(corpora: Store, tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, Any], Path, int]:
    """A small input in the store, its build on this disk, and the number of uploads that it wants in the store."""
    place, uploads = tmp_path_factory.mktemp("small"), []
    with pytest.MonkeyPatch.context() as patch:
        for name, value in corpora.environment().items():
            patch.setenv(name, value)
        storage.write_bytes(f"{HOME}/small.txt", "\n".join(plain_sentences()[:80]).encode())
        storage.copy(f"{HOME}/small.txt", str(place / "small.txt"))
        inputs = {"lines": {"patterns": [f"{HOME}/small.txt"], "format": "lines"}}
        corpora.forget()
        build_small(f"{HOME}/small", inputs)
        uploads.append(corpora.uploads)
        fetched(f"{HOME}/small", place / "remote")
    build(place / "local", {"lines": {"patterns": [str(place / "small.txt")], "format": "lines"}})
    assert differing(place / "local", place / "remote") == ["config.yaml"]
    return inputs, place / "remote", uploads[0]


def build_small(output: str, inputs: dict[str, Any], observer: Recorder | None = None) -> None:
    build(output, inputs, observer=observer)  # type: ignore[arg-type]


@pytest.mark.parametrize("part", range(6))
def test_an_upload_that_fails_half_way_ends_the_build_and_loses_nothing(
    part: int, small: tuple[dict[str, Any], Path, int], store: Store, tmp_path: Path
) -> None:
    inputs, right, uploads = small
    number, output = 1 + part * (uploads - 1) // 5, f"{HOME}/failed-{part}"
    store.fault = lambda upload: 403 if upload == number else None
    with pytest.raises(ConceptloomError, match=rf"{HOME}.*\(HTTP 403\); .*rights to {HOME}") as caught:
        build_small(output, inputs)
    assert "\n" not in str(caught.value)
    assert store.uploads >= number
    done = manifests_hold(output)
    store.forget()
    recorder = Recorder()
    build_small(output, inputs, recorder)
    assert (len(recorder.found), len(recorder.ran)) == (done, len(STAGES) - done)
    assert differing(right, fetched(output, tmp_path)) == []


def test_connections_that_are_cut_once_are_tried_again(
    small: tuple[dict[str, Any], Path, int], store: Store, tmp_path: Path
) -> None:
    inputs, right, _ = small
    store.fault = lambda upload: CUT if upload in (2, 8) else None
    build_small(f"{HOME}/cut", inputs)
    assert differing(right, fetched(f"{HOME}/cut", tmp_path)) == []


class _JobServer(Runner):
    """Runs stages as a cluster does: Beam's own job server starts workers, and sends them the pipeline's options."""

    def run(
        self, stage: str, construct: Callable[[beam.Pipeline], Any], directory: str | None = None
    ) -> dict[str, int]:
        worker = f"env -C {tempfile.gettempdir()} {sys.executable} -m apache_beam.runners.worker.sdk_worker_main"
        environment = (f"--environment_type={SUBPROCESS_SDK}", f"--environment_config={worker}")
        options = PipelineOptions(["--job_endpoint=embed", *environment, "--no_auth"])
        pipeline = beam.Pipeline(runner=PortableRunner(), options=options)
        construct(pipeline)
        assert pipeline.run().wait_until_finish() == "DONE"
        return {}


def test_workers_of_a_job_server_get_the_options_from_beam(
    small: tuple[dict[str, Any], Path, int], running: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inputs, right, _ = small
    for name, value in running.public().items():
        monkeypatch.setenv(name, value)
    running.forget()
    storage.use_options(("--no_auth",))
    build(f"{HOME}/workers", inputs, runner=_JobServer())  # type: ignore[arg-type]
    assert [one for one in running.requests if "/storage/v1" not in one] == []
    assert differing(right, fetched(f"{HOME}/workers", tmp_path)) == []


def test_a_demo_may_go_to_a_bucket(store: Store, tmp_path: Path) -> None:
    assert here("demo", f"--output={HOME}/demo", "--workers=1", "--", "--no_auth").returncode == 0
    # Beside an installed package the samples lie elsewhere than in the checkout, and config.yaml names their place.
    assert set(unlike_samples(f"{HOME}/demo", tmp_path)) <= {"config.yaml"}


def test_overwriting_in_a_bucket_keeps_what_is_not_the_builds(
    small: tuple[dict[str, Any], Path, int], store: Store, tmp_path: Path
) -> None:
    inputs, right, _ = small
    text = f"--input=lines:lines={inputs['lines']['patterns'][0]}"
    arguments = ["build", RECIPE, text, f"--output={HOME}/over", "--workers=1"]
    assert here(*arguments, "--set", "seed=1").returncode == 0
    storage.write_bytes(f"{HOME}/over/notes.txt", b"mine")
    storage.write_bytes(f"{HOME}/over/data-of-mine/x", b"mine")
    assert here(*arguments, "--overwrite").returncode == 0
    assert differing(right, fetched(f"{HOME}/over", tmp_path)) == ["data-of-mine/x", "notes.txt"]

"""The complete job request for every stage of every recipe, made offline."""

import base64
import bz2
import json
import os
import re
import subprocess
import sys
import tempfile
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import apache_beam
import apache_beam as beam
import pytest
from apache_beam.portability.api import beam_runner_api_pb2
from apache_beam.portability.common_urns import resource_hints
from builds import ROOT, SAMPLES, lines_input, many_sentences, write_lines
from dataflow_requests import HINTS, IMAGE, NEEDED, OUTPUT, STAGES, Request, context, make_request, request

import conceptloom
import conceptloom.pipelines.build.inputs
from conceptloom.pipelines import RECIPES
from conceptloom.pipelines.build.configuration import make_settings
from conceptloom.pipelines.build.inputs import plan_inputs
from conceptloom.tasks.base import Output, Task
from conceptloom.transforms.blocks import RunTask

HERE = Path(__file__).parent
EACH = pytest.mark.parametrize(("recipe", "stage"), STAGES)


def pool(made: Request) -> dict[str, Any]:
    (found,) = made.job["environment"]["workerPools"]
    return found


@EACH
def test_the_options_reach_the_job(recipe: str, stage: str) -> None:
    made = request(recipe, stage)
    workers, environment = pool(made), made.job["environment"]
    assert {one["containerImage"] for one in workers["sdkHarnessContainerImages"]} == {IMAGE}
    assert (workers["machineType"], workers["numWorkers"], workers["diskSizeGb"]) == ("n1-highmem-4", 2, 60)
    assert workers["autoscalingSettings"] == {"algorithm": "AUTOSCALING_ALGORITHM_BASIC", "maxNumWorkers": 40}
    assert workers["network"] == "inner"
    assert workers["subnetwork"] == "regions/europe-west4/subnetworks/inner"
    assert workers["ipConfiguration"] == "WORKER_IP_PRIVATE"
    assert environment["workerZone"] == "europe-west4-b"
    assert environment["serviceAccountEmail"] == "loom@a-project.iam.gserviceaccount.com"
    assert environment["tempStoragePrefix"].startswith(f"storage.googleapis.com/a-bucket/temp/{made.job['name']}")
    options = environment["sdkPipelineOptions"]["options"]
    assert (options["project"], options["region"]) == ("a-project", "europe-west4")
    assert options["pipelineUrl"].startswith(f"gs://a-bucket/staging/{made.job['name']}")
    assert made.job["type"] == "JOB_TYPE_BATCH"


@EACH
def test_a_job_is_found_by_recipe_and_stage(recipe: str, stage: str) -> None:
    job = request(recipe, stage).job
    assert job["labels"] == {"team": "nlp", "recipe": recipe, "stage": stage}
    assert re.fullmatch(rf"conceptloom-{recipe}-{stage}-\d{{8}}-\d{{6}}-[0-9a-f]{{6}}", job["name"])


@EACH
def test_nothing_of_this_process_is_sent_but_the_graph(recipe: str, stage: str) -> None:
    """A pickled session would bring the modules of whoever started the build."""
    names = set(request(recipe, stage).staged)
    assert names - {"submission_environment_dependencies.txt"} == {"pipeline.pb"}


def _hints(made: Request, transform: Any) -> dict[str, bytes]:
    environment = made.environment(transform)
    return dict(environment.resource_hints) if environment else {}


@EACH
def test_hints_stand_on_the_scoring_alone(recipe: str, stage: str) -> None:
    made = request(recipe, stage)
    wanted = {
        resource_hints.ACCELERATOR.urn: HINTS["accelerator"].encode(),
        resource_hints.MIN_RAM_BYTES.urn: b"16000000000",
    }
    for transform in made.transforms:
        scoring = transform.unique_name.split("/")[:2] == ["Select", "Score"]
        assert _hints(made, transform) == (wanted if scoring else {}), transform.unique_name
    if stage == "select":
        assert "Select/Score/ScorePostings/ParDo(RunTask)" in made.names


def test_without_hints_there_is_one_environment() -> None:
    made = make_request("korean-commongen", context("korean-commongen", "select"), "select")
    assert len(made.graph.components.environments) == 1
    assert [_hints(made, transform) for transform in made.transforms if _hints(made, transform)] == []


@EACH
def test_names_are_stable(recipe: str, stage: str) -> None:
    """Unique, and the same when a stage is constructed again."""
    names = request(recipe, stage).names
    assert len(set(names)) == len(names) > 5
    assert make_request(recipe, context(recipe, stage), stage).names == names


def _ingest_of(path: Path, texts: list[str]) -> list[str]:
    source = {"inputs": {"other": lines_input(write_lines(path, texts))}}
    plan = plan_inputs(make_settings(RECIPES["korean-commongen"].settings, source, "the test").inputs)
    return make_request("korean-commongen", context("korean-commongen", "ingest", plan), "ingest").names


def test_names_do_not_depend_on_the_inputs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that is cut into pieces needs a count of its lines; all other steps are called what they are called."""
    names, texts = request("korean-commongen", "ingest").names, list(many_sentences(300))
    assert _ingest_of(tmp_path / "a.txt", texts) == names
    monkeypatch.setattr(conceptloom.pipelines.build.inputs, "SPAN_BYTES", 4_099)
    in_pieces = set(_ingest_of(tmp_path / "b.txt", texts))
    assert in_pieces > set(names)
    assert {name.split("/")[1] for name in in_pieces - set(names)} == {"Count lines", "First records"}


@EACH
def test_keys_are_encoded_in_one_way(recipe: str, stage: str) -> None:
    """A shuffle by a key whose bytes may differ between workers would tear a bucket apart."""
    parts = request(recipe, stage).graph.components
    groupings = [one for one in parts.transforms.values() if one.spec.urn == "beam:transform:group_by_key:v1"]
    for grouping in groupings:
        (collection,) = grouping.inputs.values()
        pair = parts.coders[parts.pcollections[collection].coder_id]
        key = parts.coders[pair.component_coder_ids[0]].spec
        assert pair.spec.urn == "beam:coder:kv:v1"
        assert key.urn == "beam:coder:varint:v1" or (key.payload.startswith(b"\n") and b"Deterministic" in key.payload)
    assert groupings


def _load_elsewhere(directory: Path, graphs: list[bytes]) -> subprocess.CompletedProcess[str]:
    """Loads graphs in a fresh process that can import the project's packages, and nothing else from its folder."""
    packages = directory / "packages"
    packages.mkdir(parents=True)
    (packages / "conceptloom").symlink_to(Path(conceptloom.__file__).parent)
    paths = [directory / f"{number}.pb" for number in range(len(graphs))]
    for path, graph in zip(paths, graphs, strict=True):
        path.write_bytes(graph)
    script = Path(directory / "load_pickled.py")
    script.write_bytes((HERE / "load_pickled.py").read_bytes())
    clean = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    command = [sys.executable, str(script), str(packages), *map(str, paths)]
    options: dict[str, Any] = {"cwd": directory, "env": {**clean, "PYTHONPATH": str(packages)}, "timeout": 120}
    return subprocess.run(command, capture_output=True, text=True, check=False, **options)


def test_all_that_is_pickled_loads_in_a_fresh_process(tmp_path: Path) -> None:
    """By the names that a worker with the installed package has; each step gets the task that its name says."""
    made = [request(recipe, stage) for recipe, stage in STAGES]
    done = _load_elsewhere(tmp_path, [one.staged["pipeline.pb"] for one in made])
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    for one, loaded in zip(made, said["loaded"], strict=True):
        steps = {name for name in one.names if "ParDo(RunTask)" in name}
        assert steps
        for name in steps:
            assert loaded[name] == f"conceptloom.transforms.blocks.RunTask {name.split('/')[-2]}"
        assert {kind.split(".")[0] for kind in loaded.values()} <= {"apache_beam", "conceptloom", "builtins"}
    loaded = {".".join(name.split(".")[:2]) for name in said["modules"]}
    assert loaded and not loaded & {"conceptloom.pipelines", "conceptloom.runners", "conceptloom.cli"}


class TaskOfATest(Task):
    """Such a task no worker could load."""

    outputs = ("blocks",)

    def run(self, bucket: int, blocks: Sequence[bytes], side: bytes | None = None) -> Iterator[Output]:
        yield Output("blocks", bucket, b"")


def test_what_only_the_tests_hold_does_not_load(tmp_path: Path) -> None:
    pipeline = beam.Pipeline(runner="DirectRunner")
    pipeline | beam.Create([(0, [b""])]) | beam.ParDo(RunTask(TaskOfATest()))
    done = _load_elsewhere(tmp_path, [pipeline.to_runner_api().SerializeToString()])
    assert done.returncode != 0
    assert re.search(r"No module named '(tests\b.*|test_dataflow_request)'", done.stderr)


def _plain(payload: bytes) -> bytes:
    """The pickle inside a payload."""
    raw = base64.b64decode(payload)
    return bz2.decompress(raw) if raw.startswith(b"BZh") else zlib.decompress(raw)


def _everything(made: Request) -> bytes:
    """All bytes of a request, with the pickles unpacked; where Beam is installed its own functions tell, left out."""
    parts = [json.dumps(made.job).encode(), made.staged["pipeline.pb"]]
    for transform in made.transforms:
        if "pickled_python" in transform.spec.urn:
            parts.append(_plain(transform.spec.payload))
        if transform.spec.urn == "beam:transform:pardo:v1":
            payload = beam_runner_api_pb2.ParDoPayload.FromString(transform.spec.payload)
            parts.append(_plain(payload.do_fn.payload))
    return b"\n".join(parts).replace(os.path.dirname(apache_beam.__file__).encode(), b"")


@EACH
def test_no_path_of_this_machine_is_sent(recipe: str, stage: str) -> None:
    sent = _everything(request(recipe, stage))
    assert OUTPUT.encode() in sent
    for place in (ROOT, SAMPLES, Path.home(), Path(tempfile.gettempdir()), Path.cwd(), Path(sys.prefix)):
        assert str(place).encode() not in sent


def test_each_stage_is_a_request_of_its_own() -> None:
    names = [
        make_request("korean-commongen", context("korean-commongen", "publish"), "publish").job["name"] for _ in "ab"
    ]
    assert names[0] != names[1]


def test_a_name_that_is_given_stays() -> None:
    made = make_request(
        "korean-commongen", context("korean-commongen", "split"), "split", [*NEEDED, "--job_name=weekly"]
    )
    assert re.fullmatch(r"weekly-split-\d{8}-\d{6}-[0-9a-f]{6}", made.job["name"])

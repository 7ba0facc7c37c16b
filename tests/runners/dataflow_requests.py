"""Complete job requests of Dataflow, made without a network: what the service would get, and the files beside it."""

import functools
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import apache_beam as beam
import pytest
from apache_beam.internal.gcp.auth import _Credentials
from apache_beam.options.pipeline_options import PipelineOptions
from apache_beam.portability.api import beam_runner_api_pb2
from apache_beam.runners.dataflow.internal.apiclient import DataflowApplicationClient
from builds import SAMPLE_INPUTS, sample_build
from english_builds import DEMO, sample_english

from conceptloom.manifest import read_manifest
from conceptloom.pipelines import RECIPES
from conceptloom.pipelines.build.configuration import make_settings
from conceptloom.pipelines.build.context import Context
from conceptloom.pipelines.build.inputs import InputPlan, plan_inputs
from conceptloom.runners.dataflow import job_options

IMAGE = "europe-west4-docker.pkg.dev/a-project/images/conceptloom:0.1.0"
NEEDED = (
    "--project=a-project",
    "--region=europe-west4",
    "--temp_location=gs://a-bucket/temp",
    f"--sdk_container_image={IMAGE}",
)
OUTPUT = "gs://a-bucket/builds/first"
HINTS = {"accelerator": "type:nvidia-tesla-t4;count:1;install-nvidia-driver", "min_ram": "16GB"}


class Samples(NamedTuple):
    """The sample corpora of a recipe, and a finished build of them."""

    inputs: dict[str, Any]
    build: Callable[[], Path]
    settings: dict[str, Any]


SAMPLES: dict[str, Samples] = {
    "korean-commongen": Samples(SAMPLE_INPUTS, sample_build, {}),
    "commongen": Samples(DEMO["inputs"], sample_english, {"conceptnet": "gs://a-bucket/raw/concepts_en.txt"}),
}
"""A recipe that is missing here fails the tests: each is tried."""

STAGES = [(recipe, stage.name) for recipe, one in RECIPES.items() for stage in one.stages]


@dataclass(frozen=True)
class Request:
    """A job request: the Job message as JSON, the graph, and the contents of the staged files by name."""

    job: dict[str, Any]
    graph: Any
    staged: dict[str, bytes]

    @property
    def transforms(self) -> list[Any]:
        """Every transform of the graph, composites included, but for the nameless root."""
        return [one for one in self.graph.components.transforms.values() if one.unique_name in self.names]

    @property
    def names(self) -> list[str]:
        """The transforms' full names, sorted."""
        found = (one.unique_name for one in self.graph.components.transforms.values())
        return sorted(name for name in found if not name.startswith("ref_"))

    def environment(self, transform: Any) -> Any:
        """The environment that a transform runs in; None for one that the service does itself."""
        return self.graph.components.environments.get(transform.environment_id)


class _OfflineClient(DataflowApplicationClient):  # type: ignore[misc]
    """Keeps what would be uploaded."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.staged: dict[str, bytes] = {}

    def stage_file(self, place: str, name: str, stream: Any, *_: Any, **__: Any) -> None:
        self.staged[name] = stream.read()


def context(recipe: str, stage: str, plan: InputPlan | None = None, **settings: Any) -> Context:
    """What a stage may know when it is about to run, in a build to Cloud Storage."""
    chosen, samples = RECIPES[recipe], SAMPLES[recipe]
    typed = make_settings(chosen.settings, {"inputs": samples.inputs, **samples.settings, **settings}, "the test")
    stages = tuple(one.name for one in chosen.stages)
    plan = plan or plan_inputs(typed.inputs)
    remote = tuple(replace(file, path=f"gs://a-bucket/raw/{file.name}") for file in plan.files)
    local = Context(typed, plan, str(samples.build()), stages)
    before = stages[: stages.index(stage)]
    manifests = {name: read_manifest(local.directory(name)) for name in before}
    assert None not in manifests.values()
    return Context(typed, replace(plan, files=remote), OUTPUT, stages, manifests)  # type: ignore[arg-type]


def make_request(recipe: str, context: Context, stage: str, flags: Sequence[str] = NEEDED) -> Request:
    """The request for one stage, by Beam's own Dataflow runner and client."""
    (construct,) = (one.construct for one in RECIPES[recipe].stages if one.name == stage)
    with pytest.MonkeyPatch.context() as patch:
        # Said to be there, else the first use of a bucket looks for credentials for half a minute.
        patch.setattr(_Credentials, "_credentials_init", True)
        options = PipelineOptions([*job_options(flags, recipe, stage), "--dry_run=True", "--no_auth"])
        pipeline = beam.Pipeline(options=options)
        construct(context, pipeline)
        job = pipeline.run().job
        client = _OfflineClient(job.options, job.root_staging_location)
        client.create_job_description(job)
    graph = beam_runner_api_pb2.Pipeline.FromString(client.staged["pipeline.pb"])
    return Request(json.loads(job.json()), graph, client.staged)


@functools.cache
def request(recipe: str, stage: str) -> Request:
    """The request for a stage of a build of the samples that wants an accelerator, made once."""
    wanted = {"resources": {"score": HINTS}} if "resources" in RECIPES[recipe].settings.model_fields else {}
    return make_request(recipe, context(recipe, stage, **wanted), stage, FLAGS)


FLAGS = (
    *NEEDED,
    "--staging_location=gs://a-bucket/staging",
    "--machine_type=n1-highmem-4",
    "--num_workers=2",
    "--max_num_workers=40",
    "--autoscaling_algorithm=THROUGHPUT_BASED",
    "--disk_size_gb=60",
    "--labels=team=nlp",
    "--service_account_email=loom@a-project.iam.gserviceaccount.com",
    "--network=inner",
    "--subnetwork=regions/europe-west4/subnetworks/inner",
    "--no_use_public_ips",
    "--worker_zone=europe-west4-b",
)

"""Checks of Dataflow options before a job is submitted: each yields the problems that it finds, with remedies."""

import ast
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from importlib import import_module

import apache_beam
from apache_beam.options.pipeline_options import (
    GoogleCloudOptions,
    PipelineOptions,
    SetupOptions,
    StandardOptions,
    TestOptions,
    WorkerOptions,
)

from conceptloom.runners.options import parsed, unknown

_PROJECT = re.compile(r"([a-z][-a-z0-9.]+:)?[a-z][-a-z0-9]{4,28}[a-z0-9]")
_REGION = re.compile(r"[a-z]+-[a-z]+\d+")
_FOLDER = re.compile(r"gs://[a-z0-9][-_.a-z0-9]+[a-z0-9]/\S*")
_IMAGE = re.compile(r"[a-z0-9][-.a-z0-9]*(:\d+)?(/[-._a-z0-9]+)+(:[\w][-.\w]*)?(@sha256:[0-9a-f]{64})?", re.ASCII)
_BEAMS_OWN = re.compile(r"(.*/)?beam_python3\.\d+_sdk(_ml|_distroless|_gpu)?(:[^/]*)?")
_IMAGE_PYTHON = re.compile(r"py(?:thon)?-?(3\.\d+)")
_IMAGE_BEAM = re.compile(r"(?:beam-?|_sdk\w*:)(\d+\.\d+\.\d+)")
_LABEL_KEY = re.compile(r"[a-z][-_a-z0-9]{0,62}")
_LABEL_VALUE = re.compile(r"[-_a-z0-9]{0,63}")
_SUBNETWORK = re.compile(r"(https://.+/)?regions/[^/]+/subnetworks/[^/]+")
_JOB_NAME = re.compile(r"[a-z]([-a-z0-9]*[a-z0-9])?")
_OUR_IMAGE = "build and push the image of the Dockerfile and give it as --sdk_container_image"

Complaints = Iterator[str]


def missing(flags: Sequence[str], inputs: Sequence[str], output: str) -> list[str]:
    """Returns all reasons why a build with these pipeline options cannot run on Dataflow; empty if there are none.

    Raises ConfigError for an option whose value cannot be parsed.
    """
    options = parsed(flags)
    checks: tuple[Callable[[PipelineOptions], Iterable[str]], ...] = (
        _package,
        unknown,
        _place,
        _locations,
        _image,
        _labels,
        _workers,
        _unsuited,
    )
    return [*(found for check in checks for found in check(options)), *_files(inputs, output)]


def _package(options: PipelineOptions) -> Complaints:
    try:
        import_module("apache_beam.runners.dataflow.internal.apiclient")
    except ImportError:
        yield "the Google packages of Beam's Dataflow runner are not installed: pip install 'conceptloom[gcp]'"


def _place(options: PipelineOptions) -> Complaints:
    cloud = options.view_as(GoogleCloudOptions)
    if not cloud.project:
        yield "no project: give --project=PROJECT_ID"
    elif not _PROJECT.fullmatch(cloud.project):
        yield f"--project={cloud.project} is not a project id: give the id, not the number or the title"
    if not cloud.region:
        yield "no region: give --region, such as europe-west4"
    elif not _REGION.fullmatch(cloud.region):
        yield f"--region={cloud.region} is not a region: give one such as europe-west4 (a zone goes to --worker_zone)"
    if cloud.service_account_email and not re.fullmatch(r"[^@\s]+@[^@\s]+", cloud.service_account_email):
        yield f"--service_account_email={cloud.service_account_email} is not an address: give NAME@PROJECT.iam…"
    if cloud.job_name and not _JOB_NAME.fullmatch(cloud.job_name):
        yield f"--job_name={cloud.job_name}: a job name has lower-case letters, digits and -, and starts with a letter"


def _locations(options: PipelineOptions) -> Complaints:
    cloud = options.view_as(GoogleCloudOptions)
    if not cloud.temp_location:
        yield "no place for temporary files: give --temp_location=gs://BUCKET/FOLDER"
    for name in ("temp_location", "staging_location"):
        given = getattr(cloud, name)
        if given and not _FOLDER.fullmatch(given):
            yield f"--{name}={given} is not on Cloud Storage: give gs://BUCKET/FOLDER"


def _files(inputs: Sequence[str], output: str) -> Complaints:
    local = [path for path in inputs if not path.startswith("gs://")]
    if local:
        yield f"workers cannot read the local input {', '.join(local)}: copy it to gs://BUCKET/FOLDER and give that"
    if not output.startswith("gs://"):
        yield f"workers cannot write to the local output {output}: give --output gs://BUCKET/FOLDER"


def _image(options: PipelineOptions) -> Complaints:
    worker, setup = options.view_as(WorkerOptions), options.view_as(SetupOptions)
    image = worker.sdk_container_image or worker.worker_harness_container_image
    with_package = setup.setup_file or setup.extra_packages
    if setup.setup_file and not os.path.isfile(setup.setup_file):
        yield f"--setup_file={setup.setup_file}: no such file"
    if not image and not with_package:
        yield f"no image: the workers need this package; {_OUR_IMAGE}"
    if image and not _IMAGE.fullmatch(image):
        yield f"--sdk_container_image={image} is not an image: give REGISTRY/NAME:TAG"
    if image and _BEAMS_OWN.fullmatch(image) and not with_package:
        yield f"image {image} is Beam's own, without this package: {_OUR_IMAGE}"
    yield from _versions(image or "")


def _versions(image: str) -> Complaints:
    """Checks the versions in an image's name: pickles need the same Python and the same Beam on both sides."""
    here = f"{sys.version_info.major}.{sys.version_info.minor}"
    python, beam = _IMAGE_PYTHON.search(image), _IMAGE_BEAM.search(image)
    if python and python[1] != here:
        yield f"image {image} has Python {python[1]}, this is Python {here}: use the same on both sides"
    if beam and beam[1] != apache_beam.__version__:
        yield f"image {image} has Beam {beam[1]}, this is Beam {apache_beam.__version__}: use the same on both sides"


def _labels(options: PipelineOptions) -> Complaints:
    for text in options.view_as(GoogleCloudOptions).labels or ():
        for key, value in _label_pairs(text):
            if not _LABEL_KEY.fullmatch(key) or not _LABEL_VALUE.fullmatch(value):
                yield f"label {key}={value}: a label is KEY=VALUE of at most 63 lower-case letters, digits, - and _"


def _label_pairs(text: str) -> list[tuple[str, str]]:
    """Parses a label as Beam does: KEY=VALUE, or a mapping."""
    if "{" not in text:
        key, _, value = text.partition("=")
        return [(key, value)]
    try:
        return [(str(key), str(value)) for key, value in ast.literal_eval(text).items()]
    except (ValueError, SyntaxError, AttributeError):
        return [(text, "")]


def _workers(options: PipelineOptions) -> Complaints:
    worker = options.view_as(WorkerOptions)
    first, most = worker.num_workers, worker.max_num_workers
    for name, count in (("num_workers", first), ("max_num_workers", most)):
        if count is not None and count < 1:
            yield f"--{name}={count}: at least one worker is needed"
    if first and most and first > most:
        yield f"--num_workers={first} is more than --max_num_workers={most}: raise the one or lower the other"
    if worker.worker_region and worker.worker_zone:
        yield "--worker_region and --worker_zone are both given: omit one"
    if worker.subnetwork and not _SUBNETWORK.fullmatch(worker.subnetwork):
        yield f"--subnetwork={worker.subnetwork}: write it as regions/REGION/subnetworks/NAME"


def _unsuited(options: PipelineOptions) -> Complaints:
    """Checks for options that prevent a batch job or do not wait for it: the next stage needs the job's output."""
    cloud, standard = options.view_as(GoogleCloudOptions), options.view_as(StandardOptions)
    given: dict[str, object] = {
        "template_location": cloud.template_location,
        "update": cloud.update,
        "streaming": standard.streaming,
        "no_wait_until_finish": standard.no_wait_until_finish,
        "dry_run": options.view_as(TestOptions).dry_run,
    }
    for name, value in given.items():
        if value:
            yield f"--{name} cannot be used with batch jobs: omit it"

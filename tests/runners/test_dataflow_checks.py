"""Everything that a Dataflow job would miss is said in one line, before anything is sent."""

import sys
from pathlib import Path

import apache_beam
import pytest
from builds import RECIPE, SAMPLE_ARGUMENTS, here
from dataflow_requests import FLAGS, IMAGE, NEEDED

from conceptloom.errors import ConfigError
from conceptloom.pipelines import RECIPES
from conceptloom.pipelines.build.configuration import make_settings
from conceptloom.runners.dataflow import DataflowRunner
from conceptloom.runners.dataflow_checks import missing

INPUTS, OUTPUT = ["gs://a-bucket/raw/*.json"], "gs://a-bucket/builds/first"
PYTHON = f"{sys.version_info.major}.{sys.version_info.minor}"
BEAM = apache_beam.__version__
OTHERS = [flag for flag in NEEDED if not flag.startswith("--sdk_container_image")]


@pytest.mark.parametrize("flags", [NEEDED, FLAGS])
def test_nothing_is_missing(flags: tuple[str, ...]) -> None:
    assert missing(flags, INPUTS, OUTPUT) == []
    DataflowRunner(flags, workers=2).prepare(RECIPE, INPUTS, OUTPUT)


@pytest.mark.parametrize("flag", NEEDED)
def test_what_is_left_out_is_named(flag: str) -> None:
    (complaint,) = missing([one for one in NEEDED if one != flag], INPUTS, OUTPUT)
    assert flag.partition("=")[0] in complaint


@pytest.mark.parametrize(
    ("flag", "part"),
    [
        ("--project=1234567890", "not the number"),
        ("--project=My Project", "--project=My Project"),
        ("--region=europe-west4-b", "--worker_zone"),
        ("--temp_location=/tmp/x", "gs://BUCKET/FOLDER"),
        ("--temp_location=gs://bucket", "--temp_location=gs://bucket "),
        ("--staging_location=s3://bucket/x", "--staging_location=s3://bucket/x "),
        ("--sdk_container_image=https://pkg.dev/image", "REGISTRY/NAME:TAG"),
        ("--labels=Team=nlp", "label Team=nlp"),
        ("--labels=team=" + "x" * 64, "at most 63"),
        ("--labels={'team': 'NLP'}", "label team=NLP"),
        ("--labels={team", "label {team"),
        ("--service_account_email=loom", "--service_account_email=loom "),
        ("--subnetwork=inner", "regions/REGION/subnetworks/NAME"),
        ("--num_workers=0", "at least one worker"),
        ("--max_num_workers=-1", "at least one worker"),
        ("--job_name=Weekly_build", "--job_name=Weekly_build"),
        ("--template_location=gs://a-bucket/template", "--template_location"),
        ("--streaming", "--streaming"),
        ("--update", "--update"),
        ("--dry_run=True", "--dry_run"),
        ("--no_wait_until_finish", "--no_wait_until_finish"),
        ("--machine_typ=n1-standard-4", "--machine_typ"),
        ("--setup_file=/nowhere/setup.py", "/nowhere/setup.py: no such file"),
    ],
)
def test_what_is_wrong_is_named(flag: str, part: str) -> None:
    (complaint,) = missing([*NEEDED, flag], INPUTS, OUTPUT)
    assert part in complaint


@pytest.mark.parametrize(
    "flags",
    [["--num_workers=5", "--max_num_workers=2"], ["--worker_region=europe-west4", "--worker_zone=europe-west4-b"]],
)
def test_options_that_do_not_go_together(flags: list[str]) -> None:
    (complaint,) = missing([*NEEDED, *flags], INPUTS, OUTPUT)
    assert all(flag.partition("=")[0] in complaint for flag in flags)


@pytest.mark.parametrize("flag", ["--num_workers=many", "--autoscaling_algorithm=SOME"])
def test_a_value_that_cannot_be_read(flag: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(ConfigError, match=flag.partition("=")[2]):
        missing([*NEEDED, flag], INPUTS, OUTPUT)
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    ("image", "parts"),
    [
        (f"apache/beam_python{PYTHON}_sdk:{BEAM}", ["without this package"]),
        (f"gcr.io/cloud-dataflow/v1beta3/beam_python{PYTHON}_sdk:{BEAM}", ["without this package"]),
        ("apache/beam_python3.9_sdk:2.50.0", ["without this package", "Python 3.9", "Beam 2.50.0"]),
        ("eu.gcr.io/p/conceptloom:0.1.0-beam2.50.0-py3.9", ["Python 3.9", "Beam 2.50.0"]),
        (f"eu.gcr.io/p/conceptloom:0.1.0-beam{BEAM}-py{PYTHON}", []),
        (f"localhost:5000/p/conceptloom@sha256:{'0' * 64}", []),
        (IMAGE, []),
    ],
)
def test_an_image_by_its_name(image: str, parts: list[str]) -> None:
    found = missing([*OTHERS, f"--sdk_container_image={image}"], INPUTS, OUTPUT)
    assert len(found) == len(parts)
    assert all(part in complaint for part, complaint in zip(parts, found, strict=True))


def test_the_package_may_come_with_the_job(tmp_path: Path) -> None:
    setup = tmp_path / "setup.py"
    setup.touch()
    for flag in (f"--setup_file={setup}", "--extra_package=conceptloom-0.1.0-py3-none-any.whl"):
        assert missing([*OTHERS, flag], INPUTS, OUTPUT) == []
        image = f"--sdk_container_image=apache/beam_python{PYTHON}_sdk:{BEAM}"
        assert missing([*OTHERS, flag, image], INPUTS, OUTPUT) == []


def test_files_that_workers_do_not_see() -> None:
    found = missing(NEEDED, ["a.txt", *INPUTS, "/raw/b.txt"], "builds/first")
    assert [("a.txt, /raw/b.txt" in one, "builds/first" in one) for one in found] == [(True, False), (False, True)]


@pytest.mark.parametrize("recipe", RECIPES)
def test_a_frozen_build_must_be_where_workers_see_it(recipe: str, tmp_path: Path) -> None:
    data = {"inputs": {"captions": {"patterns": INPUTS}}, "frozen": str(tmp_path)}
    files = make_settings(RECIPES[recipe].settings, data, "the test").files()
    with pytest.raises(ConfigError, match=f"cannot read the local input {tmp_path}"):
        DataflowRunner(NEEDED, workers=2).prepare(recipe, files, OUTPUT)
    there = make_settings(RECIPES[recipe].settings, {**data, "frozen": OUTPUT}, "the test")
    DataflowRunner(NEEDED, workers=2).prepare(recipe, there.files(), "gs://a-bucket/builds/second")


def test_beam_without_its_google_part(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "apache_beam.runners.dataflow.internal.apiclient", None)
    assert missing(NEEDED, INPUTS, OUTPUT) == [
        "the Google packages of Beam's Dataflow runner are not installed: pip install 'conceptloom[gcp]'",
    ]


@pytest.mark.parametrize("dry", [[], ["--dry-run"]])
def test_all_of_it_is_said_in_one_line(tmp_path: Path, dry: list[str]) -> None:
    output = tmp_path / "out"
    said = here("build", RECIPE, *SAMPLE_ARGUMENTS, "--output", output, "--runner=dataflow", *dry)
    assert said.returncode == 1
    assert said.stderr.count("\n") == 1
    for part in ("--project", "--region", "--temp_location", "Dockerfile", "captions_ko.json", str(output)):
        assert part in said.stderr
    assert not output.exists()


def test_options_come_from_the_command_line(tmp_path: Path) -> None:
    """All but the local files is well."""
    said = here(
        "build", RECIPE, *SAMPLE_ARGUMENTS, "--output", tmp_path, "--runner=dataflow", "--workers=3", "--", *FLAGS
    )
    assert said.returncode == 1
    assert said.stderr.startswith("error: runner dataflow: workers cannot read the local input")

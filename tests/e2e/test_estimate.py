"""`conceptloom estimate` against builds of its input, and the counters that it rests on against what is carried."""

import json
from pathlib import Path
from typing import Any

import apache_beam as beam
import pytest
from builds import RECIPE, SAMPLE_ARGUMENTS, build, finished_cli, here, lines_input, many_sentences, write_lines
from spelling import Spell

import conceptloom.pipelines.build.inputs
from conceptloom.estimation.machine import resident
from conceptloom.pipelines import RECIPES
from conceptloom.pipelines.build.configuration import make_settings
from conceptloom.pipelines.build.context import Context
from conceptloom.pipelines.estimation.estimate import Estimate, estimate
from conceptloom.runners.direct import DirectRunner
from conceptloom.tables import COMPRESSED
from conceptloom.tasks.base import SPENT, timed
from conceptloom.transforms.blocks import EachBucket, MapBlocks

SPLIT = {"split": {"test": 0.02, "validation": 30}}


@pytest.mark.parametrize("workers", [1, 2])
def test_what_leaves_a_task_is_counted(workers: int) -> None:
    def construct(pipeline: beam.Pipeline) -> Any:
        return pipeline | EachBucket(6) | MapBlocks(Spell())

    with DirectRunner.with_workers(workers) as runner:
        counted = runner.run("spell", construct)
    carried = {name: number for name, number in counted.items() if name.startswith("shuffled")}
    assert carried == {
        "shuffled_bytes_letters": 2 * 15,
        "shuffled_blocks_letters": 12,
        "shuffled_bytes_digits": 6,
        "shuffled_blocks_digits": 6,
    }


def test_only_the_task_itself_is_timed() -> None:
    results = timed(Spell(), 3, [], None)
    outputs = []
    for output in results:
        outputs.append(output)
        sum(range(500_000))
    assert [output.tag for output in outputs] == ["letters", "letters", "digits", SPENT]
    assert 0 <= int(outputs[-1].data) < 5


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> tuple[Estimate, Context]:
    """The estimate of a corpus with copies, from a third of it, and its build."""
    directory = tmp_path_factory.mktemp("estimate")
    texts = list(many_sentences(12_000))
    inputs = {
        "captions": lines_input(
            write_lines(directory / "a.txt", texts[:7_000]), write_lines(directory / "b.txt", texts[6_000:9_000])
        ),
        "dialogues": lines_input(write_lines(directory / "c.txt", texts[8_000:])),
    }
    recipe = RECIPES[RECIPE]
    settings = make_settings(recipe.settings, {"inputs": inputs, **SPLIT}, "the test")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(conceptloom.pipelines.build.inputs, "BUCKET_BYTES", 120_000)
        size = sum(path.stat().st_size for path in directory.glob("*.txt"))
        found = estimate(recipe, settings, DirectRunner(), where="direct", workers=1, sample_bytes=size // 3)
        return found, build(directory / "out", inputs, **SPLIT)


def _near(one: float, other: float, within: float) -> bool:
    return abs(one - other) <= within * max(other, 1)


def test_sentences_are_estimated(both: tuple[Estimate, Context]) -> None:
    found, context = both
    assert found.sample["times"] > 2
    for one in found.stages:
        counts = context.ledger(one.name).sources.values()
        assert _near(one.read, sum(count.read for count in counts), 0.2), one
        assert _near(one.kept, sum(count.kept for count in counts), 0.2), one


def test_bytes_are_estimated(both: tuple[Estimate, Context]) -> None:
    found, context = both
    for one in found.stages[:3]:
        manifest = context.manifests[one.name]
        counters = manifest.summary["counters"]
        shuffled = sum(number for name, number in counters.items() if name.startswith("shuffled_bytes_"))
        assert _near(one.bytes_shuffled, shuffled, 0.3), one
        assert _near(one.bytes_written, sum(file["bytes"] for file in manifest.files), 0.2), one


def test_what_there_is_no_more_of_is_not_estimated(tmp_path: Path) -> None:
    """A sample of everything: the numbers of sentences are those of the build, and the settings are checked alike."""
    said = finished_cli("estimate", RECIPE, *SAMPLE_ARGUMENTS, "--workers", 2, "--json", cwd=tmp_path)
    found = json.loads(said.stdout)
    assert [one["read"] for one in found["stages"]] == [1252, 972, 968, 968]
    assert found["stages"][0]["kept"] == 972 and found["sample"]["times"] == 1.0
    assert found["memory"] > 150 * 2**20 and found["seconds"] > 0
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "status", "named"),
    [
        (["--runner", "spark"], 1, "direct, flink, dataflow"),
        (["--sample", "much"], 1, "--sample expects a number of bytes"),
        (["--set", "split.tests=1"], 1, "unknown key split.tests"),
        (["--workers", "0"], 2, "--workers"),
    ],
)
def test_wrong_use(arguments: list[str], status: int, named: str) -> None:
    said = here("estimate", RECIPE, *SAMPLE_ARGUMENTS, *arguments)
    assert said.returncode == status and named in said.stderr


def test_the_machines_of_others_do_not_hold_the_shuffle() -> None:
    """On Flink a worker holds one bucket; its time is divided by all workers, as far as there are buckets."""
    recipe = RECIPES[RECIPE]
    settings = make_settings(
        recipe.settings, {"inputs": {"captions": {"patterns": [SAMPLE_ARGUMENTS[0].split("=", 2)[2]]}}}, "the test"
    )
    found = estimate(
        recipe, settings, DirectRunner(compression=COMPRESSED), where="flink", workers=64, sample_bytes=10**6
    )
    assert "divided by 1 (" in found.assumptions[0]
    assert "disks" in found.assumptions[1]
    assert found.memory - resident() < 2**30

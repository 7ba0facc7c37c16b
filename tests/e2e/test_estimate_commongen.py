"""`conceptloom estimate commongen` against builds: of the sample corpora, and of real captions from a part of them."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from builds import here, write_lines
from english_builds import DEMO, ENGLISH, NAMES, RECIPE, STAGES, build_english, coco_captions, sample_english

import conceptloom.estimation.sampling
import conceptloom.pipelines.build.inputs
import conceptloom.tasks.commongen.mine
from conceptloom.errors import ConfigError
from conceptloom.estimation.machine import resident
from conceptloom.hashing import text_id
from conceptloom.pipelines import RECIPES
from conceptloom.pipelines.build.configuration import make_settings
from conceptloom.pipelines.build.context import Context
from conceptloom.pipelines.estimation.estimate import Estimate, estimate
from conceptloom.runners.direct import DirectRunner
from conceptloom.tables import COMPRESSED

REAL = {
    "conceptnet": str(NAMES),
    "sample": {"size": 6000},
    "quotas": {"dev": {3: 40, 4: 0.02}, "test": {4: 60, 5: 0.03}},
}


def estimated(
    settings: dict[str, Any], sample_bytes: int = 1 << 24, where: str = "direct", workers: int = 1
) -> Estimate:
    recipe = RECIPES[RECIPE]
    chosen = make_settings(recipe.settings, settings, "the test")
    runner = DirectRunner(compression=None if where == "direct" else COMPRESSED)
    return estimate(recipe, chosen, runner, where=where, workers=workers, sample_bytes=sample_bytes)


def counted(context: Context) -> list[tuple[int, int]]:
    """What each stage of a build read and kept."""
    ledgers = [context.ledger(stage).sources.values() for stage in STAGES]
    return [(sum(one.read for one in counts), sum(one.kept for one in counts)) for counts in ledgers]


class Both(NamedTuple):
    """The estimate of a corpus, from a third of it, its build, and how near the rows should be."""

    found: Estimate
    context: Context
    within: float


@pytest.fixture(
    scope="module",
    params=[
        (0.15, {}),
        # Few captions are alike, and two that are bring hundreds of sets: so small a sample is far from even.
        (
            0.25,
            {
                "preset": "every-lemma",
                "mine": {"min_support": 2, "max_concepts": 8},
                "overlap": {"policy": "none"},
            },
        ),
    ],
    ids=["all", "twice"],
)
def both(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Both:
    """Real captions in an order by chance, every fourth of which is said twice."""
    if not ENGLISH.exists():
        pytest.skip("the real captions are not here")
    directory = tmp_path_factory.mktemp("estimate")
    texts = sorted(coco_captions(14_000), key=text_id)
    files = [write_lines(directory / name, part) for name, part in (("a.txt", texts), ("b.txt", texts[::4]))]
    within, more = request.param
    settings = {
        **REAL,
        **more,
        "inputs": {"captions": {"patterns": [str(path) for path in files], "format": "lines"}},
    }
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(conceptloom.pipelines.build.inputs, "BUCKET_BYTES", 120_000)
        patch.setattr(conceptloom.tasks.commongen.mine, "SHARD_SENTENCES", 900)
        # So few captions are drawn in pieces of some fifty, as a large corpus is in pieces of some hundreds.
        patch.setattr(conceptloom.estimation.sampling, "PIECE_BYTES", 3000)
        size = sum(path.stat().st_size for path in files)
        return Both(estimated(settings, size // 3), build_english(directory / "out", **settings), within)


def _near(one: float, other: float, within: float) -> bool:
    return abs(one - other) <= within * max(other, 1)


def test_rows_of_every_stage_are_estimated(both: Both) -> None:
    assert both.found.sample["times"] > 2.5
    for one, (read, kept) in zip(both.found.stages, counted(both.context), strict=True):
        assert _near(one.read, read, both.within) and _near(one.kept, kept, both.within), one
    assert 6000 <= both.found.stages[2].kept < 6500


def test_bytes_are_estimated(both: Both) -> None:
    for one in both.found.stages:
        manifest = both.context.manifests[one.name]
        counters = manifest.summary["counters"]
        shuffled = sum(number for name, number in counters.items() if name.startswith("shuffled_bytes_"))
        assert one.name == "publish" or _near(one.bytes_shuffled, shuffled, 0.3), one
        assert _near(one.bytes_written, sum(file["bytes"] for file in manifest.files), 0.2), one


@pytest.fixture(scope="module")
def arguments() -> list[object]:
    inputs = [f"--input={name}={one['patterns'][0]}" for name, one in DEMO["inputs"].items()]
    quotas = [f"--set=quotas.{split}={json.dumps(amounts)}" for split, amounts in DEMO["quotas"].items()]
    return [RECIPE, *inputs, *quotas, "--set", "inputs.captions.format=lines", "--conceptnet", DEMO["conceptnet"]]


def test_what_there_is_no_more_of_is_not_estimated(arguments: list[object]) -> None:
    """A sample of everything: all numbers are those of the build. The table says what it counts."""
    ledgers = json.loads((sample_english() / "report.json").read_text(encoding="utf-8"))["stages"]
    said = here("estimate", *arguments, "--workers", 1)
    assert said.returncode == 0, said.stderr
    lines = {line.split()[0]: line.split()[1:] for line in said.stdout.splitlines() if line.split()[:1]}
    for stage in STAGES:
        counts = ledgers[stage].values()
        numbers = [f"{sum(one[what] for one in counts):,}" for what in ("read", "kept")]
        unit = "sentences" if stage in ("ingest", "mine") else "concept sets"
        wanted = [*unit.split(), *numbers]
        assert lines[stage][: len(wanted)] == wanted


def test_held_out_sets_that_are_kept(tmp_path: Path) -> None:
    """With dev and test of an earlier build every candidate is train's; all of them are judged in every sample."""
    build_english(tmp_path / "old", limit=90)
    context = build_english(tmp_path / "new", frozen=str(tmp_path / "old"))
    found = estimated({**DEMO, "frozen": str(tmp_path / "old")})
    assert [(one.read, one.kept) for one in found.stages] == counted(context)


def test_elsewhere_a_worker_holds_a_shard() -> None:
    """On Flink a worker holds what the work on one bucket takes, and none of the shuffle."""
    before = resident()
    found = estimated(DEMO, where="flink", workers=8)
    assert "disks" in found.assumptions[1]
    assert _near(found.memory - max(one.bucket_held for one in found.stages), before, 0.1)


def test_what_a_build_refuses_is_refused(arguments: list[object]) -> None:
    for wrong, named in (
        (arguments[:-2], "--conceptnet"),
        ([*arguments, "--frozen", "/nowhere"], "no finished build"),
        ([*arguments, "--set", "sample.sizes=3"], "unknown key sample.sizes"),
    ):
        said = here("estimate", *wrong)
        assert said.returncode == 1 and named in said.stderr and said.stderr.count("\n") == 1


def test_a_recipe_that_says_nothing_of_its_costs() -> None:
    recipe = replace(RECIPES[RECIPE], costs=None)
    settings = make_settings(recipe.settings, DEMO, "the test")
    with pytest.raises(ConfigError, match="cannot be estimated: try a build with --limit"):
        estimate(recipe, settings, DirectRunner(), where="direct", workers=1, sample_bytes=1 << 20)

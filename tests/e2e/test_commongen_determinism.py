"""The recipe `commongen` gives the same bytes for any workers, order of inputs, hash seed, runner and buckets."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from builds import Recorder, differing, finished_cli, here, report, rows
from engines import prepared
from english_builds import DEMO, RECIPE, STAGES, build_english, data_of

import conceptloom.pipelines.build.inputs
import conceptloom.tasks.commongen.mine
import conceptloom.tasks.commongen.sample
import conceptloom.tasks.merging
from conceptloom.errors import OutputError
from conceptloom.pipelines.build.engine import Runner
from conceptloom.runners.direct import DirectRunner
from conceptloom.runners.prism import open_prism

LIMIT = 100
CHOSEN: dict[str, Any] = {"limit": LIMIT, "overlap": {"train_references": 1}}
"""With a cap on train's captions that some sets reach."""


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A build by the API, in this process."""
    directory = tmp_path_factory.mktemp("english") / "out"
    build_english(directory, **CHOSEN)
    assert report(directory)["over_train_references"]["sets"] > 0
    return directory


def arguments(output: Path) -> list[object]:
    """The same build on the command line, its sources the other way round."""
    inputs = [f"--input={name}={one['patterns'][0]}" for name, one in reversed(DEMO["inputs"].items())]
    quotas = [f"--set=quotas.{split}={json.dumps(amounts)}" for split, amounts in DEMO["quotas"].items()]
    named = ["--set", "inputs.captions.format=lines", "--conceptnet", DEMO["conceptnet"], "--limit", LIMIT]
    cap = ["--set", "overlap.train_references=1"]
    return [RECIPE, *inputs, *quotas, *named, *cap, "--output", output]


def test_two_workers_another_hash_seed_and_order(plain: Path, tmp_path: Path) -> None:
    finished_cli("build", *arguments(tmp_path / "out"), "--workers", 2, env={"PYTHONHASHSEED": "4711"})
    assert differing(plain, tmp_path / "out") == []


def test_buckets_and_shards_change_no_row(plain: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conceptloom.pipelines.build.inputs, "BUCKET_BYTES", 3000)
    monkeypatch.setattr(conceptloom.pipelines.build.inputs, "SPAN_BYTES", 2000)
    monkeypatch.setattr(conceptloom.tasks.commongen.mine, "SHARD_SENTENCES", 20)
    monkeypatch.setattr(conceptloom.tasks.merging, "TOGETHER", 2)
    monkeypatch.setattr(conceptloom.tasks.commongen.sample, "STRAIGHT", 4)
    merge, merged = conceptloom.tasks.commongen.sample.merge_all, list[int]()
    monkeypatch.setattr(
        conceptloom.tasks.commongen.sample,
        "merge_all",
        lambda blocks, size: merged.append(len(blocks)) or merge(blocks, size),
    )
    build_english(tmp_path / "out", **CHOSEN)
    assert len(merged) > 7 and max(merged) == 2
    shards = [
        len(list(tmp_path.glob(f"out/stages/{of}"))) for of in ("1-ingest/sent*", "2-mine/mined*", "4-split/set*")
    ]
    assert min(shards) > 3
    assert data_of(tmp_path / "out") == data_of(plain)


def test_shards_drawn_first_change_no_set(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The other shards send less, and the same sets are drawn."""
    monkeypatch.setattr(conceptloom.tasks.commongen.mine, "SHARD_SENTENCES", 10)
    names, sent = ("at-once", "ahead"), []
    for name, straight in zip(names, (256, 4)):
        monkeypatch.setattr(conceptloom.tasks.commongen.sample, "STRAIGHT", straight)
        for stage in ("ingest", "mine", "sample"):
            context = build_english(tmp_path / name, stage, **{**CHOSEN, "sample": {"size": 150}})
        sent.append(context.manifests["sample"].summary["counters"]["shuffled_bytes_drawn"])
    drawn, left = ([rows(tmp_path / name, f"stages/3-sample/{kind}*") for name in names] for kind in ("sets", "rej"))
    assert drawn[0] == drawn[1] and 150 <= len(drawn[0]) < 180
    assert left[0] == left[1] and len(left[0]) > 1000
    assert sent[1] < 0.9 * sent[0]


class Dying(Runner):
    """Does the work of one stage, and dies before the stage is committed."""

    def __init__(self, stage: str) -> None:
        self._stage, self._runner = stage, DirectRunner()

    def run(self, stage: str, construct: Callable[[Any], Any], directory: str | None = None) -> dict[str, int]:
        """See `Runner.run`."""
        counted = self._runner.run(stage, construct, directory)
        if stage == self._stage:
            raise KeyboardInterrupt
        return counted


def test_a_build_that_dies_in_each_stage_goes_on(plain: Path, tmp_path: Path) -> None:
    for number, stage in enumerate(STAGES):
        found = Recorder()
        with pytest.raises(KeyboardInterrupt):
            build_english(tmp_path / "out", runner=Dying(stage), observer=found, **CHOSEN)
        assert found.ran == list(STAGES[max(0, number - 1) : number])
    build_english(tmp_path / "out", **CHOSEN)
    assert differing(plain, tmp_path / "out") == []


def test_changed_settings_rerun_their_stage_and_what_follows(plain: Path, tmp_path: Path) -> None:
    found = Recorder()
    build_english(tmp_path / "out", only="ingest", **CHOSEN, observer=found)
    with pytest.raises(OutputError, match="stage mine"):
        build_english(tmp_path / "out", only="sample", **CHOSEN)
    build_english(tmp_path / "out", observer=found, **{**CHOSEN, "overlap": {"policy": "none"}})
    build_english(tmp_path / "out", **CHOSEN, observer=found, update=True)
    assert found.ran == [*STAGES, "split", "publish"]
    assert differing(plain, tmp_path / "out") == []


def test_other_commands(plain: Path, tmp_path: Path) -> None:
    """A dry run, explain, diff, promote; what the recipe has not is refused in one line."""
    plan = here("build", *arguments(tmp_path / "none"), "--dry-run")
    assert "ingest, mine, sample, split, publish" in plan.stdout and "single-word concepts" in plan.stdout
    row = data_of(plain)["train"][0]
    for what in (row["id"], "#".join(row["concepts"])):
        told = json.loads(here("explain", plain, what, "--json").stdout)[0]
        assert (told["id"], told["split"], told["references"]) == (row["id"], "train", row["references"])
    told = json.loads(here("explain", plain, row["target"], "--json").stdout)[0]
    assert row["id"] in [one["id"] for one in told["sets"]] and set(row["concepts"]) <= set(told["concepts"])
    assert (
        told["locator"]
        == row["locator"]
        == json.loads(here("explain", plain, row["locator"], "--json").stdout)[0]["locator"]
    )
    assert "all the same" in here("diff", plain, plain).stdout
    promoted = here("promote", plain)
    assert promoted.returncode == 0 and "pairs of test" in promoted.stdout
    said = here("variant", plain, "--kind", "noun-verb", "--output", tmp_path / "v")
    assert said.returncode == 1 and said.stderr.startswith("error: ") and said.stderr.count("\n") == 1
    assert not (tmp_path / "none").exists() and not (tmp_path / "v").exists()


def test_prism_gives_the_same_bytes(plain: Path, tmp_path: Path) -> None:
    with open_prism(1, (f"--prism_location={prepared('prism') / 'prism'}",)) as runner:
        build_english(tmp_path / "out", runner=runner, **CHOSEN)
    assert differing(plain, tmp_path / "out") == []

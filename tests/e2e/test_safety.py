"""What a build must never do: touch what is not its own, lose rows between stages, or mix the old with the new."""

import json
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from builds import RECIPE, SAMPLE_ARGUMENTS, SAMPLES, STAGES, build, data_rows, here, sample_build

from conceptloom.errors import BuildError, ConceptloomError, InputError, OutputError
from conceptloom.ledger import Ledger, SourceCounts
from conceptloom.manifest import Manifest
from conceptloom.pipelines import RECIPES, VariantRequest
from conceptloom.pipelines.build.context import Context
from conceptloom.pipelines.build.engine import check_handover, check_output
from conceptloom.pipelines.builds.finished import MARKER, open_build
from conceptloom.pipelines.builds.variant import write_variant
from conceptloom.pipelines.korean_commongen.explain import histories
from conceptloom.runners.direct import DirectRunner


@pytest.mark.parametrize("extra", [[], ["--overwrite"]])
def test_a_folder_of_somebody_else_is_left_alone(tmp_path: Path, extra: list[str]) -> None:
    for name in ("stages/mine.py", "data/precious.csv", "README.md"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("mine")
    corpus = tmp_path.parent / f"{tmp_path.name}.txt"
    corpus.write_text("개가 공을 물고 들판을 달린다.\n")
    said = here("build", RECIPE, f"--input=s={corpus}", "--output", tmp_path, *extra)
    assert (said.returncode, "contains no build" in said.stderr) == (1, True)
    assert [path.read_text() for path in sorted(tmp_path.rglob("*")) if path.is_file()] == ["mine"] * 3


def context_after(kept: dict[str, int]) -> Context:
    ledger = Ledger({source: SourceCounts(number, number) for source, number in kept.items()})
    context = Context(None, None, "", ("ingest", "select"))  # type: ignore[arg-type]
    context.manifests["ingest"] = Manifest("ingest", "", {}, (), ledger.to_json())
    return context


@pytest.mark.parametrize("read", [{"a": 3}, {"a": 3, "b": 1}, {"a": 3, "b": 3}, {"c": 5}])
def test_rows_lost_between_stages_fail_the_build(read: dict[str, int]) -> None:
    ledger = Ledger({source: SourceCounts(number, number) for source, number in read.items()})
    with pytest.raises(BuildError, match="select.*ingest"):
        check_handover(context_after({"a": 3, "b": 2}), "select", ledger)


def test_what_was_kept_may_be_read() -> None:
    ledger = Ledger({"a": SourceCounts(3, 1)})
    assert check_handover(context_after({"a": 3, "b": 0}), "select", ledger) is None


def test_no_variant_of_an_unfinished_build(tmp_path: Path) -> None:
    unfinished = tmp_path / "build"
    shutil.copytree(sample_build(), unfinished)
    (unfinished / "MANIFEST.json").unlink()
    with pytest.raises(InputError, match="no finished build"):
        write_variant(str(unfinished), VariantRequest("high-level", str(tmp_path / "variant"), 42, None))


def test_all_rows_held_out_is_an_error(tmp_path: Path) -> None:
    selected = json.loads((sample_build() / "report.json").read_text(encoding="utf-8"))["stages"]["select"]
    kept = sum(counts["kept"] for counts in selected.values())
    split: dict[str, Any] = {"policy": "random", "test": kept - 200, "validation": 200}
    with pytest.raises(ConceptloomError, match=r"train|can give"):
        build(tmp_path / "out", split=split)
    assert not (tmp_path / "out" / "MANIFEST.json").exists()


def test_explain_finds_a_malformed_record_by_its_place() -> None:
    (history,) = histories(open_build(str(sample_build())), "dialogues_ko.json#" + malformed_record())
    assert history["rejected"][0]["reason"] == "malformed"


@pytest.mark.parametrize(
    "unknown", [("maximum_malformed",), ("filters", "rule"), ("maximum_malformed", "filters", "rule")]
)
def test_a_build_made_before_a_setting_existed_is_explained(tmp_path: Path, unknown: tuple[str, ...]) -> None:
    """What an earlier version did not write into its manifests is what it is by default."""
    older = tmp_path / "build"
    shutil.copytree(sample_build(), older)
    for stage, names in (("1-ingest", unknown), ("2-select", ("unit", "per_source"))):
        path = older / "stages" / stage / "MANIFEST.json"
        manifest = json.loads(path.read_text(encoding="utf-8"))
        for name in names:
            del manifest["settings"][name]
        path.write_text(json.dumps(manifest), encoding="utf-8")
    (row, *_) = data_rows(sample_build())["train"]
    assert histories(open_build(str(older)), row["id"]) == histories(open_build(str(sample_build())), row["id"])


def malformed_record() -> str:
    data = json.loads((SAMPLES / "dialogues_ko.json").read_text(encoding="utf-8"))["data"]
    return str(next(number for number, record in enumerate(data, 1) if "summary" not in record["body"]))


def test_an_older_stage_run_again_ends_what_came_after(tmp_path: Path) -> None:
    output = tmp_path / "build"
    shutil.copytree(sample_build(), output)
    arguments = ["build", RECIPE, "--output", output, "--set=ingest.rule=exact", "--only=ingest", "--update"]
    assert here(*arguments, *SAMPLE_ARGUMENTS, "--workers=1").returncode == 0
    assert [path.parent.name for path in output.rglob("MANIFEST.json")] == ["1-ingest"]


def test_a_build_of_another_recipe_is_refused(tmp_path: Path) -> None:
    (tmp_path / "stages").mkdir()
    (tmp_path / MARKER).write_text("commongen\n")
    with pytest.raises(OutputError, match="'commongen'"):
        check_output(RECIPES[RECIPE], str(tmp_path))


class Miscounting(DirectRunner):
    """A runner whose counter of kept sentences is off."""

    def __init__(self, change: int) -> None:
        super().__init__()
        self._change = change

    def run(self, stage: str, construct: Any, directory: str | None = None) -> dict[str, int]:
        counted = super().run(stage, construct, directory)
        return {**counted, "kept": counted["kept"] + self._change}


def test_counters_are_those_of_the_ledger() -> None:
    for number, stage in enumerate(STAGES, 1):
        manifest = json.loads((sample_build() / f"stages/{number}-{stage}/MANIFEST.json").read_text())
        sources = manifest["ledger"].values()
        expected = Counter({"read": sum(one["read"] for one in sources), "kept": sum(one["kept"] for one in sources)})
        for one in sources:
            expected.update({f"rejected_{reason}": number for reason, number in one["rejected"].items()})
        assert manifest["summary"]["counters"].items() >= dict(expected).items()


def test_a_runner_that_counts_less_than_the_ledger_fails_the_build(tmp_path: Path) -> None:
    with pytest.raises(BuildError, match=r"stage ingest: the runner counted 971 kept, the ledger 972"):
        build(tmp_path / "out", runner=Miscounting(-1))
    assert not list(tmp_path.rglob("MANIFEST.json"))


def test_a_runner_that_tried_again_may_count_more(tmp_path: Path) -> None:
    build(tmp_path / "out", runner=Miscounting(1), only="ingest")
    assert (tmp_path / "out/stages/1-ingest/MANIFEST.json").exists()

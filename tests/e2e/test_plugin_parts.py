"""A build with a scorer and a block filter of another package: what it keeps, its fingerprints, its explanations."""

import json
import shutil
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import plugin_parts
import pyarrow.parquet as pq
import pytest
from builds import Recorder, build, differing
from plugin_parts import Characters, TooMany, alike

from conceptloom import code
from conceptloom.filters import FILTERS, FilterEntry
from conceptloom.manifest import read_manifest
from conceptloom.pipelines.builds.finished import open_build
from conceptloom.pipelines.korean_commongen.explain import histories
from conceptloom.runners.direct import DirectRunner
from conceptloom.similarity import SCORERS, ScorerEntry

CHOSEN: dict[str, Any] = {
    "ingest": {"filters": {"on": ["too_many"], "options": {"too_many": {"most": 5}}}},
    "select": {"scorer": {"name": "characters", "least": 2}},
}


@pytest.fixture(scope="module", autouse=True)
def _registered() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(SCORERS._entries, "characters", ScorerEntry("common characters", Characters))
        patch.setitem(FILTERS._entries, "too_many", FilterEntry("too many concepts", TooMany))
        yield


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory, _registered: None) -> tuple[Path, list[str]]:
    """A build with both parts, and what it opened."""
    directory = tmp_path_factory.mktemp("plugins") / "build"
    plugin_parts.OPENED.clear()
    build(directory, **CHOSEN)
    return directory, list(plugin_parts.OPENED)


@pytest.fixture
def built(made: tuple[Path, list[str]]) -> Path:
    return made[0]


def rows(paths: list[Path]) -> list[dict[str, Any]]:
    return [row for path in sorted(paths) for row in pq.read_table(path).to_pylist()]


def settings(directory: Path, stage: str) -> dict[str, Any]:
    manifest = read_manifest(str(directory / "stages" / stage))
    assert manifest is not None
    return manifest.settings


def test_the_scorers_sums_stand_in_the_index_and_it_is_opened_once(made: tuple[Path, list[str]]) -> None:
    built, opened = made
    texts = {row["id"]: row["text"] for row in rows(list(built.glob("stages/1-ingest/sentences-*.parquet")))}
    postings = defaultdict(list)
    for row in rows(list(built.glob("index/*.parquet"))):
        postings[row["concept"], row["source"]].append((texts[row["sentence_id"]], row["centrality"]))
    for posting in postings.values():
        for text, centrality in posting:
            expected = sum(alike(text, other, 2) for other, _ in posting if other != text)
            assert centrality == pytest.approx(expected, abs=1e-5)
    assert max(map(len, postings.values())) > 2
    assert opened == ["characters"]
    assert json.loads((built / "report.json").read_text())["scorer"] == {"name": "characters", "least": 2}


def test_the_block_filters_reason_is_counted_and_explained(built: Path) -> None:
    left_out = [row for row in rows(list(built.glob("rejected/*.parquet"))) if row["reason"] == "too_many"]
    assert left_out
    assert max(len(row["concepts"]) for row in rows(list(built.glob("data/*.parquet")))) == 5
    (history,) = histories(open_build(str(built)), left_out[0]["id"])
    verdict = next(one for one in history["verdicts"] if one["filter"] == "too_many")
    assert verdict == {"filter": "too_many", "keep": False, "detail": left_out[0]["detail"]}


def test_two_workers_make_the_same_bytes(built: Path, tmp_path: Path) -> None:
    with DirectRunner.with_workers(2) as runner:
        build(tmp_path / "two", runner=runner, **CHOSEN)
    assert differing(built, tmp_path / "two") == []


def test_signatures_and_the_plugins_code_are_part_of_the_fingerprints(
    built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    built = Path(shutil.copytree(built, tmp_path / "copy"))
    ingest, select = settings(built, "1-ingest"), settings(built, "2-select")
    assert ingest["signed_filters"] == [{"name": "too_many", "most": 5}]
    assert select["scorer_signature"] == {"name": "characters", "least": 2}
    assert select["plugin_code"] == ingest["plugin_code"] == code.code_digest(["plugin_parts"])
    again = Recorder()
    build(built, observer=again, **CHOSEN)
    assert again.found[:2] == ["ingest", "select"]
    monkeypatch.setattr(Characters, "signature", lambda self: {"name": "characters", "model": "another"})
    again = Recorder()
    build(built, observer=again, **CHOSEN)
    assert (again.found, again.ran[0]) == (["ingest"], "select")


def test_a_build_without_plugins_has_no_word_of_them(tmp_path: Path) -> None:
    build(tmp_path / "build", only="ingest")
    assert not {"signed_filters", "plugin_code"} & set(settings(tmp_path / "build", "1-ingest"))

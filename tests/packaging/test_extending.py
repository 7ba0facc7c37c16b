"""docs/extending.md: its examples are written out as a package, installed, and built with."""

import csv
import json
import re
import sys
from itertools import combinations
from pathlib import Path

import pytest
from builds import ROOT, Row, data_rows, plain_sentences, report, rows, stage_rows
from installed import install_into, run_clean

PAGE = (ROOT / "docs" / "extending.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"^```\w+\n# (?P<path>[\w./]+)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which the page's package is installed, and nothing else."""
    source, target = tmp_path_factory.mktemp("loom-extras"), tmp_path_factory.mktemp("site")
    for block in BLOCK.finditer(PAGE):
        path = source / block["path"]
        path.parent.mkdir(exist_ok=True)
        path.write_text(block["text"], encoding="utf-8")
    install_into(target, source)
    return target


def conceptloom(site: Path, folder: Path, *arguments: str) -> str:
    """What the command line prints in a process that has the package on its path."""
    done = run_clean([sys.executable, "-m", "conceptloom", *arguments], folder, PYTHONPATH=str(site))
    assert done.returncode == 0, done.stderr
    return done.stdout


SENTENCES = plain_sentences()[:160]
CREDITS = [f"{who}가 한국어 번역을 맡았다." for who in ("친구", "언니", "누나")]
BROKEN = "번호가 없는 글이다."


@pytest.fixture(scope="module")
def build(site: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A build of subtitles with reader, filter and scorer of the page, by two workers."""
    folder = tmp_path_factory.mktemp("builds")
    blocks = [f"{number}\n00:01 --> 00:02\n{text}" for number, text in enumerate([*SENTENCES, *CREDITS], 1)]
    (folder / "talk.srt").write_text("\n\n".join([*blocks, BROKEN]), encoding="utf-8")
    settings = ("ingest.filters.on=[credits]", "select.scorer=shared-concepts")
    conceptloom(
        site,
        folder,
        *("build", "korean-commongen", "--input", "talk:subtitles=talk.srt", "--workers", "2", "--output", "build"),
        *(part for setting in settings for part in ("--set", setting)),
    )
    return folder / "build"


def test_the_page_shows_a_whole_package() -> None:
    files = {block["path"] for block in BLOCK.finditer(PAGE)}
    assert files >= {"pyproject.toml", "loom_extras/__init__.py", "loom_extras/subtitles.py", "loom_extras/credits.py"}


def test_the_names_are_listed(site: Path, tmp_path: Path) -> None:
    assert "subtitles " in conceptloom(site, tmp_path, "formats")
    assert "shared-concepts " in conceptloom(site, tmp_path, "scorers")
    listed = conceptloom(site, tmp_path, "rules")
    assert all(
        f"{name} " in listed for name in ("ingest.filters credits", "ingest.tagger particles", "ingest.rule nouns")
    )


def test_the_reader_reads_every_block_and_reports_the_broken_one(build: Path) -> None:
    found = {row["text"] for row in (*stage_rows(build, "ingest", "sentences"), *rows(build, "rejected/*.parquet"))}
    assert {*SENTENCES, *CREDITS, BROKEN} <= found
    (broken,) = (row for row in rows(build, "rejected/*.parquet") if row["reason"] == "malformed")
    assert (broken["text"], broken["locator"]) == (BROKEN, f"talk.srt#{len(SENTENCES) + len(CREDITS) + 1}")
    assert broken["detail"] == "broken_example: a block has a number and a time"


def test_the_filter_gives_its_reason(build: Path) -> None:
    found = {row["text"]: row["detail"] for row in rows(build, "rejected/*.parquet") if row["reason"] == "credits"}
    assert found == dict.fromkeys(CREDITS, "번역")


def test_tagger_and_rule_find_concepts(site: Path, tmp_path: Path) -> None:
    (tmp_path / "in.txt").write_text("개가 공원에 공을 물고 개가 간다.\n큰 새\n", encoding="utf-8")
    command = '"$0" -m conceptloom concepts --tagger particles --rule nouns < in.txt'
    done = run_clean(["sh", "-c", command, sys.executable], tmp_path, PYTHONPATH=str(site))
    assert done.returncode == 0, done.stderr
    assert [json.loads(line)["concepts"] for line in done.stdout.splitlines()] == [["개", "공원", "공"], []]


def test_the_scorer_ranks_and_is_named_in_the_report(build: Path) -> None:
    """Centralities against the definition, pair by pair."""
    assert report(build)["scorer"] == {"name": "shared-concepts", "version": "1", "power": 1}
    concepts = {row["id"]: set(row["concepts"]) for row in stage_rows(build, "ingest", "sentences")}
    postings: dict[str, list[Row]] = {}
    for row in rows(build, "index/*.parquet"):
        postings.setdefault(row["concept"], []).append(row)
    assert max(map(len, postings.values())) > 5
    for posting in postings.values():
        expected = dict.fromkeys((row["sentence_id"] for row in posting), 0.0)
        for one, other in combinations(expected, 2):
            alike = len(concepts[one] & concepts[other]) / len(concepts[one] | concepts[other])
            expected[one] += alike
            expected[other] += alike
        assert {row["sentence_id"]: row["centrality"] for row in posting} == pytest.approx(expected, abs=1e-5)


def test_the_data_set_is_whole(build: Path) -> None:
    assert all(data_rows(build).values())
    assert {row["source"] for found in data_rows(build).values() for row in found} == {"talk"}


@pytest.fixture(scope="module")
def pairs(site: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a table of pairs, and the build of it by the recipe of the page, by two workers."""
    folder = tmp_path_factory.mktemp("pairs")
    with (folder / "pairs.csv").open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream).writerows([("premise", "hypothesis", "label"), *PAIRS])
    columns = "inputs.nli.options.columns='premise,hypothesis,label'"
    words = ("build", "labelled-pairs", "--input", "nli:table=pairs.csv", "--set", columns, "--workers", "2")
    assert "240 pairs" not in conceptloom(site, folder, *words, "--output", "build")
    return folder


LABELS = ("entailment", "neutral", "contradiction", "unsure")
PAIRS = [(f"It rains in town {at}.", f"Street {at} is wet.", LABELS[at % len(LABELS)]) for at in range(240)]


def test_the_recipe_divides_every_pair_with_a_label(pairs: Path) -> None:
    found = [row for split in data_rows(pairs / "build").values() for row in split]
    named = {(row["premise"], row["hypothesis"], row["label"]) for row in found}
    assert named == {pair for pair in PAIRS if pair[2] != "unsure"} and len(found) == len(named)
    ledger = report(pairs / "build")["stages"]["ingest"]["nli"]
    assert ledger == {"read": 240, "kept": 180, "rejected": {"unknown_label": 60}}
    counted = report(pairs / "build")["statistics"]
    assert {split: column["pairs"] for split, column in counted.items()} == {
        split: len(rows) for split, rows in data_rows(pairs / "build").items()
    }


def test_what_is_done_with_builds_works_for_the_recipe(site: Path, pairs: Path) -> None:
    assert "rejected  in stage ingest: unknown_label (unsure)" in conceptloom(
        site, pairs, "explain", "build", "pairs.csv#4"
    )
    assert "all the same" in conceptloom(site, pairs, "diff", "build", "build")
    assert "current" in conceptloom(site, pairs, "promote", "build")
    assert "labelled-pairs " in conceptloom(site, pairs, "recipes")

"""A build of real corpora in five formats and two encodings, against the numbers that their description states."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from builds import RECIPE, SHARED, concept_sets, data_rows, finished_cli, report, rows

pytestmark = pytest.mark.skipif(not SHARED.is_dir(), reason="the real data is not in ../shared/data")

RECORDS = {
    "captions": 9_842,
    "photographs": 1_000 + 3_600,
    "answers": 11_823,
    "tatoeba": 5_749,
    "premises": 27_998,
    "speech": 61_255,
}
INPUTS: dict[str, dict[str, Any]] = {
    "captions": {"patterns": ["published/captions.jsonl"], "format": "published"},
    "photographs": {"patterns": ["captions/*.txt"]},
    "answers": {"patterns": ["dialogue/chatbot.csv"], "options": {"column": "A"}},
    "tatoeba": {"patterns": ["dialogue/tatoeba_kor.tsv"], "options": {"column": 2}},
    "premises": {"patterns": ["dialogue/klue_nli_cp949.csv"], "options": {"column": "premise"}},
    "speech": {"patterns": ["dialogue/3i4k.tsv"], "options": {"column": 2}},
}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, str]]:
    """The build, and what was said of it."""
    directory = tmp_path_factory.mktemp("real")
    inputs = {
        name: {**source, "patterns": [str(SHARED / pattern) for pattern in source["patterns"]]}
        for name, source in INPUTS.items()
    }
    (directory / "config.yaml").write_text(yaml.safe_dump({"inputs": inputs}))
    said = finished_cli("build", RECIPE, "--config", directory / "config.yaml", "--output", directory / "out")
    yield directory / "out", said.stderr
    shutil.rmtree(directory)


def test_every_record_is_read(built: tuple[Path, str]) -> None:
    records = report(built[0])["records"]
    assert records["records"] == RECORDS
    assert records["malformed"] == dict.fromkeys(RECORDS, 0)


def test_the_encoding_is_found_and_said(built: tuple[Path, str]) -> None:
    directory, said = built
    note = "premises: klue_nli_cp949.csv, format table (found), cp949, 3,967,732 bytes"
    assert note in report(directory)["inputs"]
    assert f"input {note}" in said
    premises = [row["text"] for row in rows(directory, "rejected/*.parquet") if row["source"] == "premises"]
    assert len(premises) > 1000 and not any("\ufffd" in text for text in premises)


def test_the_ledger_adds_up(built: tuple[Path, str]) -> None:
    directory, _ = built
    stages = report(directory)["stages"]
    read = sum(counts["read"] for counts in stages["ingest"].values())
    assert read >= sum(RECORDS.values())
    rejected = rows(directory, "rejected/*.parquet")
    data = data_rows(directory)
    assert read == len(rejected) + sum(map(len, data.values()))
    for source, counts in stages["ingest"].items():
        left_out = sum(row["source"] == source and row["stage"] == "ingest" for row in rejected)
        assert (counts["read"], left_out) == (counts["kept"] + left_out, sum(counts["rejected"].values()))


def test_the_published_captions_pass_the_published_filters(built: tuple[Path, str]) -> None:
    """They are what the published filters once let through: all but one in a hundred are kept, or are copies."""
    counts = report(built[0])["stages"]["ingest"]["captions"]
    copies = counts["rejected"].get("duplicate", 0)
    assert counts["kept"] + copies > 0.99 * counts["read"]


def test_no_leak(built: tuple[Path, str]) -> None:
    data = data_rows(built[0])
    sets = {split: set(concept_sets(found)) for split, found in data.items()}
    assert sets["train"].isdisjoint(sets["test"] | sets["validation"])
    assert sets["test"].isdisjoint(sets["validation"])
    total = sum(map(len, data.values())) + sum(row["stage"] == "split" for row in rows(built[0], "rejected/*.parquet"))
    assert (len(data["validation"]), len(data["test"])) == (round(0.02 * total), round(0.04 * total))

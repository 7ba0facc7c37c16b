"""English builds with dev and test of an earlier build: on the same corpus, on a grown one, and on what cannot be."""

import json
import math
import re
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from builds import Recorder, differing, digests, files_of, finished_cli, here, report, rows, stage_rows
from english_builds import (
    DEMO,
    RECIPE,
    SPLITS,
    assert_tuples_counted,
    build_english,
    data_of,
    pairs,
    sample_english,
    sentences_of,
    sets_of,
)

import conceptloom.pipelines.build.inputs
import conceptloom.tasks.commongen.mine
from conceptloom.errors import ConfigError, InputError

HELD_OUT = tuple(f"{folder}/{split}" for folder in ("data", "published", "annotation") for split in SPLITS[1:])
LIMIT = 90
"""Records of each sample corpus in the earlier build; the later ones read them all."""
FINAL, PREPRINT, NONE = {}, {"policy": "preprint", "max_shared": 1}, {"policy": "none"}


def held_files(directory: Path) -> dict[str, bytes]:
    return {name: path.read_bytes() for name, path in files_of(directory).items() if name.startswith(HELD_OUT)}


@pytest.fixture(scope="module")
def old(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A build of a part of the sample corpora."""
    directory = tmp_path_factory.mktemp("old") / "build"
    build_english(directory, limit=LIMIT)
    return directory


@pytest.fixture(scope="module", params=[FINAL, PREPRINT, NONE], ids=["final", "preprint", "none"])
def rebuilt(request: pytest.FixtureRequest, old: Path, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The policy, and a build of the whole samples with dev and test of `old`."""
    directory = tmp_path_factory.mktemp("rebuilt") / "build"
    build_english(directory, frozen=str(old), overlap=request.param)
    return request.param, directory


def test_the_frozen_files_are_the_same_bytes(rebuilt: Any, old: Path) -> None:
    _, directory = rebuilt
    assert held_files(directory) == held_files(old)
    assert len(held_files(old)) == 10
    assert len(data_of(directory)["train"]) > 2 * len(data_of(old)["train"])


def test_train_gives_way(rebuilt: Any) -> None:
    """No set and no caption of dev and test is in train, and what the policy promises holds."""
    chosen, directory = rebuilt
    data = data_of(directory)
    held = {split: [frozenset(row["concepts"]) for row in data[split]] for split in SPLITS[1:]}
    train = [frozenset(row["concepts"]) for row in data["train"]]
    captions = {text for split in held for row in data[split] for text in row["references"]}
    assert captions and not captions & {text for row in data["train"] for text in row["references"]}
    every = {*held["validation"], *held["test"]}
    assert not every & set(train)
    if chosen is FINAL:
        dev = pairs(held["validation"])
        assert not pairs(train) & pairs(held["test"])
        assert len(dev - pairs(train)) >= math.ceil(0.9631 * len(dev))
    elif chosen is PREPRINT:
        assert not any(len(one & other) > 1 for one in train for other in every)
    else:
        assert pairs(train) & pairs(held["test"])


def test_every_candidate_is_train_or_accounted_for(rebuilt: Any) -> None:
    chosen, directory = rebuilt
    data, candidates = data_of(directory), {row["id"] for row in rows(directory, "index/*.parquet")}
    dropped = {row["id"]: row for row in stage_rows(directory, "split", "rejected")}
    assert sorted([*dropped, *(row["id"] for row in data["train"])]) == sorted(candidates)
    held = {split: {row["id"] for row in data[split]} for split in SPLITS[1:]}
    of_test, of_dev = (pairs(row["concepts"] for row in data[split]) for split in ("test", "validation"))
    for row in dropped.values():
        own = pairs([row["text"].split("#")])
        assert (row["reason"] == "held_out") == (row["id"] in held["validation"] | held["test"])
        assert {
            "held_out": row["id"] in held.get(row["detail"], ()),
            "shares_test_pair": bool(own & of_test),
            "shares_dev_pair": bool(own & of_dev) and not own & of_test,
            "shares_test_concepts": bool(own & of_test),
            "shares_dev_concepts": bool(own & of_dev),
            "only_held_out_captions": not row["detail"],
        }[row["reason"]]
    shared = {None: "shares_test_pair", "preprint": "shares_test_concepts", "none": "held_out"}[chosen.get("policy")]
    assert {"held_out", shared, "only_held_out_captions"} <= {row["reason"] for row in dropped.values()}
    counts = report(directory)["stages"]["split"]
    assert sum((Counter(one["rejected"]) for one in counts.values()), Counter()) == Counter(
        row["reason"] for row in dropped.values()
    )
    assert sum(one["kept"] for one in counts.values()) == len(data["train"])
    assert report(directory)["stages"]["publish"].keys() == counts.keys()


def test_train_has_all_other_captions(rebuilt: Any) -> None:
    _, directory = rebuilt
    sets, data = sets_of(directory), data_of(directory)
    held = {text for split in SPLITS[1:] for row in data[split] for text in row["references"]}
    for row in data["train"]:
        assert sorted(row["references"]) == sorted(sets[frozenset(row["concepts"])].captions - held)
    assert held <= {row["text"] for row in sentences_of(directory)}


def test_statistics_and_card(rebuilt: Any, old: Path) -> None:
    _, directory = rebuilt
    data, told = data_of(directory), report(directory)
    for split, column in told["statistics"].items():
        sets = [row["concepts"] for row in data[split]]
        assert (column["sets"], column["sentences"]) == (len(sets), sum(len(row["references"]) for row in data[split]))
        assert_tuples_counted(column, split, data)
    assert told["without_references"] == report(old)["without_references"]
    assert (told["frozen"]["validation"], told["frozen"]["test"]) == tuple(len(data[split]) for split in SPLITS[1:])
    card = (directory / "README.md").read_text("utf-8")
    assert told["frozen"]["digest"] in card and str(old) not in card
    assert "`quotas` and `overlap.references` were not used" in card


def test_freezing_a_build_on_its_own_corpus_is_the_identity(tmp_path: Path) -> None:
    before = sample_english()
    build_english(tmp_path / "new", frozen=str(before), quotas={"dev": {3: 1}, "test": {3: 1}})
    names = [name for name in files_of(before) if name.startswith(("data/", "published/", "annotation/"))]
    left, right = digests(before), digests(tmp_path / "new")
    assert len(names) == 14 and {name: right.get(name) for name in names} == {name: left[name] for name in names}
    assert report(tmp_path / "new")["statistics"] == report(before)["statistics"]


@pytest.mark.parametrize("rebuilt", [FINAL], indirect=True, ids=["final"])
def test_place_workers_buckets_and_shards_make_no_difference(
    rebuilt: Any, old: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chosen, directory = rebuilt
    shutil.copytree(old, tmp_path / "copy")
    (tmp_path / "current").symlink_to(tmp_path / "copy", target_is_directory=True)
    inputs = [f"--input={name}={one['patterns'][0]}" for name, one in DEMO["inputs"].items()]
    named = ["--set=inputs.captions.format=lines", "--conceptnet", DEMO["conceptnet"], "--frozen", tmp_path / "current"]
    named += [f"--set=quotas.{split}={json.dumps(amounts)}" for split, amounts in DEMO["quotas"].items()]
    named += [f"--set=overlap.{key}={value}" for key, value in chosen.items()]
    finished_cli("build", RECIPE, *inputs, *named, "--output", tmp_path / "two", "--workers", 2)
    assert differing(directory, tmp_path / "two") == ["config.yaml"]
    monkeypatch.setattr(conceptloom.pipelines.build.inputs, "BUCKET_BYTES", 3000)
    monkeypatch.setattr(conceptloom.tasks.commongen.mine, "SHARD_SENTENCES", 50)
    build_english(tmp_path / "many", frozen=str(old), overlap=chosen)
    assert len(list(tmp_path.glob("many/stages/4-split/sets*"))) > 3
    assert data_of(tmp_path / "many") == data_of(directory)


def test_what_runs_again(old: Path, tmp_path: Path) -> None:
    """Freezing takes quotas away; while it lasts they may be what they will, and a frozen build can be frozen."""
    ran = [Recorder() for _ in range(3)]
    build_english(tmp_path / "new", limit=LIMIT + 40, observer=ran[0])
    build_english(tmp_path / "new", limit=LIMIT + 40, frozen=str(old), observer=ran[1], update=True)
    fewer = {"dev": {3: 2}, "test": {4: 3}}
    changed = {"limit": LIMIT + 40, "frozen": str(old), "quotas": fewer}
    build_english(tmp_path / "new", observer=ran[2], update=True, **changed)
    assert [len(one.ran) for one in ran] == [5, 3, 0] and ran[1].ran == ["sample", "split", "publish"]
    build_english(tmp_path / "next", limit=LIMIT + 40, frozen=str(tmp_path / "new"))
    assert held_files(tmp_path / "next") == held_files(old)
    assert data_of(tmp_path / "next") == data_of(tmp_path / "new")


def test_other_commands_know_it(old: Path, tmp_path: Path) -> None:
    """A dry run, explain, the gate, diff."""
    build_english(tmp_path / "one" / "new", frozen=str(old), gates={"frozen": True, "max_fall": None})
    shutil.copytree(old, tmp_path / "one" / "old")
    new = tmp_path / "one" / "new"
    assert here("promote", tmp_path / "one" / "old").returncode == 0
    promoted = here("promote", new)
    assert promoted.returncode == 0 and "0 of 4 files differ" in promoted.stdout
    told = json.loads(here("diff", old, new, "--json").stdout)
    assert told["same_files"] == ["validation", "test"] and not told["same"]
    expected = "validation, as in the build whose validation and test are frozen"
    row = next(row for row in data_of(old)["validation"] if row["references"])
    for what in (row["id"], "#".join(row["concepts"])):
        said = here("explain", new, what).stdout
        assert f"split     {expected}" in said and row["references"][0] in said and "held_out" in said
    sets = json.loads(here("explain", new, row["target"], "--json").stdout)[0]["sets"]
    assert {"id": row["id"], "concepts": row["concepts"], "split": "validation"} in sets


def test_quotas_of_sizes_that_are_not_mined(old: Path, tmp_path: Path) -> None:
    assert any(DEMO["quotas"]["test"].get(size) for size in (4, 5))
    build_english(tmp_path / "new", frozen=str(old), mine={"sizes": (3,)})
    assert held_files(tmp_path / "new") == held_files(old)
    assert {len(row["concepts"]) for row in data_of(tmp_path / "new")["train"]} == {3}


def test_captions_that_the_new_corpora_do_not_hold_are_explained(old: Path, tmp_path: Path) -> None:
    new = tmp_path / "new"
    name, one = max(DEMO["inputs"].items())
    build_english(new, frozen=str(old), inputs={name: one})
    ours = {row["text"] for row in sentences_of(new)}
    held = [row for split in SPLITS[1:] for row in data_of(old)[split]]
    targets = {row["target"]: row for row in held}
    gone = {text for row in held for text in row["references"] if text not in ours}
    assert gone & targets.keys()
    for text in (min(gone & targets.keys()), *sorted(gone - targets.keys())[:1]):
        (said,) = json.loads(here("explain", new, text, "--json").stdout)
        assert [one["id"] for one in said["sets"]] == [row["id"] for row in held if text in row["references"]]
        row = targets.get(text, {"source": "", "locator": ""})
        assert (said["source"], said["locator"]) == (row["source"], row["locator"])
        assert here("explain", new, said["id"]).stdout == here("explain", new, text).stdout


def test_respelled_copies_of_held_out_captions_are_not_trains(old: Path, tmp_path: Path) -> None:
    """Another corpus may have the same captions, in capitals or as tokens: other sentences, with the same words."""
    held = sorted({text for split in SPLITS[1:] for row in data_of(old)[split] for text in row["references"]})
    spaced = [re.sub(r"([^\w\s])", r" \1 ", text) for text in held]
    copies = [text.upper() for text in held] + spaced
    (tmp_path / "copies.txt").write_text("".join(f"{text}\n" for text in copies), "utf-8")
    inputs = {**DEMO["inputs"], "copies": {"patterns": [str(tmp_path / "copies.txt")], "format": "lines"}}
    build_english(tmp_path / "new", frozen=str(old), inputs=inputs, overlap={"policy": "none"})

    def letters(text: str) -> str:
        return "".join(filter(str.isalnum, text.lower()))

    read = [row["text"] for row in sentences_of(tmp_path / "new") if row["source"] == "copies"]
    assert read and {letters(text) for text in read} <= {letters(text) for text in held}
    train = {letters(text) for row in data_of(tmp_path / "new")["train"] for text in row["references"]}
    assert train and not train & {letters(text) for text in held}


def refused(output: Path, frozen: Path, **settings: Any) -> str:
    recorder = Recorder()
    with pytest.raises((ConfigError, InputError)) as caught:
        build_english(output, frozen=str(frozen), observer=recorder, **settings)
    assert recorder.ran == [] and not output.exists()
    return str(caught.value)


def test_what_cannot_be_frozen_is_refused_before_anything_runs(old: Path, tmp_path: Path) -> None:
    assert "contains no finished build" in refused(tmp_path / "new", tmp_path / "nowhere")
    touched = tmp_path / "touched"
    shutil.copytree(old, touched)
    (task,) = touched.glob("annotation/test-*.jsonl")
    task.write_bytes(task.read_bytes().swapcase())
    assert f"{task} is not the file that its build wrote" in refused(tmp_path / "new", touched)
    other = tmp_path / "other"
    shutil.copytree(old, other)
    path = other / "report.json"
    told = report(old)
    told["analyser"]["lemminflect"] = "0.0.1"
    path.write_text(json.dumps(told), "utf-8")
    assert "were extracted by analyser name lemma lemminflect 0.0.1" in refused(tmp_path / "new", other)
    path.write_text("{}", "utf-8")
    assert "does not record the analyser" in refused(tmp_path / "new", other)
    with pytest.raises(ConfigError, match="is also the output"):
        build_english(other, frozen=str(other))

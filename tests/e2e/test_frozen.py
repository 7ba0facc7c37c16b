"""Builds with validation and test of an earlier build: on the same corpus, on a grown one, and on what cannot be."""

import json
import shutil
from collections import Counter
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
import yaml
from builds import (
    RECIPE,
    SAMPLE_ARGUMENTS,
    SAMPLE_INPUTS,
    SPLITS,
    Recorder,
    Row,
    build,
    concept_sets,
    data_rows,
    digests,
    files_of,
    finished_cli,
    here,
    lines_input,
    plain_sentences,
    report,
    rows,
    sample_build,
    stage_rows,
    write_lines,
)

import conceptloom.pipelines.build.inputs
from conceptloom.errors import ConfigError, InputError
from conceptloom.statistics import dataset_statistics
from conceptloom.statistics.files import load_examples

HELD_OUT = ("data/validation", "data/test", "published/validation", "published/test")
SMALL: dict[str, Any] = {"validation": 12, "test": 25}


def held_files(directory: Path) -> dict[str, bytes]:
    return {name: path.read_bytes() for name, path in files_of(directory).items() if name.startswith(HELD_OUT)}


def pairs(concepts: frozenset[str]) -> set[tuple[str, str]]:
    return set(combinations(sorted(concepts), 2))


@pytest.fixture(scope="module")
def captions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A build of every other plain caption: what later corpora grow from."""
    directory = tmp_path_factory.mktemp("frozen")
    lines = write_lines(directory / "lines.txt", plain_sentences()[::2])
    build(directory / "old", {"s": lines_input(lines)}, split=SMALL)
    return directory / "old"


def grown(directory: Path) -> dict[str, Any]:
    """The other captions too, and sentences that put frozen concepts together again."""
    return {"s": lines_input(write_lines(directory / "grown.txt", [*plain_sentences(), *_near_sentences()]))}


def _near_sentences() -> Iterator[str]:
    """Halves of different captions joined: they share concept pairs with whichever caption is held out."""
    words = [text.split() for text in plain_sentences()]
    for one, other in zip(words, words[1:] + words[:1]):
        yield " ".join([*one[:-1], *other[-2:]])


POLICIES: list[dict[str, Any]] = [
    {"policy": "unseen-pairs"},
    {"policy": "unseen-pairs", "min_pairs": 3},
    {"policy": "all-pairs-unseen"},
    {"policy": "random"},
]


@pytest.fixture(scope="module", params=POLICIES, ids=lambda chosen: "-".join(map(str, chosen.values())))
def rebuilt(request: pytest.FixtureRequest, captions: Path, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The policy, and a build of a grown corpus with the frozen sets of `captions`."""
    directory = tmp_path_factory.mktemp("rebuilt")
    build(directory / "new", grown(directory), frozen=str(captions), split=request.param)
    return request.param, directory / "new"


def test_the_frozen_files_are_the_same_bytes(rebuilt: Any, captions: Path) -> None:
    _, directory = rebuilt
    assert held_files(directory) == held_files(captions)
    assert len(held_files(captions)) == 6


def test_no_train_row_breaks_the_promise(rebuilt: Any) -> None:
    chosen, directory = rebuilt
    data = data_rows(directory)
    held = {row["id"]: frozenset(row["concepts"]) for row in data["validation"] + data["test"]}
    train = concept_sets(data["train"])
    assert not held.keys() & {row["id"] for row in data["train"]}
    assert not set(held.values()) & set(train)
    shown = set().union(*map(pairs, train))
    least = {"unseen-pairs": chosen.get("min_pairs", 1), "random": 0}
    for concepts in held.values():
        fresh = pairs(concepts) - shown
        assert len(fresh) >= least.get(chosen["policy"], len(pairs(concepts)))


def test_every_dropped_row_is_accounted_for(rebuilt: Any) -> None:
    chosen, directory = rebuilt
    selected = {row["id"]: frozenset(row["concepts"]) for row in stage_rows(directory, "select", "sentences")}
    dropped = [row for row in rows(directory, "rejected/*.parquet") if row["stage"] == "split"]
    data = data_rows(directory)
    held = {row["id"]: frozenset(row["concepts"]) for row in data["validation"] + data["test"]}
    train = {row["id"] for row in data["train"]}
    assert sorted([*train, *(row["id"] for row in dropped)]) == sorted(selected)
    for row in dropped:
        mine, other = selected[row["id"]], held[row["detail"]]
        assert {
            "held_out": row["id"] == row["detail"],
            "same_set": mine == other,
            "shares_pair": bool(pairs(mine) & pairs(other)),
            "shows_pair": bool(pairs(mine) & pairs(other)),
        }[row["reason"]]
    expected = {"unseen-pairs": "shows_pair", "all-pairs-unseen": "shares_pair"}.get(chosen["policy"], "held_out")
    assert {"held_out", expected} <= {row["reason"] for row in dropped}
    counts = report(directory)["stages"]["split"]["s"]
    assert counts["rejected"] == Counter(row["reason"] for row in dropped)
    assert (counts["read"], counts["kept"]) == (len(selected), len(train))
    assert report(directory)["stages"]["publish"]["s"] == {"read": len(train), "kept": len(train), "rejected": {}}


def test_the_statistics_are_of_new_train_and_frozen_sets(rebuilt: Any) -> None:
    _, directory = rebuilt
    examples = [load_examples(f"{directory}/data/{split}-*.parquet") for split in SPLITS]
    expected = json.loads(json.dumps(dataset_statistics(*examples).to_json()))
    assert report(directory)["statistics"] == expected
    assert report(directory)["statistics"]["train"]["sets"] > report(directory)["frozen"]["test"] == 25


def test_the_card_says_it(rebuilt: Any, captions: Path) -> None:
    _, directory = rebuilt
    card = (directory / "README.md").read_text(encoding="utf-8")
    assert "Validation and test are those of an earlier build, byte for byte" in card
    assert report(directory)["frozen"]["digest"] in card and str(captions) not in card


@pytest.mark.parametrize("split", [{"policy": "unseen-pairs"}, {"policy": "max-shared", "max_shared": 2, "test": 9}])
def test_freezing_a_build_on_its_own_corpus_is_the_identity(tmp_path: Path, split: dict[str, Any]) -> None:
    old = sample_build()
    if "test" in split:
        old = tmp_path / "old"
        build(old, split=split)
    build(tmp_path / "new", frozen=str(old), split=split)
    names = [name for name in files_of(old) if name.startswith(("data/", "published/", "index/", "rejected/ingest"))]
    before, after = digests(old), digests(tmp_path / "new")
    assert {name: after.get(name) for name in names} == {name: before[name] for name in names}
    assert report(tmp_path / "new")["statistics"] == report(old)["statistics"]


def test_it_does_not_matter_where_the_frozen_build_lies(tmp_path: Path, captions: Path) -> None:
    """Through a link as well; only the path in config.yaml differs, and no stage runs again."""
    shutil.copytree(captions, tmp_path / "copy")
    (tmp_path / "current").symlink_to(tmp_path / "copy", target_is_directory=True)
    inputs = grown(tmp_path)
    build(tmp_path / "one", inputs, frozen=str(captions))
    build(tmp_path / "other", inputs, frozen=str(tmp_path / "current"))
    left, right = digests(tmp_path / "one"), digests(tmp_path / "other")
    assert {name for name in left.keys() | right.keys() if left.get(name) != right.get(name)} == {"config.yaml"}
    config = yaml.safe_load((tmp_path / "other" / "config.yaml").read_text(encoding="utf-8"))
    assert config["frozen"] == str(tmp_path / "copy")
    recorder = Recorder()
    build(tmp_path / "one", inputs, frozen=str(tmp_path / "copy"), split={"test": 0.3}, observer=recorder, update=True)
    assert recorder.ran == []


def test_shards_make_no_difference(tmp_path: Path, captions: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    inputs = grown(tmp_path)
    build(tmp_path / "one", inputs, frozen=str(captions))
    monkeypatch.setattr(conceptloom.pipelines.build.inputs, "BUCKET_BYTES", 20_000)
    build(tmp_path / "many", inputs, frozen=str(captions))
    assert len(list((tmp_path / "many").glob("stages/3-split/sentences-*"))) > 3
    left, right = digests(tmp_path / "one"), digests(tmp_path / "many")
    names = {name for name in left if name.startswith(("data/", "published/", "report.json"))}
    assert {name: right.get(name) for name in names} == {name: left[name] for name in names}


def test_other_frozen_sets_are_another_split(tmp_path: Path, captions: Path) -> None:
    """A build that was not frozen, then frozen: only split and publish run again. A frozen build can be frozen."""
    inputs = grown(tmp_path)
    first, second = Recorder(), Recorder()
    build(tmp_path / "new", inputs, split=SMALL)
    build(tmp_path / "new", inputs, frozen=str(captions), split=SMALL, observer=first, update=True)
    assert first.ran == ["split", "publish"]
    build(tmp_path / "next", inputs, frozen=str(tmp_path / "new"), split=SMALL, observer=second)
    assert held_files(tmp_path / "next") == held_files(captions)
    assert data_rows(tmp_path / "next") == data_rows(tmp_path / "new")


def test_the_command_line_says_what_is_frozen(tmp_path: Path) -> None:
    old = sample_build()
    arguments = ["build", RECIPE, SAMPLE_ARGUMENTS[0], "--output", tmp_path / "new", "--frozen", old]
    planned = here(*arguments, "--dry-run")
    note = f"frozen: validation (19 rows) and test (39) are those of {old}; split.validation, split.test"
    assert f"note     {note}" in planned.stdout and not (tmp_path / "new").exists()
    said = finished_cli(*arguments, "--workers=2")
    assert note in said.stderr and "held_out" in said.stdout
    assert "test              39 concept sets" in said.stdout
    assert held_files(tmp_path / "new") == held_files(old)
    data = data_rows(old)
    known = {row["id"] for row in stage_rows(tmp_path / "new", "ingest", "sentences")}
    read = next(row for row in data["test"] if row["id"] in known)
    unread = next(row for row in data["validation"] if row["id"] not in known)
    for row, split in ((read, "test"), (unread, "validation")):
        assert_explained(tmp_path / "new", row, split)


def assert_explained(directory: Path, row: Row, split: str) -> None:
    expected = f"split     {split}, as in the build whose validation and test are frozen"
    for what in (row["id"], row["target"], "#".join(row["concepts"])):
        said = here("explain", directory, what)
        assert said.returncode == 0 and said.stdout.startswith(row["target"]) and expected in said.stdout


def changed(source: Path, directory: Path, **settings: Any) -> Path:
    """A copy of a build's manifest, report and final files; `settings` are set in the manifest."""
    for name in ("data", "published", "index", "rejected"):
        shutil.copytree(source / name, directory / name)
    shutil.copy(source / "report.json", directory)
    manifest = json.loads((source / "MANIFEST.json").read_text(encoding="utf-8"))
    (directory / "MANIFEST.json").write_text(json.dumps({**manifest, **settings}), encoding="utf-8")
    return directory


def refused(output: Path, frozen: Path, **settings: Any) -> str:
    recorder = Recorder()
    with pytest.raises((ConfigError, InputError)) as caught:
        build(output, SAMPLE_INPUTS, frozen=str(frozen), observer=recorder, **settings)
    assert recorder.ran == [] and not output.exists()
    return str(caught.value)


def test_what_cannot_be_frozen_is_refused_before_anything_runs(tmp_path: Path, captions: Path) -> None:
    new = tmp_path / "new"
    assert "contains no finished build" in refused(new, tmp_path / "nowhere")
    assert "extracted by rule published, those of this build by paper" in refused(
        new, captions, ingest={"rule": "paper"}
    )
    assert "extracted by tagger name mecab" in refused(new, captions, ingest={"tagger": "konlpy-mecab"})
    assert "split.min_pairs = 7 cannot be promised for" in refused(new, captions, split={"min_pairs": 7})
    assert "is a build of recipe 'another'" in refused(new, changed(captions, tmp_path / "a", name="another"))
    incomplete = changed(captions, tmp_path / "b")
    (incomplete / "data" / "test-00000-of-00001.parquet").unlink()
    assert "is missing or has the wrong size" in refused(new, incomplete)
    touched = changed(captions, tmp_path / "c")
    text = touched / "published" / "test-00000-of-00001.txt"
    text.write_bytes(text.read_bytes().replace(b"S", b"s"))
    assert f"{text} is not the file that its build wrote" in refused(new, touched)
    silent = changed(captions, tmp_path / "d")
    (silent / "report.json").write_text("{}", encoding="utf-8")
    assert "does not record the rule and tagger of its concepts" in refused(new, silent)


def test_a_build_without_held_out_rows_cannot_be_frozen(tmp_path: Path, captions: Path) -> None:
    manifest = json.loads((captions / "MANIFEST.json").read_text(encoding="utf-8"))
    train = [file for file in manifest["files"] if not file["path"].startswith(HELD_OUT)]
    assert "has neither validation nor test" in refused(
        tmp_path / "new", changed(captions, tmp_path / "a", files=train)
    )


def test_a_build_cannot_freeze_itself(tmp_path: Path) -> None:
    shutil.copytree(sample_build(), tmp_path / "build")
    before = digests(tmp_path / "build")
    with pytest.raises(ConfigError, match="is also the output"):
        build(tmp_path / "build", frozen=f"{tmp_path}/./build/", seed=3)
    assert digests(tmp_path / "build") == before

"""The same bytes for any number of workers, order of files, hash seed, size of a piece, and for remote workers."""

import os
from pathlib import Path
from typing import Any

import pytest
from apache_beam.transforms.environments import SubprocessSDKEnvironment
from builds import (
    RECIPE,
    SAMPLE_ARGUMENTS,
    SAMPLE_INPUTS,
    SPLITS,
    build,
    data_rows,
    differing,
    finished_cli,
    lines_input,
    many_sentences,
    plain_sentences,
    sample_build,
    sample_captions,
    stage_rows,
    write_lines,
)
from installed import installed_python, run_clean

import conceptloom.pipelines.build.inputs
import conceptloom.selection.routes
import conceptloom.transforms.blocks
from conceptloom.pipelines.build.settings import InputSettings
from conceptloom.runners.direct import DirectRunner

SMALL: dict[str, Any] = {"split": {"test": 20, "validation": 10}}


@pytest.mark.parametrize(("workers", "hash_seed"), [(1, "1"), (2, "987654")])
def test_workers_and_hash_seed(tmp_path: Path, workers: int, hash_seed: str) -> None:
    """Against the build by the API, in this process."""
    arguments = ["--output", tmp_path / "out", "--workers", workers]
    finished_cli("build", RECIPE, *SAMPLE_ARGUMENTS, *arguments, env={"PYTHONHASHSEED": hash_seed})
    assert differing(tmp_path / "out", sample_build()) == []


def _dealt(directory: Path) -> list[Path]:
    """The sample captions and their duplicates, dealt to four files."""
    texts = sample_captions() * 2
    return [write_lines(directory / f"{name}.txt", texts[at::4]) for at, name in enumerate("dbca")]


def test_order_of_the_files_of_a_source(tmp_path: Path) -> None:
    files = _dealt(tmp_path / "raw")
    build(tmp_path / "one", {"s": lines_input(*files)}, **SMALL)
    build(tmp_path / "other", {"s": lines_input(*files[::-1], files[1])}, **SMALL)
    assert differing(tmp_path / "one", tmp_path / "other") == []


def test_order_of_the_sources(tmp_path: Path) -> None:
    files = _dealt(tmp_path / "raw")
    sources = {name: lines_input(*files[at::2]) for at, name in enumerate(("one", "another"))}
    build(tmp_path / "one", sources, **SMALL)
    build(tmp_path / "other", dict(reversed(sources.items())), **SMALL)
    assert differing(tmp_path / "one", tmp_path / "other") == []


def test_a_pattern_names_the_same_files(tmp_path: Path) -> None:
    files = _dealt(tmp_path / "raw")
    build(tmp_path / "one", {"s": lines_input(*files)}, **SMALL)
    build(tmp_path / "other", {"s": lines_input(tmp_path / "raw" / "*.txt")}, **SMALL)
    assert differing(tmp_path / "one", tmp_path / "other") == ["config.yaml"]


def test_one_file_or_four_files_give_the_same_sentences(tmp_path: Path) -> None:
    """Only the places of the sentences differ."""
    files = _dealt(tmp_path / "raw")
    build(tmp_path / "one", {"s": lines_input(*files)}, **SMALL)
    joined = tmp_path / "joined.txt"
    joined.write_bytes(b"".join(file.read_bytes() for file in files))
    build(tmp_path / "other", {"s": lines_input(joined)}, **SMALL)
    one, other = (
        {split: [{**row, "locator": ""} for row in found] for split, found in data_rows(directory).items()}
        for directory in (tmp_path / "one", tmp_path / "other")
    )
    assert one == other
    assert all(one[split] for split in SPLITS)


def test_the_directory_of_the_inputs_is_no_part_of_the_data(tmp_path: Path) -> None:
    """What is published names no place on the machine that built it."""
    texts = sample_captions()
    for name in ("here", "there"):
        path = write_lines(tmp_path / name / "raw" / "a.txt", texts)
        os.utime(path, (1, 1))
        build(tmp_path / name / "out", {"s": lines_input(path)}, **SMALL)
    assert differing(tmp_path / "here" / "out", tmp_path / "there" / "out") == ["config.yaml"]


@pytest.fixture
def large(tmp_path: Path) -> dict[str, Any]:
    """Two sources in three files, with duplicates within and across them."""
    texts = list(many_sentences(3000))
    files = [
        write_lines(tmp_path / "raw" / "a.txt", texts[:1500]),
        write_lines(tmp_path / "raw" / "b.txt", texts[1000:2500] + sample_captions()),
        write_lines(tmp_path / "raw" / "c.txt", texts[2000:]),
    ]
    return {"first": lines_input(*files[:2]), "second": lines_input(files[2])}


def _small_pieces(patch: pytest.MonkeyPatch, span: int, bucket: int) -> None:
    patch.setattr(conceptloom.pipelines.build.inputs, "SPAN_BYTES", span)
    patch.setattr(conceptloom.pipelines.build.inputs, "BUCKET_BYTES", bucket)


MORE: dict[str, Any] = {**SMALL, "select": {"posting_limit": 15}, "publish": {"rows_per_file": 300}}


def test_many_spans_and_buckets_with_one_and_two_workers(
    tmp_path: Path, large: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    _small_pieces(monkeypatch, 9_973, 40_000)
    one = build(tmp_path / "one", large, **MORE)
    assert len(one.plan.spans) > 20 and one.plan.buckets > 5
    with DirectRunner.with_workers(2) as runner:
        build(tmp_path / "two", large, runner=runner, **MORE)
    assert differing(tmp_path / "one", tmp_path / "two") == []
    assert len(list((tmp_path / "one" / "data").glob("train-*"))) > 2


def test_the_size_of_a_span_changes_nothing(
    tmp_path: Path, large: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Records are numbered through, and the last line of a span is read once."""
    for name, span in (("whole", 10**9), ("pieces", 4_099)):
        _small_pieces(monkeypatch, span, 40_000)
        build(tmp_path / name, large, **MORE)
    assert differing(tmp_path / "whole", tmp_path / "pieces") == []


@pytest.mark.parametrize("scorer", ["static-ko", "tfidf"])
def test_the_number_of_buckets_changes_no_row(
    tmp_path: Path, large: dict[str, Any], monkeypatch: pytest.MonkeyPatch, scorer: str
) -> None:
    settings = {**MORE, "select": {"posting_limit": 15, "scorer": scorer}}
    for name, bucket in (("one", 10**9), ("many", 30_011)):
        _small_pieces(monkeypatch, 10**9, bucket)
        build(tmp_path / name, large, **settings)
    assert data_rows(tmp_path / "one") == data_rows(tmp_path / "many")
    rejected = [stage_rows(tmp_path / name, "select", "rejected") for name in ("one", "many")]
    assert rejected[0] == rejected[1] != []
    index = [stage_rows(tmp_path / name, "select", "index") for name in ("one", "many")]
    assert sorted(index[0], key=str) == sorted(index[1], key=str)


def test_posting_rows_that_travel_in_two_steps(
    tmp_path: Path, large: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """As among very many shards: capped once more by groups of them, with the same result."""
    _small_pieces(monkeypatch, 10**9, 20_000)
    settings = {**SMALL, "select": {"posting_limit": 3}}
    found = {}
    for name, straight in (("one", 256), ("two", 4)):
        monkeypatch.setattr(conceptloom.selection.routes, "STRAIGHT", straight)
        found[name] = build(tmp_path / name, large, **settings).manifests["select"].summary["counters"]
    assert differing(tmp_path / "one", tmp_path / "two") == []
    assert "shuffled_blocks_capped" not in found["one"]
    assert found["two"]["shuffled_bytes_capped"] < found["two"]["shuffled_bytes_postings"]


def test_a_large_corpus_has_larger_buckets_and_spans(
    tmp_path: Path, large: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What `MANY` is for 4 GiB is here 5 buckets of 20,000 bytes; of 9 and more of them 6 or 7 are made."""
    _small_pieces(monkeypatch, 1_000, 20_000)
    monkeypatch.setattr(conceptloom.pipelines.build.inputs, "MANY", 5)
    plan = conceptloom.pipelines.build.inputs.plan_inputs({name: InputSettings(**one) for name, one in large.items()})
    small = -(-plan.bytes // 20_000)
    assert small > 2 * 5 and 5 < plan.buckets == int((5 * small) ** 0.5) < small
    assert {span.end - span.start for _, span in plan.spans if span.end} == {plan.bytes // plan.buckets}
    build(tmp_path / "out", large, **SMALL)
    _small_pieces(monkeypatch, 10**9, 10**9)
    build(tmp_path / "one", large, **SMALL)
    assert data_rows(tmp_path / "out") == data_rows(tmp_path / "one")


def test_a_limit_gives_the_same_data_however_the_file_is_cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file in pieces is planned only to its 900th line; a file in one piece, and one that ends there, are alike."""
    texts = list(many_sentences(6000))
    path = write_lines(tmp_path / "raw" / "a.txt", texts)
    build(tmp_path / "one", {"s": lines_input(path)}, limit=900, **SMALL)
    _small_pieces(monkeypatch, 10_000, 40_000)
    pieces = build(tmp_path / "pieces", {"s": lines_input(path)}, limit=900, **SMALL)
    assert pieces.plan.spans[-1][1].end == len("".join(f"{text}\n" for text in texts[:900]).encode())
    _small_pieces(monkeypatch, 10**9, 10**9)
    write_lines(path, texts[:900])
    build(tmp_path / "ends", {"s": lines_input(path)}, **SMALL)
    # The size of the file is said in the report and on the card.
    for other, more in (("pieces", set[str]()), ("ends", {"config.yaml", "report.json", "README.md"})):
        unlike = {name.split("/")[0] for name in differing(tmp_path / "one", tmp_path / other)}
        assert unlike <= {"stages", "index", "rejected"} | more
        for stage, kind in (("ingest", "rejected"), ("ingest", "sentences"), ("select", "index")):
            found = [stage_rows(tmp_path / name, stage, kind) for name in ("one", other)]
            assert sorted(found[0], key=str) == sorted(found[1], key=str)


@pytest.mark.parametrize("sentences", [1, 2, 5])
def test_a_bucket_may_be_empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sentences: int) -> None:
    """A large corpus of few distinct sentences: most of its buckets hold nothing."""
    texts = plain_sentences()[:sentences]
    path = write_lines(tmp_path / "raw.txt", texts * 400)
    _small_pieces(monkeypatch, 10**9, 1_000)
    context = build(tmp_path / "out", {"s": lines_input(path)}, split={"test": 0, "validation": 0})
    assert context.plan.buckets > 20
    assert sorted(row["target"] for row in data_rows(tmp_path / "out")["train"]) == sorted(texts)


def _not_here() -> Any:
    raise AssertionError("a task ran in the process of the driver")


def test_remote_workers_with_the_installed_package(
    tmp_path: Path, large: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing of this process reaches them but what Beam sends: no working directory, no path, no environment."""
    python = installed_python()
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    shown = run_clean(
        [python, "-I", "-c", "import conceptloom.tasks, conceptloom.runners as r; print(r.__file__)"], elsewhere
    )
    assert str(python.parents[1]) in shown.stdout, shown.stderr
    _small_pieces(monkeypatch, 50_000, 100_000)
    inputs = {**large, **SAMPLE_INPUTS}
    build(tmp_path / "local", inputs, **MORE)
    monkeypatch.chdir(elsewhere)
    monkeypatch.delenv("PYTHONPATH", raising=False)
    monkeypatch.setattr(conceptloom.transforms.blocks, "Pipelined", _not_here)
    environment = SubprocessSDKEnvironment(f"{python} -I -m apache_beam.runners.worker.sdk_worker_main")
    build(tmp_path / "remote-build", inputs, runner=DirectRunner(environment=environment), **MORE)
    assert differing(tmp_path / "local", tmp_path / "remote-build") == []

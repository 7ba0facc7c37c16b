"""Wrong inputs and settings: one clear line, exit status 1 (2 for wrong usage), and nothing that looks finished."""

import contextlib
import errno
import gzip
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from builds import (
    RECIPE,
    SAMPLE_ARGUMENTS,
    Recorder,
    Said,
    build,
    cli,
    command,
    data_rows,
    differing,
    environment,
    files_of,
    finished_cli,
    here,
    lines_input,
    many_sentences,
    plain_sentences,
    report,
    rows,
    sample_build,
    sample_captions,
    write_lines,
)

from conceptloom import storage
from conceptloom.errors import BuildError, ConceptloomError, InputError, OutputError


def error_of(said: Any) -> str:
    """The one line that says what went wrong; there must be no other, and no traceback."""
    assert said.returncode == 1, (said.returncode, said.stderr[-2000:])
    assert "Traceback" not in said.stderr + said.stdout
    lines = said.stderr.splitlines()
    (line,) = (line for line in lines if "error" in line.lower())
    assert line.startswith("error: ")
    assert line == lines[-1]
    return line


def refused(output: Path, *arguments: object, run: Callable[..., Any] = here) -> str:
    """The error of a build that fails; its output holds nothing that looks finished."""
    line = error_of(run("build", RECIPE, "--output", output, *arguments))
    _assert_nothing_finished(output)
    return line


def _assert_nothing_finished(output: Path) -> None:
    assert not (output / "MANIFEST.json").exists()
    assert not (output / "report.json").exists()
    assert not (output / "data").exists()


@pytest.fixture
def output(tmp_path: Path) -> Path:
    return tmp_path / "out"


@pytest.fixture
def good(tmp_path: Path) -> Path:
    return write_lines(tmp_path / "raw" / "good.txt", plain_sentences())


BEFORE: dict[str, tuple[bytes | None, str, list[str]]] = {
    "missing": (None, "raw.txt", ["raw.txt", "no such file", "check the path"]),
    "missing pattern": (None, "*.nothing", ["*.nothing", "no such file"]),
    "missing directory": (None, "nowhere/raw.txt", ["nowhere/raw.txt", "no such file"]),
    "empty": (b"", "raw.txt", ["raw.txt", "empty"]),
    "a directory": (b"abc", "", ["directory", "name its files"]),
    "an archive": (b"PK\x03\x04" + b"\0" * 50, "raw.zip", ["raw.zip", "zip archive", "unpack"]),
    "a Parquet file": (b"PAR1abcdefgh", "raw.parquet", ["raw.parquet", "Parquet", "convert"]),
    "binary": (b"\0\1\2\xff" * 500, "raw.bin", ["raw.bin", "binary", "FORMAT"]),
    "a broken gzip file": (b"\x1f\x8b\x08\x00broken", "raw.txt.gz", ["raw.txt.gz", "damaged", "get the whole file"]),
    "one JSON object": (b'{"a": {"b": ["c"]}}', "raw.json", ["raw.json", "items", "FORMAT"]),
    "JSON that is none": (b"<html></html>", "raw.json", ["raw.json", "JSON", "FORMAT"]),
}


@pytest.mark.parametrize(("content", "name", "parts"), BEFORE.values(), ids=list(BEFORE))
def test_inputs_that_are_refused_at_once(
    tmp_path: Path, output: Path, content: bytes | None, name: str, parts: list[str]
) -> None:
    (tmp_path / "raw").mkdir()
    if content is not None:
        (tmp_path / "raw" / (name or "file")).write_bytes(content)
    line = refused(output, f"--input=s={tmp_path / 'raw' / name}")
    assert all(part in line for part in parts), line
    assert not output.exists()


DURING: dict[str, tuple[str, str, bytes, list[str]]] = {
    "no usable sentence": ("raw.txt", "", b"hello world\n\n123\n", ["source s", "not_declarative 2", "right file"]),
    "only white space": ("raw.txt", "", b" \n\n\t\n", ["no usable sentence", "source s", "empty 3"]),
    "an empty gzip file": ("raw.txt.gz", "", gzip.compress(b""), ["no usable sentence", "s", "right file"]),
    "a wrong format": ("raw.txt", ":jsonl", "개가 잔다.\n".encode(), ["raw.txt#1", "broken_json", "maximum_malformed"]),
    "a wrong document": ("raw.txt", ":json", "개가 잔다.\n".encode(), ["raw.txt", "record 1"]),
    "a table": ("raw.csv", "", b"a,b\n1,2\n", ["raw.csv", "columns are 1 'a', 2 'b'", "option column"]),
    "a deep JSON document": ("raw.json", ":json", b"[" * 300_000, ["raw.json", "nested too deeply"]),
    "a deep record": (
        "raw.json", ":json", b"[" * 200_000 + b"]" * 200_000,
        ["raw.json#1", "nested too deeply", "maximum_malformed"],
    ),
    "a JSON document of broken records": (
        "raw.json", ":json", b'[{"text": a}, {"text" "b"}]',
        ["2 of 2 records", "raw.json#1", "broken_json", "raw.json#2"],
    ),
    "a JSON document with an open quotation": (
        "raw.json", ":json", b'[{"text": "a}, {"text": "b"}]', ["raw.json", "record 1 is broken JSON", "fix"],
    ),
    "a JSON document cut off": ("raw.json", ":json", b'[{"text": "a"}, {"te', ["raw.json", "record 2", "cut off"]),
    "gzip that is cut off": (
        "raw.txt.gz", ":lines", gzip.compress(random.Random(1).randbytes(300_000), mtime=0)[:200_000],
        ["raw.txt.gz", "cut off"],
    ),
    "a line of 10 MB": ("raw.txt", "", b"a" * 10_000_000 + b"\nb\n", ["raw.txt#1", "too_long", "maximum_malformed"]),
    "another encoding": ("raw.txt", ":lines", "개가 잔다.\n".encode("utf-16-le") * 9, ["raw.txt#1", "malformed"]),
}  # fmt: skip


@pytest.mark.parametrize(("name", "kind", "content", "parts"), DURING.values(), ids=list(DURING))
def test_inputs_that_fail_the_first_stage(
    tmp_path: Path, output: Path, name: str, kind: str, content: bytes, parts: list[str]
) -> None:
    (tmp_path / name).write_bytes(content)
    line = refused(output, f"--input=s{kind}={tmp_path / name}", "--workers=1", run=cli)
    assert all(part in line for part in parts), line


@pytest.mark.parametrize("workers", [1, 2])
def test_an_error_in_a_worker_process_is_one_line_too(tmp_path: Path, output: Path, workers: int) -> None:
    path = tmp_path / "raw.csv"
    path.write_text("a,b\n1,2\n")
    line = refused(output, f"--input=s={path}", f"--workers={workers}", run=cli)
    assert line.endswith(f"{path}: the columns are 1 'a', 2 'b'; say with the option column which one holds the text")


BAD_LINES = {
    "undecodable": b"\xea\xb0\xff\xfe abc",
    "NUL": "개가 \0 길에서 잔다.".encode(),
    "too long": b"x" * 1_200_000,
}


@pytest.mark.parametrize("kind", BAD_LINES)
def test_a_few_bad_lines_are_left_out_by_name(tmp_path: Path, kind: str) -> None:
    good = [text.encode() for text in plain_sentences()[:200]]
    path = tmp_path / "raw.txt"
    path.write_bytes(b"\n".join([*good[:50], BAD_LINES[kind], *good[50:], BAD_LINES[kind]]) + b"\n")
    build(tmp_path / "out", {"s": {"patterns": [str(path)]}})
    bad = [row for row in rows(tmp_path / "out", "rejected/*.parquet") if row["reason"] == "malformed"]
    assert sorted(row["locator"] for row in bad) == ["raw.txt#202", "raw.txt#51"]
    assert all(row["detail"] and len(row["text"]) < 500 and row["stage"] == "ingest" for row in bad)
    assert report(tmp_path / "out")["records"] == {"completed": {"s": 0}, "malformed": {"s": 2}, "records": {"s": 202}}


@pytest.mark.parametrize("kind", BAD_LINES)
def test_many_bad_lines_fail_and_the_first_are_named(tmp_path: Path, kind: str) -> None:
    good = [text.encode() for text in plain_sentences()[:60]]
    path = tmp_path / "raw.txt"
    path.write_bytes(b"\n".join([*good, *[BAD_LINES[kind]] * 7]) + b"\n")
    with pytest.raises(BuildError, match=r"7 of 67 records .* raw\.txt#61 .*raw\.txt#62 .*raw\.txt#63 ") as failed:
        build(tmp_path / "out", {"s": {"patterns": [str(path)]}})
    assert "raw.txt#64" not in str(failed.value)
    _assert_nothing_finished(tmp_path / "out")
    build(tmp_path / "out", {"s": {"patterns": [str(path)]}}, ingest={"maximum_malformed": 0.2})
    assert (tmp_path / "out" / "MANIFEST.json").exists()


@pytest.mark.parametrize("bad", [0, 1, 10, 11, 100])
def test_the_share_of_bad_lines_is_exact(tmp_path: Path, bad: int) -> None:
    """A tenth may be malformed, not one more."""
    good = [text.encode() for text in plain_sentences()[: 100 - bad]]
    path = tmp_path / "raw.txt"
    path.write_bytes(b"\n".join([*[b"\xff\xfe\xff"] * bad, *good]))
    expected = contextlib.nullcontext() if bad <= 10 else pytest.raises(ConceptloomError, match=f"{bad} of 100 records")
    with expected:
        build(tmp_path / "out", {"s": lines_input(path, encoding="utf-8")}, split={"test": 0, "validation": 0})


def test_json_bombs_in_lines_are_left_out(tmp_path: Path) -> None:
    good = [json.dumps({"text": text}) for text in plain_sentences()[:100]]
    bombs = ["[" * 100_000, '{"a":' * 100_000, "1" * 500_000, '{"text": 1e999999999999999999}', '{"text": "\\ud800"}']
    path = write_lines(tmp_path / "raw.jsonl", [*good, *bombs])
    said = finished_cli("build", RECIPE, f"--input=s={path}", "--output", tmp_path / "out", "--workers=2")
    assert "Traceback" not in said.stderr
    bad = {row["locator"] for row in rows(tmp_path / "out", "rejected/*.parquet") if row["reason"] == "malformed"}
    assert bad == {f"raw.jsonl#{record}" for record in (101, 102, 103)} | {f"raw.jsonl#{at}/text" for at in (104, 105)}


def test_broken_records_of_a_document_are_left_out(tmp_path: Path) -> None:
    good = [json.dumps({"text": text}) for text in plain_sentences()[:100]]
    bad = ["[" * 100_000 + "]" * 100_000, '{"text": "a" "b"}', '{"text": null}']
    path = write_lines(tmp_path / "raw.json", ["[", ",\n".join([*good[:50], *bad, *good[50:]]), "]"])
    said = finished_cli("build", RECIPE, f"--input=s={path}", "--output", tmp_path / "out", "--workers=2")
    assert "Traceback" not in said.stderr
    left_out = {row["locator"] for row in rows(tmp_path / "out", "rejected/*.parquet") if row["reason"] == "malformed"}
    assert left_out == {"raw.json#51", "raw.json#52", "raw.json#53/text"}
    assert report(tmp_path / "out")["records"] == {"completed": {"s": 0}, "malformed": {"s": 3}, "records": {"s": 103}}


@pytest.mark.parametrize("text", ["<script>alert(1)</script>", "{0.__class__}", "%s%n", "../../passwd", "$(reboot)"])
def test_hostile_text_is_text(tmp_path: Path, good: Path, text: str) -> None:
    path = write_lines(tmp_path / "raw.txt", [*plain_sentences()[:30], f"개가 {text} 길에서 잔다."])
    settings: dict[str, Any] = {"split": {"test": 0, "validation": 0}, "ingest": {"filters": {"preset": "none"}}}
    build(tmp_path / "out", {"s": lines_input(path)}, **settings)
    kept = {row["target"] for row in data_rows(tmp_path / "out")["train"]}
    rejected = {row["text"] for row in rows(tmp_path / "out", "rejected/*.parquet")}
    assert f"개가 {text} 길에서 잔다." in kept | rejected


SETTINGS: dict[str, tuple[str, list[str]]] = {
    "unknown key": ("split.tests=3", ["split.tests", "max_shared, min_pairs, policy, stratify, test, validation"]),
    "unknown key at the top": (
        "sede=3",
        ["sede", "frozen", "ingest", "inputs", "limit", "publish", "seed", "select", "split"],
    ),
    "unknown key of a source": ("inputs.s.encodin=utf-8", ["inputs.s.encodin", "encoding, format, options, patterns"]),
    "unknown key of the filters": ("ingest.filters.of=[]", ["ingest.filters.of", "off, on, options, preset"]),
    "a wrong type": ("select.posting_limit=many", ["select.posting_limit", "integer"]),
    "a value for a group": ("select=3", ["select", "dictionary"]),
    "an impossible number": ("select.posting_limit=0", ["select.posting_limit", "greater than or equal to 1"]),
    "an impossible fraction": ("split.test=1.5", ["split.test"]),
    "an impossible share": ("ingest.maximum_malformed=2", ["ingest.maximum_malformed", "less than or equal to 1"]),
    "a negative seed": ("seed=-1", ["seed", "greater than or equal to 0"]),
    "unknown scorer": ("select.scorer=bert", ["select.scorer", "'bert'", "static-ko", "tfidf"]),
    "unknown rule": ("ingest.rule=any", ["ingest.rule", "'any'", "published", "paper", "exact", "noun-verb"]),
    "unknown tagger": ("ingest.tagger=any", ["ingest.tagger", "'any'", "mecab"]),
    "unknown filter": ("ingest.filters.off=[rude]", ["ingest.filters.off", "'rude'", "digits", "pronoun"]),
    "unknown option of a filter": (
        "ingest.filters.options={length: {least: 3}}", ["least", "maximum_characters", "minimum_eojeol"]
    ),
    "unknown policy": ("split.policy=strict", ["split.policy", "'strict'", "unseen-pairs", "max-shared"]),
    "unknown unit": ("select.unit=word", ["select.unit", "'concept'", "'morpheme'"]),
    "unknown encoding": ("inputs.s.encoding=klingon", ["'klingon'", "utf-8", "cp949"]),
    "unknown option of a format": ("inputs.s.options.column=3", ["lines", "'column'", "none"]),
    "broken YAML": ("split.test=[1", ["split.test", "YAML"]),
    "YAML that makes objects": ("seed=!!python/object/apply:os.getpid []", ["seed"]),
    "no value": ("split.test", ["KEY=VALUE", "split.test"]),
    "a key below a value": ("inputs.s.format.x=3", ["inputs.s.format"]),
    "another recipe": ("recipe=commongen", ["recipe"]),
}  # fmt: skip


@pytest.mark.parametrize(("setting", "parts"), SETTINGS.values(), ids=list(SETTINGS))
def test_settings_that_are_refused(output: Path, good: Path, setting: str, parts: list[str]) -> None:
    line = refused(output, f"--input=s:lines={good}", "--set", setting)
    assert all(part in line for part in parts), line
    assert not output.exists()


CONFIGS: dict[str, tuple[bytes, list[str]]] = {
    "unknown key": (b"split: {tests: 3}", ["split.tests", "max_shared"]),
    "several unknown keys": (b"splits: 3\nselect: {scorr: a}", ["splits", "select.scorr", "scorer"]),
    "broken YAML": (b"split: [1", ["config.yaml", "not YAML", "line 1"]),
    "a list": (b"- 1\n- 2", ["config.yaml", "mapping", "list"]),
    "inputs that are no mapping": (b"inputs: [a, b]", ["inputs"]),
    "a source without files": (b"inputs: {t: {format: lines}}", ["inputs.t.patterns", "required"]),
    "a source with an empty list": (b"inputs: {t: {patterns: []}}", ["inputs.t.patterns", "at least 1"]),
    "keys that are no text": (b"1: 2", ["1"]),
    "not UTF-8": (b"split: \xff\xfe", ["split"]),
    "nested too deeply": (b"[" * 5_000, ["config.yaml"]),
}


@pytest.mark.parametrize(("content", "parts"), CONFIGS.values(), ids=list(CONFIGS))
def test_configurations_that_are_refused(
    tmp_path: Path, output: Path, good: Path, content: bytes, parts: list[str]
) -> None:
    config = tmp_path / "config.yaml"
    config.write_bytes(content)
    line = refused(output, f"--input=s:lines={good}", "--config", config)
    assert all(part in line for part in parts), line
    assert not output.exists()


def test_a_missing_configuration(output: Path, good: Path) -> None:
    line = refused(output, f"--input=s={good}", "--config", "nowhere.yaml")
    assert "nowhere.yaml" in line and "check the path" in line


ARGUMENTS: dict[str, tuple[list[str], list[str]]] = {
    "unknown recipe": (["build", "comonsense"], ["'comonsense'", RECIPE]),
    "unknown runner": (["build", RECIPE, "--runner=spark"], ["'spark'", "direct"]),
    "unknown format": (["build", RECIPE, "--input=t:xml=GOOD"], ["'xml'", "aihub-captions", "jsonl", "table"]),
    "unknown stage": (["build", RECIPE, "--only=train"], ["train", "ingest, select, split, publish"]),
    "two formats": (["build", RECIPE, "--input=s:table=GOOD"], ["input s", "two formats", "a separate name for each"]),
    "a source's name": (["build", RECIPE, "--input=../x=GOOD"], ["../x", "letters, digits"]),
}


@pytest.mark.parametrize(("arguments", "parts"), ARGUMENTS.values(), ids=list(ARGUMENTS))
@pytest.mark.parametrize("dry", [False, True])
def test_names_that_are_unknown_list_those_there_are(
    output: Path, good: Path, arguments: list[str], parts: list[str], dry: bool
) -> None:
    chosen = [argument.replace("GOOD", str(good)) for argument in arguments]
    said = here(*chosen, f"--input=s:lines={good}", "--output", output, *(["--dry-run"] if dry else []))
    line = error_of(said)
    assert all(part in line for part in parts), line
    assert not output.exists()


USAGE: dict[str, list[str]] = {
    "no output": ["build", RECIPE, "--input=s=GOOD"],
    "no input": ["build", RECIPE, "--output=OUT"],
    "an input without a name": ["build", RECIPE, "--input=GOOD", "--output=OUT"],
    "an input without a file": ["build", RECIPE, "--input=s=", "--output=OUT"],
    "no recipe": ["build", "--input=s=GOOD", "--output=OUT"],
    "no workers": ["build", RECIPE, "--input=s=GOOD", "--output=OUT", "--workers=0"],
    "a limit that is no number": ["build", RECIPE, "--input=s=GOOD", "--output=OUT", "--limit=few"],
    "an unknown option": ["stats", "--tests=GOOD"],
    "an unknown command": ["bild", RECIPE],
    "a variant without its kind": ["variant", "GOOD", "--output=OUT"],
    "statistics of nothing": ["stats"],
    "what to explain": ["explain", "GOOD"],
}


@pytest.mark.parametrize("arguments", USAGE.values(), ids=list(USAGE))
def test_wrong_usage_ends_with_status_2(output: Path, good: Path, arguments: list[str]) -> None:
    said = here(*[argument.replace("GOOD", str(good)).replace("OUT", str(output)) for argument in arguments])
    assert said.returncode == 2
    assert said.stderr and "Traceback" not in said.stderr
    assert not output.exists()


def test_the_exit_status_of_a_process(good: Path, output: Path) -> None:
    """What `main` does in this process is what a shell sees."""
    assert cli("build", RECIPE, f"--input=s={good}").returncode == 2
    line = error_of(cli("build", RECIPE, "--input=s=nowhere.txt", "--output", output))
    assert line.startswith("error: ") and "nowhere.txt: no such file" in line


def test_an_empty_split_is_warned_of(tmp_path: Path) -> None:
    """Two per cent of twenty sentences are none; a size of 0 is no mistake."""
    path = write_lines(tmp_path / "few.txt", sample_captions()[:20])
    arguments = ["build", RECIPE, f"--input=s={path}", "--workers=1", "--set=split.policy=random"]
    said = here(*arguments, "--output", tmp_path / "out")
    assert said.returncode == 0
    warned = [line for line in said.stderr.splitlines() if line.startswith("warning: ")]
    assert warned == ["warning: validation is empty: raise split.validation, or give more text"]
    wanted = here(*arguments, "--output", tmp_path / "none", "--set=split.validation=0")
    assert "warning: " not in wanted.stderr


def test_an_output_that_is_not_empty(tmp_path: Path, good: Path) -> None:
    output = tmp_path / "mine"
    write_lines(output / "notes.txt", ["do not lose me"])
    for extra in ([], ["--dry-run"], ["--overwrite"]):
        line = error_of(here("build", RECIPE, f"--input=s={good}", "--output", output, *extra))
        assert str(output) in line and "not empty" in line and "choose another --output" in line
    assert list(files_of(output)) == ["notes.txt"]


def test_overwrite_takes_what_was_there_away(tmp_path: Path) -> None:
    """The build; not what else may be there."""
    output = tmp_path / "mine"
    shutil.copytree(sample_build(), output)
    write_lines(output / "data" / "train-00000-of-00009.parquet", ["old"])
    (output / "stages" / "2-select" / "MANIFEST.json").write_text("broken")
    write_lines(output / "notes.txt", ["do not lose me"])
    finished_cli("build", RECIPE, *SAMPLE_ARGUMENTS, "--output", output, "--overwrite", "--workers=1")
    assert differing(output, sample_build()) == ["notes.txt"]


def test_overwrite_keeps_what_was_there_when_the_input_is_wrong(tmp_path: Path) -> None:
    output = tmp_path / "mine"
    shutil.copytree(sample_build(), output)
    error_of(here("build", RECIPE, "--input=s=nowhere.txt", "--output", output, "--overwrite"))
    assert differing(output, sample_build()) == []


def test_overwrite_keeps_the_stages_that_one_stage_goes_on_from(tmp_path: Path) -> None:
    output = tmp_path / "mine"
    shutil.copytree(sample_build(), output)
    arguments = ["build", RECIPE, *SAMPLE_ARGUMENTS, "--output", output, "--overwrite", "--workers=1"]
    assert "--only publish" in error_of(here(*arguments, "--only=publish"))
    assert differing(output, sample_build()) == []


@pytest.mark.parametrize("place", ["raw", "."])
def test_overwrite_never_deletes_an_input(tmp_path: Path, good: Path, place: str) -> None:
    arguments = ["build", RECIPE, f"--input=s={good}", "--output", tmp_path / place, "--overwrite", "--workers=1"]
    said = here(*arguments)
    assert good.exists()
    assert str(tmp_path) in error_of(said)


@pytest.mark.parametrize("below", ["", "deeper/still"])
def test_an_output_that_is_a_file(tmp_path: Path, good: Path, below: str) -> None:
    taken = tmp_path / "taken"
    taken.write_text("mine")
    line = error_of(cli("build", RECIPE, f"--input=s={good}", "--output", taken / below, "--workers=1"))
    assert str(taken) in line and "choose another" in line
    assert taken.read_text() == "mine"


def test_more_sets_than_there_are(output: Path, good: Path) -> None:
    line = refused(output, f"--input=s={good}", "--set=split.test=5000", "--workers=1", run=cli)
    assert "unseen-pairs" in line and "5,000" in line and "lower split.test" in line


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks for processes in /proc")
def test_a_worker_that_is_killed(tmp_path: Path, output: Path) -> None:
    """As the system does when memory runs out."""
    corpus = write_lines(tmp_path / "corpus.txt", many_sentences(60_000))
    arguments = command("build", RECIPE, f"--input=s={corpus}", "--output", output, "--workers=2")
    log = tmp_path / "log.txt"
    with log.open("w") as stream:
        process = subprocess.Popen(arguments, env=environment(), stderr=stream, start_new_session=True)
    try:
        end = time.monotonic() + 60
        while "stage ingest: started" not in log.read_text() or len(_workers(process.pid)) < 2:
            assert process.poll() is None and time.monotonic() < end, log.read_text()
            time.sleep(0.01)
        time.sleep(0.5)
        os.kill(_workers(process.pid)[0], signal.SIGKILL)
        process.wait(60)
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    line = error_of(Said(process.returncode, "", log.read_text()))
    assert "worker process was killed" in line and "--workers" in line
    _assert_nothing_finished(output)


def _workers(parent: int) -> list[int]:
    """The processes of the pool of a build."""
    found = []
    for entry in Path("/proc").iterdir():
        with contextlib.suppress(OSError):
            if entry.name.isdigit() and b"spawn_main" in (entry / "cmdline").read_bytes():
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
                found += [int(entry.name)] if int(fields[1]) == parent else []
    return sorted(found)


# A program of its own, no preexec_fn: a fork of this process, in which gRPC may have threads, can end in an abort.
_SMALL_FILES = """
import os, resource, sys
resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))
os.execv(sys.argv[1], sys.argv[1:])
"""


def test_a_file_that_cannot_be_written_to_its_end(tmp_path: Path, output: Path) -> None:
    """By a limit on the size of files, which every worker process inherits."""
    arguments = ["build", RECIPE, *SAMPLE_ARGUMENTS, "--output", output, "--workers=2"]
    limited = [sys.executable, "-c", _SMALL_FILES, *command(*arguments)]
    line = error_of(subprocess.run(limited, env=environment(), capture_output=True, encoding="utf-8", check=False))
    assert str(output) in line and "cannot be written" in line
    _assert_nothing_finished(output)
    assert [name for name in files_of(output) if ".writing-" in name] == []
    finished_cli(*arguments)
    assert differing(output, sample_build()) == []


def test_a_disk_that_is_really_full(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    if (
        shutil.which("mount") is None
        or subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=120k", "none", str(disk)], capture_output=True, check=False
        ).returncode
    ):
        pytest.skip("a small file system cannot be mounted here")
    try:
        line = refused(disk / "out", *SAMPLE_ARGUMENTS, "--workers=1", run=cli)
        assert str(disk / "out") in line and "No space left" in line and "free some space" in line
    finally:
        subprocess.run(["umount", "-l", str(disk)], check=True)


@pytest.mark.parametrize("name", ["sentences-", "index-", "statistics.json", "train-", "report.json", "MANIFEST.json"])
def test_a_disk_that_is_full_at_any_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """Simulated: the file of that name cannot be put in its place. The next run goes on from there."""
    replace = os.replace

    def full(source: str, target: str) -> None:
        if Path(target).name.startswith(name):
            raise OSError(errno.ENOSPC, "No space left on device")
        replace(source, target)

    with monkeypatch.context() as patch:
        patch.setattr(storage.os, "replace", full)
        with pytest.raises(OutputError, match=rf"{name}.* cannot be written: No space left on device; free some space"):
            build(tmp_path)
    assert not (tmp_path / "MANIFEST.json").exists()
    assert [found for found in files_of(tmp_path) if ".writing-" in found] == []
    build(tmp_path)
    assert sorted(files_of(tmp_path)) == sorted(files_of(sample_build()))


def test_an_input_that_disappears(tmp_path: Path, good: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Between the plan and the reading."""

    class Remover(Recorder):
        def started(self, stage: str, sentences: int | None) -> None:
            good.unlink()

    with pytest.raises(InputError, match=r"good\.txt: cannot be read.*check the path"):
        build(tmp_path / "out", {"s": lines_input(good)}, observer=Remover())
    _assert_nothing_finished(tmp_path / "out")

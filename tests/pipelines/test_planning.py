"""The plan of inputs: names, a cost that grows with their number and not with its square, and a limit's own cost."""

import gzip
import json
import os.path
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from threading import Barrier

import pytest

from conceptloom.pipelines.build import inputs
from conceptloom.pipelines.build.inputs import BATCH, plan_inputs
from conceptloom.pipelines.build.settings import InputSettings
from conceptloom.readers import count_lines, first_records, read_span
from conceptloom.readers.base import Entry
from conceptloom.readers.ranges import HEAD_BYTES


def _source(directory: Path, count: int) -> InputSettings:
    for number in range(count):
        path = directory / f"{number % 3}" / f"{number}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("나는 학교에 간다.\n", encoding="utf-8")
    return InputSettings(patterns=(str(directory / "*" / "*.txt"),))


def test_a_name_is_relative_to_the_common_directory_of_its_source(tmp_path: Path) -> None:
    sources = {"a": _source(tmp_path / "a", 7), "b": _source(tmp_path / "b", 1)}
    plan = plan_inputs(sources)
    for source in sources:
        mine = [file for file in plan.files if file.source == source]
        base = os.path.commonpath([os.path.dirname(file.path) for file in mine])
        assert [file.name for file in mine] == [os.path.relpath(file.path, base) for file in mine]
        assert [file.path for file in mine] == sorted(file.path for file in mine)
    assert plan == plan_inputs(dict(reversed(sources.items())))


def test_a_source_has_one_common_directory_however_many_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    real = inputs.commonpath
    monkeypatch.setattr(inputs, "commonpath", lambda paths: asked.append(1) or real(paths))
    assert len(plan_inputs({"a": _source(tmp_path / "a", 40), "b": _source(tmp_path / "b", 9)}).files) == 49
    assert len(asked) == 2


def test_heads_are_read_by_several_threads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two files that wait for each other are both read."""
    together, waited = Barrier(2, timeout=20), []
    real = inputs.read_head

    def read(path: str) -> bytes:
        if path.endswith(("/0.txt", f"/{count - 1}.txt")):
            waited.append(together.wait())
        return real(path)

    count = 3 * BATCH
    source = _source(tmp_path, count)
    monkeypatch.setattr(inputs, "read_head", read)
    assert len(plan_inputs({"a": source}).files) == count
    assert sorted(waited) == [0, 1]


LIMIT = 321
RECORDS = [f"문장 {number} {'가' * (number % 37)}." for number in range(5_000)]
FORMATS = {
    "lines": "\n".join(RECORDS),
    "jsonl": "\n".join(json.dumps({"text": text}) for text in RECORDS),
    "published": "\n".join(f"[SOS] a = {text} [EOS]" for text in RECORDS),
    "conceptual-captions": "\n".join(f"{text}\thttps://a.org/b" for text in RECORDS),
    "json": json.dumps([{"text": text} for text in RECORDS]),
    "table": "\n".join(["text,more", *(f'"{text}\n",x' for text in RECORDS)]),
}


def _written(path: Path, content: bytes) -> InputSettings:
    path.write_bytes(gzip.compress(content) if path.suffix == ".gz" else content)
    kind = path.name.split(".")[0]
    return InputSettings(patterns=(str(path),), format=kind, options={"column": "text"} if kind == "table" else {})


def _read(source: InputSettings, limit: int | None) -> list[Entry]:
    """The first records of the plan's spans, read as the stage does it."""
    plan = plan_inputs({"s": source}, limit)
    (file,) = plan.files
    lines = [count_lines(span.path, span.start, span.end) for _, span in plan.spans] if len(plan.spans) > 1 else [0]
    firsts = first_records([0] * len(lines), lines)
    found: Iterator[Entry] = (
        entry
        for (_, span), first in zip(plan.spans, firsts, strict=True)
        for entry in read_span(replace(span, first=first), file.reader, file.encoding)
    )
    return [entry for entry in found if limit is None or entry.record <= limit]


@pytest.mark.parametrize("suffix", ["", ".gz"])
@pytest.mark.parametrize("kind", FORMATS)
@pytest.mark.parametrize("limit", [1, LIMIT, len(RECORDS), 10**9])
def test_a_limit_has_the_first_records_in_every_format(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, suffix: str, limit: int
) -> None:
    source = _written(tmp_path / (kind + suffix), FORMATS[kind].encode())
    everything = _read(source, None)
    monkeypatch.setattr(inputs, "SPAN_BYTES", 10_000)
    assert len({entry.record for entry in everything}) == len(RECORDS)
    assert _read(source, limit) == [entry for entry in everything if entry.record <= limit]


def test_a_limit_of_a_large_file_costs_what_its_records_cost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, given_out: list[int]
) -> None:
    """Pieces and buckets are those of a file that ends there; nothing behind is read."""
    monkeypatch.setattr(inputs, "SPAN_BYTES", 10_000)
    monkeypatch.setattr(inputs, "BUCKET_BYTES", 10_000)
    monkeypatch.setattr("conceptloom.readers.ranges.CHUNK", 1_000)
    large = _written(tmp_path / "lines", FORMATS["lines"].encode())
    first = "".join(f"{line}\n" for line in RECORDS[:LIMIT]).encode()
    whole, few = plan_inputs({"s": large}), plan_inputs({"s": large}, LIMIT)
    assert (few.bytes, few.buckets) == (len(first), -(-len(first) // 10_000)) and whole.buckets > 10 * few.buckets
    assert few.spans[-1][1].end == len(first) and len(few.spans) == few.buckets
    assert whole.fingerprint != few.fingerprint != plan_inputs({"s": large}, LIMIT + 1).fingerprint

    given_out.clear()
    assert len(_read(large, LIMIT)) == LIMIT
    # Planned, counted, read; the head, from which format and encoding are found.
    assert sum(given_out) < 5 * len(first) + HEAD_BYTES < len(FORMATS["lines"].encode())


def test_a_limit_that_is_far_away_is_not_looked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inputs, "SPAN_BYTES", 10_000)
    monkeypatch.setattr(inputs, "LOOK_BYTES", 50_000)
    asked: list[int] = []
    real = inputs.end_of_lines
    monkeypatch.setattr(inputs, "end_of_lines", lambda *about: asked.append(1) or real(*about))
    source = _written(tmp_path / "lines", FORMATS["lines"].encode())
    assert plan_inputs({"s": source}, 4_000) == plan_inputs({"s": source}) and asked == []
    assert plan_inputs({"s": source}, 100).bytes < 50_000 and asked == [1]

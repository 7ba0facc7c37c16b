"""A drawn sample against the file that it was drawn from."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from conceptloom.corpus.locators import SourceFile
from conceptloom.estimation.sampling import PIECE_BYTES, DrawnFile, draw, places
from conceptloom.readers import Span, make_reader, read_span

SHARES = (0.1, 0.2, 0.4)


def lines_of(count: int) -> list[str]:
    return [f"문장 {number} {'가' * (number % 37)}" for number in range(count)]


@pytest.fixture
def plain(tmp_path: Path) -> SourceFile:
    path = tmp_path / "plain.txt"
    path.write_text("\n".join(lines_of(30_000)), encoding="utf-8")
    return SourceFile(str(path), "plain.txt", "captions", "utf-8", make_reader("lines", {}))


def drawn_from(file: SourceFile, to: Path, **more: Any) -> DrawnFile:
    size = Path(file.path).stat().st_size
    options = {"shares": SHARES, "small": 1000, "limit": None, "seed": 0, **more}
    to.mkdir(exist_ok=True)
    return draw(0, file, size, to=str(to), **options)


def texts(file: SourceFile) -> list[str]:
    return [entry[2] for entry in read_span(Span(file.path), file.reader, file.encoding)]


def test_places_are_even_and_nested() -> None:
    at = places(3, 1000, 0)
    assert ((at >= 0) & (at < 1.001)).all()
    assert np.allclose(np.diff(np.sort(at)), 0.001)
    assert not np.array_equal(np.argsort(at), np.argsort(places(4, 1000, 0)))
    chosen = np.flatnonzero(at < 0.1)
    assert 99 <= len(chosen) <= 101 and 350 < chosen.mean() < 650


def test_whole_lines_from_everywhere(plain: SourceFile, tmp_path: Path) -> None:
    drawn = drawn_from(plain, tmp_path / "to")
    everything = lines_of(30_000)
    known = {line: number for number, line in enumerate(everything)}
    samples = [texts(file) for file in drawn.files]
    numbers = [[known[line] for line in sample] for sample in samples]
    for share, sample, size, units in zip(SHARES, numbers, drawn.bytes, drawn.units, strict=True):
        assert len(set(sample)) == len(sample) == sum(units)
        assert abs(size - share * drawn.whole) <= PIECE_BYTES * 1.5
    assert set(numbers[0]) < set(numbers[1]) < set(numbers[2])
    assert min(numbers[2]) < 6_000 and max(numbers[2]) > 24_000
    assert [Path(file.path).read_bytes() for file in drawn_from(plain, tmp_path / "again").files] == [
        Path(file.path).read_bytes() for file in drawn.files
    ]
    assert texts(drawn_from(plain, tmp_path / "other", seed=1).files[0]) != samples[0]


def test_all_of_it(plain: SourceFile, tmp_path: Path) -> None:
    drawn = drawn_from(plain, tmp_path / "to", shares=(0.5, 1.0))
    assert sorted(texts(drawn.files[1])) == sorted(lines_of(30_000))
    assert drawn.bytes[1] == drawn.whole + 1  # the last line had no line feed


def test_no_line_beyond_the_limit(plain: SourceFile, tmp_path: Path) -> None:
    drawn = drawn_from(plain, tmp_path / "to", shares=(0.5, 1.0), limit=12_345)
    assert sorted(texts(drawn.files[1])) == sorted(lines_of(12_345))
    assert drawn.bytes[1] == drawn.whole
    beyond = drawn_from(plain, tmp_path / "beyond", shares=(1.0,), limit=10**6)
    assert len(texts(beyond.files[0])) == 30_000


def captions(path: Path, count: int) -> SourceFile:
    records = [
        {"id": number, "caption_ko": None if number % 10 == 3 else [f"첫 {number}", f"둘째 {number}"]}
        for number in range(count)
    ]
    path.write_text(json.dumps(records, ensure_ascii=False), encoding="utf-8")
    return SourceFile(str(path), path.name, "captions", "utf-8", make_reader("aihub-captions", {}))


def test_records_of_a_file_that_cannot_be_cut(tmp_path: Path) -> None:
    file = captions(tmp_path / "captions.json", 2_000)
    everything = list(read_span(Span(file.path), file.reader, file.encoding))
    drawn = drawn_from(file, tmp_path / "to")
    for share, one, size, units in zip(SHARES, drawn.files, drawn.bytes, drawn.units, strict=True):
        entries = list(read_span(Span(one.path), one.reader, one.encoding))
        assert [type(entry) for entry in entries] == [type(next(e for e in everything if e == x)) for x in entries]
        records = {entry.record for entry in entries}
        assert abs(len(records) - share * 2_000) <= 2 and units == [1] * len(records)
        assert size == pytest.approx(share * drawn.whole, rel=0.05)
        assert set(entries) == {entry for entry in everything if entry.record in records}
    assert drawn.reading_seconds > 0
    assert drawn.files[0].reader.field(1) == file.reader.field(1)


def test_no_record_beyond_the_limit(tmp_path: Path) -> None:
    file = captions(tmp_path / "captions.json", 200)
    drawn = drawn_from(file, tmp_path / "to", shares=(1.0,), limit=50)
    (one,) = drawn.files
    assert {entry.record for entry in read_span(Span(one.path), one.reader, one.encoding)} == set(range(1, 51))


def test_small_files_are_drawn_whole(tmp_path: Path) -> None:
    """Of many small files each is all there, or not at all; about as many as the share says."""
    taken = 0
    for number in range(60):
        file = captions(tmp_path / f"{number}.json", 5)
        to = tmp_path / "to"
        to.mkdir(exist_ok=True)
        drawn = draw(number, file, Path(file.path).stat().st_size, SHARES, 10**6, None, 0, str(to))
        sizes = [len(texts(one)) for one in drawn.files]
        assert set(sizes) <= {0, 9} and sizes == sorted(sizes)
        assert drawn.units[2] == [5 if sizes[2] else 0]
        taken += sizes[2] > 0
    assert 12 <= taken <= 36

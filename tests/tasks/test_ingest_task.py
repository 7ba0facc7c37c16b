"""Stage ingest on one bucket: what counts as a copy."""

import io
from collections import Counter

import pyarrow as pa
import pytest

from conceptloom.corpus.analysers import OpenAnalyser
from conceptloom.corpus.analysis import KoreanAnalyser
from conceptloom.corpus.captions import CaptionAnalyser, encode_vocabulary
from conceptloom.corpus.locators import SourceFile
from conceptloom.corpus.units import COMPLETED, Unit
from conceptloom.filters import PRESETS, make_filter
from conceptloom.readers import make_reader
from conceptloom.tasks.ingest import analyse_bucket

KOREAN = KoreanAnalyser(filters=tuple(map(make_filter, PRESETS["published"])))
ENGLISH = CaptionAnalyser()
LINES = "\n두 사람이 우산을 쓰고 걷는다.\n\n  \n두 사람이 우산을 쓰고 걷는다\na dog runs\n\n"


def bucket(unit: Unit, analyser: OpenAnalyser) -> tuple[list[str], list[tuple[str, str]], Counter[str]]:
    """The kept texts, the place and reason of each rejected row, and the unit's own counts."""
    file = SourceFile("a.txt", "a.txt", "s", "utf-8", make_reader("lines", {}))
    entries = file.reader.read(io.BytesIO(LINES.encode()), "utf-8", 1)
    counts = Counter[str]()
    raw = pa.concat_tables(unit.tables(entries, 0, file.reader, counts, 3))
    kept, rejected = analyse_bucket(raw, (file,), analyser, 0)
    places = sorted(zip(rejected["locator"].to_pylist(), rejected["reason"].to_pylist(), strict=True))
    return kept["text"].to_pylist(), places, counts


@pytest.mark.parametrize("line", [1, 3, 4, 7])
def test_a_blank_line_is_no_copy_of_another(line: int) -> None:
    _, korean, _ = bucket(KOREAN.unit, KOREAN.open(None))
    assert (f"a.txt#{line}", "empty") in korean
    _, english, _ = bucket(ENGLISH.unit, ENGLISH.open(encode_vocabulary(frozenset({"dog", "run"}))))
    assert (f"a.txt#{line}", "no_words") in english


def test_a_completed_sentence_is_a_copy_of_the_one_that_had_its_full_stop() -> None:
    kept, places, counts = bucket(KOREAN.unit, KOREAN.open(None))
    assert kept == ["두 사람이 우산을 쓰고 걷는다."]
    assert places[-2:] == [("a.txt#6", "not_declarative"), ("a.txt#7", "empty")]
    assert ("a.txt#5", "duplicate") in places
    assert counts == {COMPLETED: 1}
    whole = KoreanAnalyser(filters=KOREAN.filters, complete=False)
    kept, places, counts = bucket(whole.unit, whole.open(None))
    assert kept == ["두 사람이 우산을 쓰고 걷는다."]
    assert ("a.txt#5", "not_declarative") in places
    assert counts == {}

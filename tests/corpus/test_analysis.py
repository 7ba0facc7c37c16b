"""One bucket's analysis against a program that goes row by row, and the order of concepts that it draws."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise, product
from random import Random
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conceptloom.corpus.analysis import KoreanAnalyser, analyse, shuffled
from conceptloom.corpus.locators import SourceFile
from conceptloom.filters import PRESETS, make_filter
from conceptloom.hashing import id_heads, text_id
from conceptloom.languages.korean.extract import concepts_of
from conceptloom.languages.korean.taggers import tagger
from conceptloom.schemas import RAW, REJECTED, SENTENCES
from conceptloom.tasks.ingest import BLOCK, analyse_bucket


@dataclass(frozen=True)
class Reader:
    """A reader as far as locators see it."""

    name: str

    def field(self, item: int) -> str:
        return f"{self.name}[{item}]" if self.name else ""


FILES = (
    SourceFile("/a.txt", "a.txt", "dialogues", "utf-8", Reader("")),  # type: ignore[arg-type]
    SourceFile("/b.json", "b.json", "captions", "utf-8", Reader("cap")),  # type: ignore[arg-type]
)
ON_TEXT = ("empty", "not_declarative")
ANALYSER = KoreanAnalyser(
    filters=(*map(make_filter, (*ON_TEXT, "pronoun")), make_filter("few_concepts", {"minimum": 3}))
)
OBJECTIONS = {
    "": ("empty", ""),
    "작은 개가 공원에서 공을 문다.": None,
    "두 사람이 기차 역에 앉아 있다.": None,
    "큰 나무 앞에 고양이가 잔다.": None,
    "개가 공을 물어요.": ("not_declarative", "물어요."),
    "개가 잔다.": ("few_concepts", "2 concepts"),
    "그가 작은 개와 공원에서 공을 문다.": ("pronoun", "그"),
}
"""Each text with the objection that the filters must have."""


class Row(NamedTuple):
    """A raw row: a text at a place, or a malformed record (then `detail` is set)."""

    file: int
    record: int
    item: int
    sentence: int
    text: str
    detail: str | None = None

    def raw(self) -> dict[str, Any]:
        """The row with schema RAW."""
        id_ = text_id(self.text if self.detail is None else f"{self.file}:{self.record}")
        return {"id": id_, "reason": None if self.detail is None else "malformed", **self._asdict()}

    def place(self) -> tuple[int, int, int, int]:
        """Where the row stands."""
        return self.file, self.record, self.item, self.sentence

    def locator(self) -> str:
        """The place as text."""
        field = FILES[self.file].reader.field(self.item)
        sentence = f".{self.sentence}" if self.sentence else ""
        return f"{FILES[self.file].name}#{self.record}" + (f"/{field}" if field else "") + sentence


ITEMS = st.one_of(st.just((0, 0)), st.tuples(st.just(1), st.integers(0, 2)))
"""A file and an item of one of its records: where a reader names no fields, a record is one text."""

GOOD = st.builds(
    lambda where, record, sentence, text: Row(where[0], record, where[1], sentence, text),
    ITEMS,
    st.integers(1, 20),
    st.integers(0, 2),
    st.sampled_from(list(OBJECTIONS)),
)
BROKEN = st.builds(
    lambda file, record: Row(file, record, 0, 0, "{", "broken: x"), st.integers(0, 1), st.integers(30, 40)
)
ROWS = st.lists(st.one_of(GOOD, BROKEN), unique_by=Row.place, max_size=40)


def bucket(rows: Sequence[Row], seed: int = 0) -> tuple[pa.Table, pa.Table]:
    raw = pa.Table.from_pylist([row.raw() for row in rows], schema=RAW)
    return analyse_bucket(raw, FILES, ANALYSER.open(None), seed)


def expected(rows: list[Row]) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Kept rows (concepts as a set) and rejected rows of a program that goes row by row."""
    kept: list[dict[str, Any]] = []
    rejected: list[dict[str, Any]] = []
    groups = defaultdict(list)
    for row in rows:
        shown = {"text": row.text, "source": FILES[row.file].source, "locator": row.locator()}
        if row.detail is None:
            groups[row.text].append((row.place(), shown))
        else:
            rejected.append({"id": "", **shown, "stage": "ingest", "reason": "malformed", "detail": row.detail})
    for text, group in groups.items():
        (_, first), *others = sorted(group, key=lambda one: one[0])
        left_out = [(first, OBJECTIONS[text])] if OBJECTIONS[text] else []
        # A blank text is no copy of another.
        copy = ("duplicate", f"first at {first['locator']}") if text else OBJECTIONS[text]
        left_out += [(other, copy) for _, other in others]
        for shown, (reason, detail) in left_out:
            rejected.append({"id": text_id(text), **shown, "stage": "ingest", "reason": reason, "detail": detail})
        if OBJECTIONS[text] is None:
            concepts = sorted(concepts_of([text])[0])
            kept.append({"id": text_id(text), **first, "copies": len(group), "concepts": concepts})
    return sorted(kept, key=lambda row: row["id"]), sorted(rejected, key=lambda row: (row["id"], row["locator"]))


@settings(deadline=None, max_examples=60)
@given(ROWS)
def test_a_bucket_is_what_a_plain_program_makes_of_it(rows: list[Row]) -> None:
    kept, rejected = bucket(rows)
    wanted_kept, wanted_rejected = expected(rows)
    found = [{**row, "concepts": sorted(row["concepts"])} for row in kept.drop_columns(["morphemes"]).to_pylist()]
    assert kept.schema == SENTENCES
    assert rejected.schema == REJECTED
    assert found == wanted_kept
    assert rejected.to_pylist() == wanted_rejected
    assert len(kept) + len(rejected) == len(rows)


@pytest.mark.slow
@settings(deadline=None, max_examples=30)
@given(ROWS, st.integers(0, 1000))
def test_the_order_of_the_rows_does_not_matter(rows: list[Row], seed: int) -> None:
    mixed = Random(seed).sample(rows, len(rows))
    assert [table.to_pylist() for table in bucket(mixed)] == [table.to_pylist() for table in bucket(rows)]


def test_nor_among_the_malformed_texts_of_one_record() -> None:
    """A record whose first and third caption are broken gives two rows of one place."""
    broken = [Row(1, 5, 0, 0, text, f"wrong_type: {text}") for text in ("첫째", "셋째")]
    assert bucket(broken)[1].to_pylist() == bucket(broken[::-1])[1].to_pylist()
    assert len(bucket(broken)[1]) == 2


@pytest.mark.slow
def test_a_bucket_of_several_blocks() -> None:
    """More distinct sentences than are tagged at once."""
    words = ["".join(letters) for letters in product("가나다라마바사아", repeat=5)][: BLOCK + 99]
    rows = [Row(0, number, 0, 0, f"작은 개가 {word} 공을 문다.") for number, word in enumerate(words)]
    kept, rejected = bucket(rows)
    assert len(kept) + len(rejected) == len(rows)
    assert kept["id"].to_pylist() == sorted(kept["id"].to_pylist())
    texts = [row.text for row in rows]
    concepts = dict(zip(map(text_id, texts), concepts_of(texts), strict=True))
    assert {row["id"]: sorted(row["concepts"]) for row in kept.to_pylist()} == {
        id_: sorted(concepts[id_]) for id_ in kept["id"].to_pylist()
    }


def test_morphemes_are_those_of_the_tokens() -> None:
    kept, _ = bucket([Row(0, 1, 0, 0, "큰 나무 앞에 고양이가 잔다.")])
    (tokens,) = tagger("mecab").tag(["큰 나무 앞에 고양이가 잔다."])
    assert kept["morphemes"].to_pylist() == [[form for token in tokens for form in token.morphemes]]
    assert "크/VA" in kept["morphemes"].to_pylist()[0]


def test_another_seed_changes_only_the_order_of_the_concepts() -> None:
    rows = [Row(0, number, 0, 0, text) for number, text in enumerate(OBJECTIONS)]
    tables = [bucket(rows, seed)[0] for seed in range(8)]
    assert len({str(table["concepts"].to_pylist()) for table in tables}) > 1
    assert len({str(table.drop_columns(["concepts"]).to_pylist()) for table in tables}) == 1
    assert len({str(list(map(sorted, table["concepts"].to_pylist()))) for table in tables}) == 1


def test_what_is_left_out_early_is_not_tagged(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str] = []
    mecab = tagger("mecab")

    class Watched:
        def tag(self, sentences: list[str]) -> list[Any]:
            seen.extend(sentences)
            return mecab.tag(sentences)

    monkeypatch.setattr("conceptloom.corpus.analysis.tagger", lambda name: Watched())
    analysis = analyse(list(OBJECTIONS), ANALYSER)
    assert seen == [text for text, objection in OBJECTIONS.items() if not objection or objection[0] not in ON_TEXT]
    wanted = {number: (False, *objection) for number, objection in enumerate(OBJECTIONS.values()) if objection}
    assert analysis.objections == wanted
    assert analysis.kept.tolist() == sorted(set(range(len(OBJECTIONS))) - set(wanted))


@pytest.mark.parametrize("preset", PRESETS)
def test_an_analyser_has_the_filters_of_its_preset(preset: str) -> None:
    analyser = KoreanAnalyser(filters=tuple(map(make_filter, PRESETS[preset])))
    opened = analyser.open(None)
    asked = [one for part in (opened.on_text, opened.on_tokens, opened.on_concepts) for one in part.predicates]
    assert asked == [make_filter(name) for name in PRESETS[preset]]
    assert not analyse([], analyser).objections


def drawn(ids: list[str], sizes: list[int], seed: int) -> list[list[int]]:
    """For each row the order that is drawn for its list, as places in the list."""
    offsets = np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)
    order = shuffled(id_heads(np.array(ids, dtype="S20")), offsets, seed)
    assert order.shape == (offsets[-1],)
    return [(order[start:end] - start).tolist() for start, end in pairwise(offsets)]


@settings(deadline=None)
@given(st.lists(st.integers(0, 9)), st.integers(0, 99))
def test_each_row_is_permuted_within_itself_by_its_id_alone(sizes: list[int], seed: int) -> None:
    ids = [text_id(str(number)) for number in range(len(sizes))]
    rows = drawn(ids, sizes, seed)
    assert [sorted(row) for row in rows] == [list(range(size)) for size in sizes]
    assert rows[::-1] == drawn(ids[::-1], sizes[::-1], seed)
    assert rows[1::2] == drawn(ids[1::2], sizes[1::2], seed)


@pytest.mark.parametrize("seed", [0, 42])
def test_every_order_is_as_likely(seed: int) -> None:
    """Chi-square over the 24 orders of four, 23 degrees of freedom: 49.7 is exceeded once in a thousand."""
    ids = [text_id(str(number)) for number in range(24_000)]
    counts = Counter(map(tuple, drawn(ids, [4] * len(ids), seed)))
    assert len(counts) == 24
    assert sum((count - 1000) ** 2 / 1000 for count in counts.values()) < 49.7


def test_seeds_draw_apart() -> None:
    ids = [text_id(str(number)) for number in range(24_000)]
    first, second = (drawn(ids, [4] * len(ids), seed) for seed in (0, 1))
    agree = sum(a == b for a, b in zip(first, second, strict=True))
    assert abs(agree - 1000) < 5 * 1000**0.5

"""Postings and their cap against programs of dictionaries and big integers."""

from collections import defaultdict
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conceptloom.arrays.ids import pack_ids
from conceptloom.hashing import seed_for, text_id
from conceptloom.schemas import SENTENCES
from conceptloom.selection.postings import Keys, Unit, explode, in_postings, posting_keys, under_cap

MASK = (1 << 64) - 1
CONCEPT = st.sampled_from(["개", "공", "기차 역", "a", "", "있", "힣"])
SENTENCE = st.tuples(st.sampled_from(["captions", "dialogues"]), st.lists(CONCEPT, unique=True), st.lists(CONCEPT))
CORPUS = st.lists(SENTENCE, max_size=25)
Row = tuple[str, str, str]
"""(concept, source, id of the sentence)."""


def corpus_table(sentences: list[Any]) -> pa.Table:
    records = [
        {"id": text_id(str(number)), "source": source, "concepts": concepts, "morphemes": morphemes}
        for number, (source, concepts, morphemes) in enumerate(sentences)
    ]
    return pa.Table.from_pylist(records, schema=SENTENCES)


def exploded(table: pa.Table, unit: Unit = "concept") -> list[Row]:
    rows, concepts = explode(table, unit)
    sources, ids = table["source"].to_pylist(), table["id"].to_pylist()
    return [(concept, sources[row], ids[row]) for row, concept in zip(rows.tolist(), concepts.to_pylist(), strict=True)]


def keys_of(rows: list[Row], per_source: bool = True) -> Keys:
    concepts, sources, ids = (pa.array([row[at] for row in rows], pa.string()) for at in range(3))
    return posting_keys(concepts, sources, pack_ids(ids), per_source=per_source)


def capped(rows: list[Row], limit: int, seed: int, per_source: bool = True) -> list[Row]:
    return [rows[at] for at in under_cap(keys_of(rows, per_source), limit, seed).tolist()]


def splitmix64(value: int) -> int:
    z = (value + 0x9E3779B97F4A7C15) & MASK
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    return z ^ (z >> 31)


def concept_hash(text: str) -> int:
    """As `hashing.string_hashes`, word by word."""
    data = text.encode()
    found = splitmix64(len(data))
    for start in range(0, len(data), 8):
        found = splitmix64(found ^ int.from_bytes(data[start : start + 8], "little"))
    return found


def priority(row: Row, seed: int) -> tuple[int, str]:
    salt = splitmix64(concept_hash(row[0]) ^ int(seed_for("posting", seed)))
    return splitmix64(int(row[2][:16], 16) ^ salt), row[2]


def in_utf8(name: tuple[str, ...]) -> list[bytes]:
    return [part.encode() for part in name]


def postings_of(rows: list[Row], per_source: bool = True) -> dict[tuple[str, ...], list[Row]]:
    postings: dict[tuple[str, ...], list[Row]] = defaultdict(list)
    for row in rows:
        postings[row[:2] if per_source else row[:1]].append(row)
    return postings


@settings(deadline=None)
@given(CORPUS, st.integers(0, 10), st.sampled_from(["concept", "morpheme"]))
def test_a_row_for_each_concept_of_each_sentence(sentences: list[Any], start: int, unit: Unit) -> None:
    table = corpus_table(sentences).slice(start)
    assert exploded(table, unit) == [
        (concept, source, text_id(str(number)))
        for number, (source, concepts, morphemes) in list(enumerate(sentences))[start:]
        for concept in (concepts if unit == "concept" else dict.fromkeys(morphemes))
    ]


def test_a_morpheme_counts_once_a_sentence() -> None:
    table = corpus_table([("captions", ["개 공"], ["개/NNG", "공/NNG", "개/NNG"]), ("captions", [], ["개/NNG"])])
    assert [concept for concept, _, _ in exploded(table, "morpheme")] == ["개/NNG", "공/NNG", "개/NNG"]
    assert [concept for concept, _, _ in exploded(table, "concept")] == ["개 공"]


@settings(deadline=None)
@given(CORPUS, st.booleans(), st.randoms())
def test_keys_tell_postings_apart_in_their_order(sentences: list[Any], per_source: bool, random: Any) -> None:
    rows = exploded(corpus_table(sentences))
    random.shuffle(rows)
    keys = keys_of(rows, per_source)
    names = [row[:2] if per_source else row[:1] for row in rows]
    numbers = dict(zip(names, keys.posting.tolist(), strict=True))
    assert [numbers[name] for name in names] == keys.posting.tolist()
    assert sorted(numbers, key=in_utf8) == sorted(numbers, key=numbers.__getitem__)
    assert len(set(numbers.values())) == len(numbers)
    assert keys.concept.tolist() == [concept_hash(concept) for concept, _, _ in rows]
    assert keys.head.tolist() == [int(id_[:16], 16) for _, _, id_ in rows]
    assert keys.tail.tolist() == [int(id_[16:], 16) for _, _, id_ in rows]


@settings(deadline=None)
@given(CORPUS, st.booleans())
def test_keys_from_the_sentences_of_the_rows(sentences: list[Any], per_source: bool) -> None:
    table = corpus_table(sentences)
    rows, concepts = explode(table, "concept")
    keys = posting_keys(concepts, table["source"], pack_ids(table["id"]), rows, per_source)
    alone = keys_of(exploded(table), per_source)
    assert [values.tolist() for values in keys[1:]] == [values.tolist() for values in alone[1:]]
    numbers = [np.unique(one.posting, return_inverse=True)[1].tolist() for one in (keys, alone)]
    assert numbers[0] == numbers[1]


@settings(deadline=None)
@given(CORPUS, st.integers(0, 6), st.integers(0, 5), st.booleans())
def test_the_cap_keeps_the_smallest_priorities(sentences: list[Any], limit: int, seed: int, per_source: bool) -> None:
    rows = exploded(corpus_table(sentences))
    stay = {
        row
        for posting in postings_of(rows, per_source).values()
        for row in sorted(posting, key=lambda row: priority(row, seed))[:limit]
    }
    assert capped(rows, limit, seed, per_source) == [row for row in rows if row in stay]


@settings(deadline=None)
@given(CORPUS, st.integers(1, 6), st.booleans(), st.data())
def test_parts_may_be_capped_before_the_whole(sentences: list[Any], limit: int, per_source: bool, data: Any) -> None:
    rows = exploded(corpus_table(sentences))
    parts = defaultdict(list)
    for row in rows:
        parts[data.draw(st.integers(0, 2))].append(row)
    sent = [row for part in parts.values() for row in capped(part, limit, 7, per_source)]
    assert sorted(capped(sent, limit, 7, per_source)) == sorted(capped(rows, limit, 7, per_source))


def test_equal_heads_are_told_apart_by_the_tail() -> None:
    rows = [("개", "captions", "0" * 16 + tail) for tail in ("0003", "0001", "0002")]
    assert capped(rows, 2, 0) == rows[1:]


def test_every_sentence_of_a_hot_posting_is_as_likely_to_stay() -> None:
    """Of two halves of a posting of 20,000 the cap takes as many, and other concepts and seeds take others."""
    rows = [("개", "captions", text_id(str(number))) for number in range(20_000)]
    taken = capped(rows, 2_000, 0)
    assert len(taken) == 2_000
    first_half = sum(rows.index(row) < 10_000 for row in taken[::10])
    assert abs(first_half - 100) < 40
    for others in (capped(rows, 2_000, 1), capped([("공", source, id_) for _, source, id_ in rows], 2_000, 0)):
        assert 100 < len({row[2] for row in others} & {row[2] for row in taken}) < 300


@settings(deadline=None)
@given(CORPUS, st.booleans(), st.randoms())
def test_postings_follow_each_other(sentences: list[Any], per_source: bool, random: Any) -> None:
    rows = exploded(corpus_table(sentences))
    random.shuffle(rows)
    order, offsets = in_postings(keys_of(rows, per_source))
    ordered = [rows[at] for at in order.tolist()]
    found = [ordered[start:end] for start, end in zip(offsets[:-1].tolist(), offsets[1:].tolist(), strict=True)]
    postings = postings_of(rows, per_source)
    names = sorted(postings, key=in_utf8)
    assert found == [sorted(postings[name], key=lambda row: row[2]) for name in names]


def test_one_posting_or_one_for_each_source() -> None:
    rows = [("개", source, text_id(str(number))) for number, source in enumerate(["captions", "dialogues"] * 5)]
    assert len(capped(rows, 2, 0)) == 4
    assert len(capped(rows, 2, 0, per_source=False)) == 2
    assert [len(in_postings(keys_of(rows, per_source))[1]) - 1 for per_source in (True, False)] == [2, 1]


@pytest.mark.parametrize("unit", ["concept", "morpheme"])
def test_no_sentences(unit: Unit) -> None:
    rows, concepts = explode(SENTENCES.empty_table(), unit)
    keys = posting_keys(concepts, pa.array([], pa.string()), pack_ids(pa.array([], pa.string())), rows)
    assert len(under_cap(keys, 3, 0)) == 0
    order, offsets = in_postings(keys)
    assert (order.tolist(), offsets.tolist()) == ([], [0])
    assert np.asarray(rows).size == 0


@pytest.mark.parametrize("even", [True, False])
def test_a_hot_posting_keeps_the_smallest_priorities_however_they_lie(even: bool) -> None:
    rows = [("개", "captions", text_id(str(number))) for number in range(3_000)]
    ordered = sorted(rows, key=lambda row: priority(row, 1))
    # Without the first, no row lies where the smallest of evenly spread priorities would.
    rows = [row for row in rows if even or row in set(ordered[500:])]
    assert capped(rows, 20, 1) == [row for row in rows if row in set(ordered[:20] if even else ordered[500:520])]


def test_ids_that_share_64_bits_are_ordered_by_the_rest() -> None:
    tails = ["0003", "0001", "0002"]
    keys = keys_of([("개", "captions", "0123456789abcdef" + tail) for tail in tails])
    assert in_postings(keys)[0].tolist() == [1, 2, 0]
    assert under_cap(keys, 2, 0).tolist() == [1, 2]

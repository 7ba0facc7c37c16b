"""Terms as numbers, against Python's own counters."""

from collections import Counter

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conceptloom.concepts.lexicon import Lexicon, by_rarity, by_spelling, count_terms, merge_counts
from conceptloom.errors import BuildError

TEXTS = st.lists(st.lists(st.sampled_from(["a", "b", "bb", "개", "", "zebra", "Z"]), max_size=6), max_size=12)


def column(rows: list[list[str]]) -> pa.Array:
    return pa.array(rows, pa.list_(pa.string()))


@settings(deadline=None)
@given(parts=st.lists(TEXTS, max_size=4))
def test_counts_of_parts_are_those_of_the_whole(parts: list[list[list[str]]]) -> None:
    merged = merge_counts([count_terms(column(part)) for part in parts])
    counts = Counter(term for part in parts for row in part for term in set(row))
    assert dict(zip(merged["term"].to_pylist(), merged["sentences"].to_pylist())) == counts
    assert merged == merge_counts([count_terms(column([row for part in parts for row in part]))])
    by_count = sorted(counts, key=lambda term: (counts[term], term.encode()))
    assert by_rarity(merged).terms.to_pylist() == by_count
    assert by_spelling(merged).terms.to_pylist() == sorted(counts, key=str.encode)


@settings(deadline=None)
@given(rows=TEXTS, start=st.integers(0, 3))
def test_numbers_are_ascending_places_of_the_terms(rows: list[list[str]], start: int) -> None:
    lexicon = by_rarity(count_terms(column(rows)))
    terms = lexicon.terms.to_pylist()
    numbers = lexicon.numbers(column(rows).slice(start)).to_arrow().to_pylist()
    assert numbers == [sorted({terms.index(term) for term in row}) for row in rows[start:]]
    copy = Lexicon.from_bytes(lexicon.to_bytes())
    assert copy.strings(column_of_numbers(numbers)).to_pylist() == [[terms[n] for n in row] for row in numbers]
    assert len(set(lexicon.hashes().tolist())) == len(copy)


def column_of_numbers(rows: list[list[int]]) -> pa.Array:
    return pa.array(rows, pa.list_(pa.int32()))


def test_a_term_that_was_not_counted_is_an_error() -> None:
    with pytest.raises(BuildError, match="the lexicon lacks the term 'b'"):
        by_rarity(count_terms(column([["a"]]))).numbers(column([["a", "b"]]))


@settings(deadline=None)
@given(rows=TEXTS, start=st.integers(0, 3))
def test_numbers_are_spelled_in_the_order_of_the_terms(rows: list[list[str]], start: int) -> None:
    lexicon = by_rarity(count_terms(column(rows)))
    spelled = lexicon.spelled(lexicon.numbers(column(rows)).to_arrow().slice(start))
    expected = [sorted(set(row), key=str.encode) for row in rows[start:]]
    assert spelled.to_pylist() == expected
    joined = lexicon.joined(lexicon.numbers(column(rows)).to_arrow().slice(start), "#")
    joined.validate(full=True)
    assert joined.to_pylist() == ["#".join(row) for row in expected]

"""Shared concepts against plain intersections of sets."""

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conceptloom.arrays.concept_sets import ConceptSets, concept_sets
from conceptloom.splits.overlap import shared_with

SETS = st.lists(st.sets(st.sampled_from("가나다라마바사아자차카타파하"), max_size=10), max_size=25)


def hashed(sets: list[set[str]]) -> ConceptSets:
    return concept_sets(pa.array([sorted(members) for members in sets], pa.list_(pa.string())))


@settings(deadline=None, max_examples=300)
@given(SETS, SETS, st.integers(0, 7))
@pytest.mark.slow
def test_the_first_held_out_set_with_too_much_in_common(train: list[set[str]], held: list[set[str]], k: int) -> None:
    expected = [next((place for place, other in enumerate(held) if len(one & other) > k), -1) for one in train]
    assert shared_with(hashed(train), hashed(held), k).tolist() == expected


def test_wide_sets_do_not_explode() -> None:
    wide = {f"개념{number}" for number in range(60)}
    near = {f"개념{number}" for number in range(30, 90)}
    assert shared_with(hashed([wide]), hashed([near]), 29).tolist() == [0]
    assert shared_with(hashed([wide]), hashed([near]), 30).tolist() == [-1]

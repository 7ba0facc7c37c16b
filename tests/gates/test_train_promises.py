"""Gate `leak` of builds whose train gives way to dev and test: its verdicts against plain sets of pairs."""

from itertools import combinations

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conceptloom.arrays.concept_sets import ConceptSets, concept_sets
from conceptloom.gates.leak import COLUMNS, leaks, promises
from conceptloom.schemas import DATA
from conceptloom.splits.policies import Random
from conceptloom.splits.train_sets import Final, Held, NoControl, Preprint

Sets = list[frozenset[str]]
SETS = st.lists(st.frozensets(st.sampled_from("abcdefgh"), min_size=2, max_size=4), max_size=6)


def hashed(sets: Sets) -> ConceptSets:
    return concept_sets(pa.array([sorted(members) for members in sets], pa.list_(pa.string())))


def pairs(sets: Sets) -> set[tuple[str, ...]]:
    return {pair for members in sets for pair in combinations(sorted(members), 2)}


@settings(deadline=None)
@given(train=st.lists(SETS, max_size=3), dev=SETS, test=SETS, share=st.sampled_from([0, 0.5, 0.9631, 1]))
def test_final(train: list[Sets], dev: Sets, test: Sets, share: float) -> None:
    shown = pairs([members for part in train for members in part])
    of_test, of_dev = promises(Final(share), map(hashed, train), Held(hashed(dev), hashed(test)))
    assert of_test.measured == f"{len(shown & pairs(test))} in train"
    assert of_test.passed == (not shown & pairs(test))
    unseen = len(pairs(dev) - shown)
    assert f"({unseen} of {len(pairs(dev))})" in of_dev.measured
    assert of_dev.passed == (unseen >= share * len(pairs(dev)) - 1e-9)


@settings(deadline=None)
@given(train=st.lists(SETS, max_size=3), dev=SETS, test=SETS, most=st.integers(0, 3))
@pytest.mark.slow
def test_preprint(train: list[Sets], dev: Sets, test: Sets, most: int) -> None:
    (found,) = promises(Preprint(most), map(hashed, train), Held(hashed(dev), hashed(test)))
    near = [members for part in train for members in part if any(len(members & one) > most for one in dev + test)]
    assert found.measured.startswith(f"{len(near)} rows") and found.passed == (not near)


def test_no_control_promises_nothing() -> None:
    assert promises(NoControl(), iter([hashed([frozenset("ab")])]), Held(hashed([frozenset("ab")]), hashed([]))) == []


def test_references_that_are_still_to_be_written_are_no_sentence() -> None:
    schema = pa.schema([DATA.field(name) for name in COLUMNS])
    rows = [{"id": key, "concepts": [key, "x"], "target": "", "references": []} for key in "ab"]
    dev, test = (pa.Table.from_pylist([row], schema=schema) for row in rows)
    assert all(one.passed for one in leaks([schema.empty_table()], dev, test, Random()))

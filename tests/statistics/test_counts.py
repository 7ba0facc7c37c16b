"""Counts and unseen tuples over blocks against plain Python."""

from collections import Counter
from itertools import combinations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conceptloom.arrays.concept_sets import concept_sets
from conceptloom.examples import Example
from conceptloom.schemas import DATA, SENTENCES
from conceptloom.statistics.counts import Counts, count_block
from conceptloom.statistics.examples import EXAMPLES, examples_of_data, examples_of_sentences, examples_table
from conceptloom.statistics.unseen import eval_tuples, seen_in, unseen

EXAMPLE = st.builds(
    Example,
    st.lists(st.sampled_from("가나다라마바사아자차"), max_size=8).map(tuple),
    st.lists(st.text(max_size=9), max_size=3).map(tuple),
    st.sampled_from(["captions", "dialogues", "", None]),
)
EXAMPLES_LIST = st.lists(EXAMPLE, max_size=25)


@settings(deadline=None)
@given(EXAMPLES_LIST, EXAMPLES_LIST)
@pytest.mark.slow
def test_counts_of_blocks_add_up_to_those_of_a_plain_program(left: list[Example], right: list[Example]) -> None:
    counts = Counts().merge(count_block(examples_table(left)).merge(count_block(examples_table(right))))
    rows = left + right
    bins = Counter(min(max(len(set(row.concepts)), 3), 7) for row in rows)
    assert counts.sets == len(rows)
    assert counts.sizes == tuple(bins[size] for size in range(3, 8))
    assert counts.sentences == sum(len(row.sentences) for row in rows)
    assert counts.characters == sum(len(text) for row in rows for text in row.sentences)
    assert counts.sources == dict(Counter(row.source for row in rows if row.source))
    assert len(counts.concepts) == len({concept for row in rows for concept in row.concepts})
    swapped = count_block(examples_table(right)).merge(count_block(examples_table(left)))
    assert np.array_equal(counts.concepts, swapped.concepts) and counts.sources == swapped.sources


def plain_unseen(train: list[Example], held_out: list[Example], width: int) -> tuple[int, int]:
    seen = {frozenset(chosen) for row in train for chosen in combinations(set(row.concepts), width)}
    ordered = {chosen for row in held_out for chosen in combinations(row.concepts, width) if len(set(chosen)) == width}
    return sum(frozenset(each) not in seen for each in ordered), len({frozenset(each) for each in ordered} - seen)


@settings(deadline=None)
@given(EXAMPLES_LIST, st.lists(EXAMPLES_LIST, max_size=3))
@pytest.mark.slow
def test_unseen_tuples_over_train_blocks(held_out: list[Example], train: list[list[Example]]) -> None:
    tuples = eval_tuples(examples_table(held_out))
    seen = tuples.nothing_seen()
    for block in train:
        seen |= seen_in(concept_sets(examples_table(block)["concepts"]), tuples)
    counted = unseen(tuples, seen)
    rows = [row for block in train for row in block]
    expected = [plain_unseen(rows, held_out, width) for width in (1, 2, 3)]
    assert list(zip(counted.published, counted.sound)) == expected


def test_order_counts_only_in_the_published_numbers() -> None:
    held_out = [Example(("개", "공"), ()), Example(("공", "개"), ()), Example(("개", "새"), ())]
    tuples = eval_tuples(examples_table(held_out))
    seen = seen_in(concept_sets(pa.array([["새", "말", "개"]])), tuples)
    assert unseen(tuples, seen).to_json() == {
        "published": {"singles": 1, "pairs": 2, "triples": 0},
        "sound": {"singles": 1, "pairs": 1, "triples": 0},
    }


def test_shards_of_a_build_are_examples() -> None:
    row = {"id": "0", "text": "개가 난다.", "source": "captions", "concepts": ["개", "난다"], "copies": 1}
    assert examples_of_sentences(pa.Table.from_pylist([row], SENTENCES)).to_pylist() == [
        {"concepts": ["개", "난다"], "sentences": ["개가 난다."], "source": "captions"}
    ]
    published = [
        {"target": "개가 난다.", "references": ["개가 난다.", "나는 개다."], "concepts": ["개"]},
        {"target": "개가 난다.", "references": ["나는 개다."], "concepts": ["개"]},
        {"target": "개가 난다.", "references": [], "concepts": ["개"]},
        {"target": "개가 난다.", "references": None, "concepts": ["개"]},
    ]
    examples = examples_of_data(pa.Table.from_pylist(published, DATA))
    assert examples.schema == EXAMPLES
    assert [len(sentences) for sentences in examples["sentences"].to_pylist()] == [2, 2, 1, 1]
    assert count_block(examples).sentences == 6

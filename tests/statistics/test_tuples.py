"""CommonGen's table: the published numbers, and an independent count of plain sets."""

import json
from collections import Counter
from itertools import combinations, pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conceptloom.examples import Example
from conceptloom.statistics import (
    count_tuples,
    examples_table,
    merge_tuples,
    tuple_columns,
    tuple_statistics,
    tuple_table,
)
from conceptloom.statistics.files import load_stored
from conceptloom.statistics.storing import sets_of

SHARED = Path(__file__).resolve().parents[3] / "shared" / "data" / "en" / "commongen"
EXAMPLES = st.lists(
    st.builds(
        Example,
        st.lists(st.sampled_from("abcdefg"), min_size=1, max_size=5).map(tuple),
        st.lists(st.sampled_from(["a dog  runs", " one", "", "a b c d "]), max_size=3).map(tuple),
    ),
    max_size=20,
)
real = pytest.mark.skipif(not SHARED.exists(), reason="the real data is not in ../shared/data")


def tuples_of(examples: list[Example], width: int) -> set[tuple[str, ...]]:
    return {chosen for row in examples for chosen in combinations(sorted(row.concepts), width)}


def published_dev() -> list[Example]:
    lines = (SHARED / "commongen.dev.jsonl").read_text("utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    return [
        Example(tuple(name.rpartition("_")[0] for name in row["concept_set"].split("#")), tuple(row["scene"]))
        for row in rows
    ]


def published_train() -> list[Example]:
    """The first half of train, an example for each set."""
    sources, targets = ((SHARED / f"train_{side}.txt").read_text("utf-8").splitlines() for side in ("src", "trg"))
    sentences: dict[str, list[str]] = {}
    for concepts, text in zip(sources, targets):
        sentences.setdefault(concepts, []).append(text)
    return [Example(tuple(concepts.split()), tuple(texts)) for concepts, texts in sentences.items()]


@real
def test_the_published_numbers_of_dev() -> None:
    found = tuple_statistics(count_tuples(examples_table(published_dev())))
    assert (found.sets, dict(found.sizes), found.sentences) == (993, {3: 493, 4: 250, 5: 250}, 4018)
    assert found.distinct == (766, 3926, 3766)
    # Printed as 11.55 and 4.04, which is cut off and not rounded: 11.558 and 4.046.
    assert int(100 * found.average_length) == 1155 and int(100 * found.sentences / found.sets) == 404


@real
@pytest.mark.slow
def test_the_first_half_of_train_and_what_dev_has_unseen_beside_it() -> None:
    train, dev = published_train(), published_dev()
    counts = merge_tuples([count_tuples(examples_table(train[start::3])) for start in range(3)])
    found = tuple_statistics(counts)
    lists = set((SHARED / "train_src.txt").read_text("utf-8").splitlines())
    assert found.sets == len(lists) == found.sizes[3] and found.sentences == 33_694
    assert found.distinct == tuple(len(tuples_of(train, width)) for width in (1, 2, 3))
    assert found.average_length == sum(len(text.split()) for row in train for text in row.sentences) / 33_694
    beside = tuple_statistics(count_tuples(examples_table(dev)), counts)
    assert beside.unseen == tuple(len(tuples_of(dev, width) - tuples_of(train, width)) for width in (1, 2, 3))
    # Of the whole of train dev leaves 96.31 % and 99.60 % unseen; half of train can only leave more.
    shares = beside.to_json()["unseen_percent"]
    assert shares["concepts"] >= 6.53 and shares["pairs"] >= 96.31 and shares["triples"] >= 99.6


@settings(deadline=None)
@given(train=EXAMPLES, held=EXAMPLES, cut=st.integers(0, 20))
@pytest.mark.slow
def test_counts_are_those_of_plain_sets(train: list[Example], held: list[Example], cut: int) -> None:
    parts = [count_tuples(examples_table(part)) for part in (held[:cut], held[cut:])]
    found = tuple_statistics(merge_tuples(parts[::-1]), count_tuples(examples_table(train)))
    assert found.sets == len(held) and found.sizes == Counter(len(row.concepts) for row in held)
    lengths = [len(text.split()) for row in held for text in row.sentences]
    assert found.sentences == len(lengths) and found.average_length == sum(lengths) / max(1, len(lengths))
    assert found.distinct == tuple(len(tuples_of(held, width)) for width in (1, 2, 3))
    assert found.unseen == tuple(len(tuples_of(held, width) - tuples_of(train, width)) for width in (1, 2, 3))


@given(EXAMPLES)
def test_distinct_sets_orderings_and_runs(rows: list[Example]) -> None:
    found = sets_of(rows)
    sets: list[list[str]] = []
    runs = 0
    for at, row in enumerate(rows):
        sets += [ordered] if (ordered := sorted(row.concepts)) not in sets else []
        runs += at == 0 or rows[at - 1].concepts != row.concepts
    assert [sorted(example.concepts) for example in found.examples] == sets
    assert (found.orderings, found.runs) == (len({row.concepts for row in rows}), runs)
    for example in found.examples:
        same = [row for row in rows if sorted(row.concepts) == sorted(example.concepts)]
        assert list(example.sentences) == [text for row in same for text in row.sentences]
        assert example.concepts == same[0].concepts


@given(EXAMPLES, st.randoms())
def test_the_order_of_rows_and_concepts_changes_no_number_but_that_of_orderings_and_runs(
    rows: list[Example], random
) -> None:
    turned = [row._replace(concepts=tuple(random.sample(row.concepts, len(row.concepts)))) for row in rows]
    random.shuffle(turned)
    both = [tuple_columns(some, {})["train"].to_json() for some in (rows, turned)]
    plain = [{name: value for name, value in one.items() if name not in ("orderings", "runs")} for one in both]
    assert plain[0] == plain[1]
    assert both[0]["sets"] == len({tuple(sorted(row.concepts)) for row in rows})
    assert both[0]["sentences"] == sum(len(row.sentences) for row in rows)


@real
def test_the_published_lines_as_sets_orderings_and_runs() -> None:
    """The paper's 32,651 sets are the runs of the whole train; here is its first half."""
    lines = (SHARED / "train_src.txt").read_text("utf-8").splitlines()
    columns = tuple_columns(
        load_stored(str(SHARED / "train_src.txt")), {"validation": load_stored(str(SHARED / "commongen.dev.jsonl"))}
    )
    train, dev = (column.to_json() for column in columns.values())
    sets, orderings, runs = len({frozenset(line.split()) for line in lines}), len(set(lines)), 1
    runs += sum(one != other for one, other in pairwise(lines))
    assert (train["sets"], train["orderings"], train["runs"]) == (sets, orderings, runs) == (14_252, 14_316, 14_328)
    assert (train["sentences"], train["sentences_per_set"]) == (len(lines), round(len(lines) / sets, 2))
    assert dev["sets"] == 993 and not {"orderings", "runs"} & set(dev)
    table = tuple_table(columns)
    assert table.split("\n")[1:4] == [
        "concept sets             14,252         993",
        "  in distinct orders     14,316         993",
        "  in runs of equal rows  14,328         993",
    ]
    assert table.endswith("\n\n" + table.split("\n")[-1]) and "32,651" in table.split("\n")[-1]


def test_sets_that_only_their_tags_tell_apart_are_two() -> None:
    rows = [Example(("cook_N", "eat_V"), ("x",)), Example(("eat_V", "cook_V"), ("y",))]
    found = tuple_columns(rows, {})["train"]
    assert (found.sets, found.distinct[0], found.stored) == (2, 2, {})


def test_the_table() -> None:
    train, test = [Example(("a", "b", "c"), ("a b c d", "a b"))], [Example(("a", "b", "d", "e"), ("x",))]
    table = tuple_table(tuple_columns(train, {"test": test}))
    assert table.split("\n") == [
        "                   train    test",
        "concept sets           1       1",
        "  size 3               1       0",
        "  size 4               0       1",
        "sentences              2       1",
        "  per set           2.00    1.00",
        "average length      3.00    1.00",
        "unique concepts        3       4",
        "unique pairs           3       6",
        "unique triples         1       4",
        "unseen concepts %      -   50.00",
        "unseen pairs %         -   83.33",
        "unseen triples %       -  100.00",
    ]

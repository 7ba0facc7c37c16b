"""Mining against plain sets and loops, field by field."""

from itertools import combinations
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mining_oracle import (
    SHARED,
    Row,
    ambiguous_rows,
    brute_force,
    by_concepts,
    captions,
    coded,
    degrees_of,
    exact_scores,
    mined,
)

from conceptloom.concepts import distinct_words as unions
from conceptloom.concepts.coded_sentences import BARE, cap_concepts, from_stored
from conceptloom.concepts.degrees import Degrees, count_degrees, merge_degrees
from conceptloom.concepts.mining import CERTAIN, MINED, MiningRules, _chances, mine
from conceptloom.concepts.scoring import DECIMALS, SCORED, score
from conceptloom.errors import ConfigError

LETTERS = "abcdefghijkl"
ROWS = st.lists(
    st.builds(
        Row, st.lists(st.sampled_from(LETTERS), max_size=9), st.lists(st.sampled_from(LETTERS), min_size=1), st.none()
    ),
    max_size=25,
)
SIZES = st.sets(st.integers(1, 6), min_size=1).map(lambda sizes: tuple(sorted(sizes)))
real = pytest.mark.skipif(not SHARED.exists(), reason="the real data is not in ../shared/data")


@settings(deadline=None, max_examples=200)
@given(
    rows=ROWS,
    sizes=st.one_of(st.just((3, 4, 5)), SIZES),
    min_support=st.integers(1, 3),
    shards=st.integers(1, 5),
    instances=st.sampled_from([1, 50, 1 << 20]),
)
@pytest.mark.slow
def test_every_field_of_every_set(
    rows: list[Row], sizes: tuple[int, ...], min_support: int, shards: int, instances: int
) -> None:
    coding = coded(rows)
    found = mined(coding.sentences, MiningRules(sizes, min_support, 99), shards, instances)
    assert by_concepts(found, coding.concepts) == brute_force(rows, sizes, min_support)


@settings(deadline=None)
@given(
    rows=ambiguous_rows(),
    sizes=st.one_of(st.just((3, 4, 5)), SIZES),
    min_support=st.integers(1, 2),
    shards=st.integers(1, 3),
    instances=st.sampled_from([1, 50, 1 << 20]),
)
def test_only_sentences_with_a_word_for_each_concept_count(
    rows: list[Row], sizes: tuple[int, ...], min_support: int, shards: int, instances: int
) -> None:
    coding = coded(rows)
    found = mined(coding.sentences, MiningRules(sizes, min_support, 99), shards, instances)
    assert by_concepts(found, coding.concepts) == brute_force(rows, sizes, min_support)


@pytest.mark.parametrize(
    ("words", "unsupported"),
    [
        (["lens lense", "camera"], ["camera lens lense"]),
        (["lens lense", "lens", "camera"], []),
        (["lens lense", "lens lense", "camera"], []),
        (["a b c", "a b c", "x"], ["a b c"]),
        (["a b", "b c", "x"], ["a b c"]),
        (["a b", "a b c", "c", "x"], []),
        (["a b c", "x", "y"], ["a b x", "a b y", "a c x", "a c y", "b c x", "b c y", "a b c"]),
    ],
)
def test_words_that_supply_several_concepts(words: list[str], unsupported: list[str]) -> None:
    matches = [word.split() for word in words]
    concepts = sorted({one for word in matches for one in word})
    coding = coded([Row(concepts, words, matches)])
    found = by_concepts(mined(coding.sentences, MiningRules((3,)), 1), coding.concepts)
    every = {frozenset(chosen) for chosen in combinations(concepts, 3)}
    assert every - found.keys() == {frozenset(chosen.split()) for chosen in unsupported}


@settings(deadline=None)
@given(rows=ambiguous_rows(), stopped=st.sets(st.sampled_from("abcdefgh")))
def test_concepts_that_are_left_out_later_take_their_clashes_along(rows: list[Row], stopped: set[str]) -> None:
    """The concept lists lose some concepts after the clashes were found; no term of theirs is in the lexicon."""
    fewer = [row._replace(concepts=[one for one in row.concepts if one not in stopped]) for row in rows]
    coding = coded(fewer)
    found = mined(coding.sentences, MiningRules((2, 3), 1, 99), 2)
    assert by_concepts(found, coding.concepts) == brute_force(fewer, (2, 3))


@settings(deadline=None)
@given(rows=ambiguous_rows(), most=st.integers(3, 6))
def test_a_capped_sentence_keeps_the_clashes_of_its_concepts(rows: list[Row], most: int) -> None:
    coding = coded(rows)
    kept, _ = cap_concepts(coding.sentences, most)
    ranks = coding.concepts.terms.to_pylist()
    capped = [row._replace(concepts=sorted(row.concepts, key=ranks.index)[:most]) for row in rows]
    found = by_concepts(mined(kept, MiningRules((2, 3), 1, most), 2), coding.concepts)
    assert found == brute_force(capped, (2, 3))


@settings(deadline=None)
@given(rows=ambiguous_rows())
def test_stored_without_clashes_words_need_not_be_distinct(rows: list[Row]) -> None:
    coding = coded(rows)
    bare = from_stored(coding.sentences.select(BARE.names))
    assert bare.schema == coding.sentences.schema and from_stored(coding.sentences) == coding.sentences
    plain = [row._replace(matches=None) for row in rows]
    assert by_concepts(mined(bare, MiningRules(), 2), coding.concepts) == brute_force(plain, (3, 4, 5))
    assert coded(plain).sentences == bare


@real
@pytest.mark.slow
def test_every_field_on_real_captions() -> None:
    rows = captions()[::10][:3000]
    coding = coded(rows)
    batches = list(mined(coding.sentences, MiningRules(), 7, 20_000))
    found, expected = by_concepts(batches, coding.concepts), brute_force(rows, (3, 4, 5))
    assert found == expected
    degrees = merge_degrees(map(count_degrees, batches))
    names = coding.concepts.terms.to_pylist()
    assert {n: d for n, d in zip(names, degrees.of_concept.tolist()) if d} == degrees_of(expected)
    scored = pa.Table.from_batches([score(batch, degrees, coding.concepts.hashes()) for batch in batches])
    assert scored.schema == SCORED and degrees.sets == len(expected) == len(set(scored["set"].to_pylist()))
    exact = exact_scores(expected)
    for concepts, value in zip(coding.concepts.strings(scored["concepts"]).to_pylist(), scored["score"].to_pylist()):
        wanted = float(exact[frozenset(concepts)])
        assert abs(value - wanted) <= 0.5 * 10**-DECIMALS + 1e-12 * wanted


@real
@pytest.mark.slow
def test_all_captions_have_as_many_sets_and_supports_as_plain_dictionaries_count() -> None:
    rows = captions()
    supports = dict[tuple[str, ...], int]()
    for row in rows:
        names = sorted(set(row.concepts))
        for i, a in enumerate(names):
            for j in range(i + 1, len(names)):
                for k in range(j + 1, len(names)):
                    stem = (a, names[j], names[k])
                    supports[stem] = supports.get(stem, 0) + 1
                    for m in range(k + 1, len(names)):
                        longer = (*stem, names[m])
                        supports[longer] = supports.get(longer, 0) + 1
                        for last in names[m + 1 :]:
                            whole = (*longer, last)
                            supports[whole] = supports.get(whole, 0) + 1
    batches = list(mined(coded(rows).sentences, MiningRules(), 5))
    assert sum(map(len, batches)) == len(supports)
    assert sum(int(batch["support"].to_numpy().sum()) for batch in batches) == sum(supports.values())


@settings(deadline=None)
@given(rows=st.one_of(ROWS, ambiguous_rows()), shards=st.integers(1, 4), order=st.randoms(use_true_random=False))
@pytest.mark.slow
def test_blocks_in_any_order_give_the_same_batches(rows: list[Row], shards: int, order: Any) -> None:
    sentences = coded(rows).sentences
    shuffled = list(range(len(rows)))
    order.shuffle(shuffled)
    one = list(mined(sentences, MiningRules(), shards, 50))
    other = list(mined(sentences.take(pa.array(shuffled, pa.int64())), MiningRules(), shards, 50))
    assert one == other


@settings(deadline=None)
@given(rows=ROWS)
def test_supports_whose_hashes_clash_are_told_apart(rows: list[Row]) -> None:
    coding = coded(rows)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(unions, "_SIGNATURE_BITS", 1)
        patch.setattr(unions, "_WORDS", 3)
        found = by_concepts(mined(coding.sentences, MiningRules(), 1), coding.concepts)
    assert found == brute_force(rows, (3, 4, 5))


@settings(deadline=None)
@given(rows=ROWS, most=st.integers(5, 8))
def test_a_long_sentence_keeps_its_rarest_concepts(rows: list[Row], most: int) -> None:
    coding = coded(rows)
    kept, lost = cap_concepts(coding.sentences, most)
    ranks = coding.concepts.terms.to_pylist()
    capped = [sorted(set(row.concepts), key=ranks.index)[:most] for row in rows]
    assert coding.concepts.strings(kept["concepts"]).to_pylist() == capped
    assert lost.tolist() == [len(set(row.concepts)) - len(names) for row, names in zip(rows, capped)]
    assert kept.drop_columns("concepts") == coding.sentences.drop_columns("concepts")


def test_nothing_comes_of_nothing() -> None:
    assert list(mine([], MiningRules())) == []
    assert list(mined(coded([Row("ab", "ab")]).sentences, MiningRules(), 3)) == []
    empty = merge_degrees([])
    assert len(score(pa.RecordBatch.from_pylist([], MINED), empty, np.zeros(0, dtype=np.uint64))) == 0


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(0, 99), st.lists(st.integers(0, 99)))))
def test_degrees_are_added_up_in_any_order(numbers: list[tuple[int, list[int]]]) -> None:
    parts = [Degrees(sets, np.array(counts, dtype=np.int64)) for sets, counts in numbers]
    one, other = merge_degrees(parts), merge_degrees(parts[::-1])
    assert one.to_bytes() == other.to_bytes() == Degrees.from_bytes(one.to_bytes()).to_bytes()
    longest = max((len(counts) for _, counts in numbers), default=0)
    columns = [sum(counts[at] for _, counts in numbers if at < len(counts)) for at in range(longest)]
    assert (one.sets, one.of_concept.tolist()) == (sum(sets for sets, _ in numbers), columns)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"sizes": ()}, "mine.sizes must be ascending"),
        ({"sizes": (4, 3)}, "mine.sizes must be ascending"),
        ({"sizes": (0, 3)}, "mine.sizes must be ascending"),
        ({"min_support": 0}, "mine.min_support must be at least 1"),
        ({"max_concepts": 4}, "mine.max_concepts must be at least the largest"),
        ({"sizes": (3, 9)}, "mine.distinct_words is exact for mine.sizes up to 8, not 9"),
    ],
)
def test_impossible_rules_are_refused(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        MiningRules(**wrong)


def test_words_that_need_not_be_distinct_allow_sets_of_any_size() -> None:
    assert MiningRules((3, 9), distinct_words=False).sizes == (3, 9)


def test_no_set_is_without_a_chance() -> None:
    """A sentence of 64 concepts has more sets of 32 than there are units; one of four has four sets of three."""
    assert _chances(np.array([64, 32, 0]), 32).tolist() == [1, CERTAIN, CERTAIN]
    assert _chances(np.array([4, 3]), 3).tolist() == [CERTAIN // 4, CERTAIN]

"""Scorer tfidf against its definition and scikit-learn's figures, and frequencies against collections.Counter."""

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from similarity_batches import batch_of
from tfidf_oracle import ROWS, SCIKIT_LEARN, cosines

from conceptloom.errors import ConfigError
from conceptloom.similarity import count_frequencies, make_scorer, merge_frequencies, pairwise_centralities

SENTENCES = st.lists(st.lists(st.sampled_from("abcdefg가나"), max_size=7), max_size=12)


def counted(frequencies):
    return dict(zip(frequencies.morphemes.to_pylist(), frequencies.counts.tolist(), strict=True))


@settings(deadline=None)
@given(SENTENCES)
def test_frequencies_count_sentences_not_occurrences(rows):
    frequencies = count_frequencies(batch_of(rows))
    assert frequencies.sentences == len(rows)
    assert counted(frequencies) == Counter(m for row in rows for m in set(row))
    assert frequencies.morphemes.to_pylist() == sorted({m for row in rows for m in row})


@settings(deadline=None)
@given(SENTENCES, st.lists(st.integers(0, 12), max_size=3), st.randoms(use_true_random=False))
def test_merged_frequencies_equal_those_of_all_sentences(rows, cuts, random):
    bounds = [0, *sorted(min(cut, len(rows)) for cut in cuts), len(rows)]
    parts = [count_frequencies(batch_of(rows[a:b])) for a, b in pairwise(bounds)]
    random.shuffle(parts)
    merged, whole = merge_frequencies(parts), count_frequencies(batch_of(rows))
    assert (merged.sentences, merged.morphemes) == (whole.sentences, whole.morphemes)
    assert merged.counts.tolist() == whole.counts.tolist()


def test_merging_nothing_gives_nothing():
    merged = merge_frequencies([])
    assert (merged.sentences, len(merged.morphemes), len(merged.counts)) == (0, 0, 0)


def test_a_slice_is_counted_as_that_slice():
    assert counted(count_frequencies(batch_of([["a"], ["b", "b"], ["c"]]).slice(1, 1))) == {"b": 1}


def test_the_definition_has_the_figures_of_scikit_learn():
    assert cosines(ROWS, ROWS) == pytest.approx(SCIKIT_LEARN, abs=1e-8)


@settings(deadline=None)
@given(st.lists(SENTENCES, min_size=1, max_size=4))
def test_centralities_equal_their_definition(postings):
    rows = [row for posting in postings for row in posting]
    if not any(rows):
        return
    cosine = cosines(rows, rows)
    offsets = np.cumsum([0, *map(len, postings)])
    oracle = pairwise_centralities(lambda start, end: cosine[start:end, start:end], offsets)
    scorer = make_scorer("tfidf").open(count_frequencies(batch_of(rows)))
    np.testing.assert_allclose(scorer.centralities(scorer.encode(batch_of(rows)), offsets), oracle, atol=1e-9)


@settings(deadline=None)
@given(SENTENCES.filter(bool), SENTENCES)
def test_a_posting_gets_the_same_bits_in_every_block(posting, others):
    scorer = make_scorer("tfidf").open(count_frequencies(batch_of(posting + others)))
    alone = scorer.centralities(scorer.encode(batch_of(posting)), np.array([0, len(posting)]))
    offsets = np.array([0, len(others), len(others) + len(posting)])
    together = scorer.centralities(scorer.encode(batch_of(others + posting)), offsets)
    assert together[len(others) :].tobytes() == alone.tobytes()


def test_groups_of_postings_do_not_show(monkeypatch):
    batch = batch_of([["abcdefg"[i % 7], "abcde"[i % 5]] for i in range(60)])
    scorer = make_scorer("tfidf").open(count_frequencies(batch))
    features, offsets = scorer.encode(batch), np.array([0, 3, 3, 30, 60])
    whole = scorer.centralities(features, offsets)
    monkeypatch.setattr("conceptloom.similarity.tfidf.GROUP_ROWS", 5)
    assert scorer.centralities(features, offsets).tobytes() == whole.tobytes()


def test_unknown_morphemes_are_dropped_and_repeats_count_once():
    scorer = make_scorer("tfidf").open(count_frequencies(batch_of([["a", "b"], ["a"]])))
    assert scorer.encode(batch_of([["b", "z", "a", "b"], []])).to_pylist() == [[0, 1], []]


def test_the_signature_names_the_corpus():
    first, same, other = (count_frequencies(batch_of(rows)) for rows in ([["a"]], [["a"]], [["a"], ["a"]]))
    make = make_scorer("tfidf").open
    assert make(first).signature() == make(same).signature() != make(other).signature()


def test_without_frequencies_the_error_says_what_to_do():
    assert make_scorer("tfidf").wants_frequencies
    with pytest.raises(ConfigError, match="count_frequencies"):
        make_scorer("tfidf").open(None)

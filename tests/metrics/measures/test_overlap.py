"""The functions behind the Korean table compared with the plain program, nltk and sacrebleu on arbitrary sentences."""

import korean_oracle as oracle
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from nltk.translate.meteor_score import single_meteor_score
from sacrebleu.metrics import BLEU

from conceptloom.metrics.measures.korean_commongen import overlap
from conceptloom.metrics.measures.korean_commongen.meteor import meteor
from conceptloom.metrics.measures.ngrams import clipped_hits, ngrams
from conceptloom.metrics.measures.subsequences import common_subsequence

tokens = st.lists(st.sampled_from("abc"), max_size=8)
some_tokens = st.lists(st.sampled_from("abc"), min_size=1, max_size=8)
references = st.lists(some_tokens, min_size=1, max_size=3)
word = st.sampled_from(
    ["a", "a.", "runs", "running", "run", "Run", "ran", "개", "개가", "개ing", "i", "ies", "s", "flies"]
)
words = st.lists(word, max_size=6)


@given(tokens, tokens)
def test_subsequence_is_that_of_the_table(first: list[str], second: list[str]) -> None:
    assert common_subsequence(first, second) == oracle.subsequence(first, second)


def test_subsequence_of_long_sentences() -> None:
    first, second = [i * i % 97 for i in range(300)], [i * 7 % 89 for i in range(250)]
    assert common_subsequence(first, second) == oracle.subsequence(first, second) > 1


@given(tokens, references, st.sampled_from([3, 4]))
@example([], [["a"]], 3)
@example(["a"], [["a"]], 3)
@example(["a"] * 5, [["a"] * 4, ["a"] * 3], 3)
def test_precision_is_sacrebleus(predicted: list[str], several: list[list[str]], size: int) -> None:
    metric = BLEU(tokenize="none", smooth_method="none", force=True)
    scores = [metric.sentence_score(" ".join(predicted), [" ".join(one)]).precisions[size - 1] for one in several]
    grams = ngrams(predicted, size)
    hits = clipped_hits(grams, [ngrams(one, size) for one in several])
    assert 100 * hits / max(len(grams), 1) == pytest.approx(max(scores), rel=1e-15)


@given(tokens)
@example(["a", "b", "a"])
def test_bigrams_end_at_the_first_token_like_the_last(sentence: list[str]) -> None:
    assert overlap.joined_bigrams(sentence) == oracle.bigrams(sentence)


@given(tokens, references)
def test_rouge(predicted: list[str], several: list[list[str]]) -> None:
    pairs = [(oracle.bigrams(predicted), oracle.bigrams(one)) for one in several]
    expected = max(oracle.f_score(sum(gram in left for gram in right), len(left), len(right)) for left, right in pairs)
    assert overlap.bigram_f(oracle.bigrams(predicted), [right for _, right in pairs]) == expected
    lengths = [(oracle.subsequence(predicted, one), len(predicted), len(one)) for one in several]
    assert overlap.subsequence_f(predicted, several) == max(oracle.f_score(*length) for length in lengths)


def test_a_bigram_that_a_reference_repeats_counts_each_time() -> None:
    # Three hits on one predicted bigram: a precision of 3.
    assert overlap.bigram_f(["ab"], [["ab", "ab", "ab"]]) == overlap.f_score(3.0, 1.0)


@given(words, words)
@example([], ["a"])
@example(["a"], [])
@example(["run", "개ing"], ["개", "running"])
@example(["a", "b", "a"], ["a", "a", "b"])
def test_meteor_is_nltks(predicted: list[str], reference: list[str]) -> None:
    expected = single_meteor_score(reference, predicted, wordnet=oracle.NoWordNet())
    lowered = [[one.lower() for one in side] for side in (predicted, reference)]
    assert meteor(*lowered) == expected


@given(st.lists(st.text("sedingly가힣y.é", min_size=1, max_size=7), max_size=4).map(tuple), st.data())
def test_meteor_stems_as_nltk_does(predicted: tuple[str, ...], data: st.DataObject) -> None:
    endings = st.sampled_from(["", "s", "ed", "ing", "ly", "y"])
    reference = [one + data.draw(endings) for one in predicted]
    expected = single_meteor_score(reference, list(predicted), wordnet=oracle.NoWordNet())
    assert meteor(predicted, [one.lower() for one in reference]) == expected

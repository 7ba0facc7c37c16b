"""ROUGE and its English words against the package rouge-score, to the last bit."""

from hypothesis import given
from hypothesis import strategies as st
from rouge_score.rouge_scorer import RougeScorer
from rouge_score.tokenizers import DefaultTokenizer

from conceptloom.metrics.measures.rouge import ROUGE, words

TYPES = {"ROUGE-2": "rouge2", "ROUGE-L": "rougeL"}
tokens = st.lists(st.sampled_from(["a", "b", "c", "개", "가"]), max_size=9)
english = st.lists(
    st.sampled_from(
        [
            "The",
            "dogs'",
            "ran,",
            "running",
            "flies",
            "dying",
            "sky",
            "Ünïted",
            "3rd",
            "-",
            "개",
            "ponies",
            "generalizations",
        ]
    ),
    max_size=9,
).map(" ".join)


class _Blanks:
    def tokenize(self, text: str) -> list[str]:
        return text.split()


@given(tokens, tokens)
def test_scores_are_rouge_scores(predicted: list[str], reference: list[str]) -> None:
    scorer = RougeScorer(list(TYPES.values()), tokenizer=_Blanks())
    theirs = scorer.score(" ".join(reference), " ".join(predicted))
    for name, f1 in ROUGE.items():
        assert f1(predicted, reference) == theirs[TYPES[name]].fmeasure


@given(st.one_of(english, st.text()))
def test_english_words_are_rouge_scores(text: str) -> None:
    assert words(text) == DefaultTokenizer(use_stemmer=True).tokenize(text)

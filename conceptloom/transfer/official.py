"""CommonsenseQA by the code that CommonGen's authors published with the data (its folder `evaluation/csqa`).

It differs from the paper's text (section 5.3), which `csqa` follows: the question's own concept comes first, then at
most four nouns and verbs of the question that are neither stop words nor very general, then every word of the choice.
The model's sentence is added to its choice as a field, `CG`.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from conceptloom.errors import ConfigError, InputError
from conceptloom.languages.english.analysers import SpacyOptions
from conceptloom.transfer.csqa import ChoiceSet, Question, check_sentences, question_lines

DEFAULT_ANALYSER = "spacy:en_core_web_sm"
"""What the authors' code tags with."""
MOST = 4
"""How many nouns and verbs of a question count, the first ones."""
TAGS = frozenset(("NOUN", "VERB"))
_PEOPLE = ("someone", "man", "woman", "boy", "girl", "people", "person")
GENERAL = frozenset((*_PEOPLE, "something", "would", "can", "may", "how", "go", "take", "want", "have", "get"))
"""Lemmas that are never taken from a question's text; as the question's own concept or in a choice they are."""


class Token(NamedTuple):
    """A word of a question, as spaCy sees it."""

    lemma: str
    tag: str
    is_stop: bool


def tagged(texts: Sequence[str], analyser: str = DEFAULT_ANALYSER) -> Iterator[list[Token]]:
    """Yields the words of each text. Raises ConfigError for an analyser that is no spaCy model, or gives no tags."""
    kind, _, model = analyser.partition(":")
    if kind != "spacy" or not model:
        raise ConfigError(f"the official rules need a tagger, {analyser!r} is none; give --analyser {DEFAULT_ANALYSER}")
    SpacyOptions(model).signature()  # says what is missing, and how to get it
    import spacy

    for document in spacy.load(model, exclude=["parser", "ner"]).pipe(texts):
        tokens = [Token(token.lemma_.lower(), token.pos_, token.is_stop) for token in document]
        if tokens and not any(token.tag for token in tokens):
            raise ConfigError(f"the analyser {analyser}: this model gives no tags (pos); name one with a tagger")
        yield tokens


def concepts_of_question(concept: str, tokens: Iterable[Token]) -> tuple[str, ...]:
    """The distinct concepts of a question: its own one, whole, then the first MOST nouns and verbs of its text.

    A repeated noun or verb counts each time among the MOST. The authors' code keeps no order; here it is that of the
    text.

    >>> concepts_of_question("revolving door", [Token("door", "NOUN", False), Token("be", "AUX", True)])
    ('revolving door', 'door')
    """
    found = [token.lemma for token in tokens if _counts(token)]
    return tuple(dict.fromkeys((concept, *found[:MOST])))


def official_sets(questions: Sequence[Question], tokens: Iterable[Sequence[Token]]) -> list[ChoiceSet]:
    """A set for each choice of each question: the question's concepts, then the words of the choice as they stand.

    `tokens` are the words of each question's stem. Raises InputError for a question without a concept of its own.
    """
    sets = []
    for question, words in zip(questions, tokens, strict=True):
        if not question.concept:
            raise InputError(f"question {question.id}: there is no question_concept; the official rules need it")
        stem = concepts_of_question(question.concept, words)
        for choice in question.choices:
            sets.append(ChoiceSet(question, choice, tuple(dict.fromkeys((*stem, *choice.text.split())))))
    return sets


def packed_lines(path: str, generated: Sequence[str]) -> list[str]:
    """The questions' own lines, with the sentence generated for each choice in the choice's field `CG`.

    Raises InputError as `read_questions` does, and unless there is one sentence for each choice.
    """
    items = [json.loads(line) for _, line in question_lines(path)]
    choices = [choice for item in items for choice in item["question"]["choices"]]
    check_sentences(len(generated), len(choices))
    for choice, sentence in zip(choices, generated, strict=True):
        choice["CG"] = sentence
    return [json.dumps(item) for item in items]


def _counts(token: Token) -> bool:
    return token.tag in TAGS and not token.is_stop and token.lemma not in GENERAL

"""CommonsenseQA: its questions, the concept sets of their choices, and the input with a generated sentence before it.

CommonGen, section 5.2: the nouns and verbs of the question and of each choice form a concept set; what a model writes
for it stands before the question as a context of this choice.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from conceptloom.errors import InputError
from conceptloom.languages.english.analysers import DEFAULT, Analyser, make_analyser
from conceptloom.languages.english.lemmas import noun_and_verb_lemmas
from conceptloom.languages.english.words import words
from conceptloom.readers.base import Malformed, Text
from conceptloom.readers.jsonl import parse_line
from conceptloom.readers.lines import sound_lines

_SPACES = re.compile(r"\s+")


class Choice(NamedTuple):
    """One of the answers offered."""

    label: str
    text: str


class Question(NamedTuple):
    """A question with its choices; `answer` is the label of the right one, empty where it is not told (test)."""

    id: str
    stem: str
    choices: tuple[Choice, ...]
    answer: str = ""


class ChoiceSet(NamedTuple):
    """The concepts of a question and one of its choices: the question's first, each once."""

    question: Question
    choice: Choice
    concepts: tuple[str, ...]


def read_questions(path: str) -> Iterator[Question]:
    """The questions of CommonsenseQA's JSON lines, white space made single spaces; blank lines are passed over.

    Raises InputError, with the line, for one that is no such question.
    """
    for number, line in enumerate(sound_lines(path), 1):
        value = parse_line(Text(number, 0, line)) if line.strip() else None
        if isinstance(value, Malformed):
            raise InputError(f"{path}: line {number}: {value.reason}: {value.detail}; mend this line")
        if value is not None:
            yield _question(f"{path}: line {number}", value)


def nouns_and_verbs(texts: Sequence[str], analyser: str = DEFAULT, known: frozenset[str] | None = None) -> Analyser:
    """The analyser of a name for the nouns and verbs of these texts, only for those of `known` where it is given.

    Raises ConfigError as `make_analyser` does.
    """
    if known is None:
        forms = {word for text in texts for word in words(text)}
        found = {lemma for word in forms for lemma in noun_and_verb_lemmas(word)}
        # A tagger tells what is a noun itself, and may have other lemmas.
        known = frozenset(found if analyser == DEFAULT else found | forms)
    return make_analyser(analyser, known)


def choice_sets(questions: Sequence[Question], analyser: Analyser) -> list[ChoiceSet]:
    """A concept set for each choice of each question, in their order; none is left out, an empty set neither."""
    stems = _concepts([question.stem for question in questions], analyser)
    choices = iter(_concepts([choice.text for question in questions for choice in question.choices], analyser))
    return [
        ChoiceSet(question, choice, tuple(dict.fromkeys((*stem, *next(choices)))))
        for question, stem in zip(questions, stems, strict=True)
        for choice in question.choices
    ]


def final_inputs(sets: Sequence[ChoiceSet], generated: Sequence[str]) -> list[str]:
    """`<s>G: g | Q: q </s> C: c </s>` for each choice, g the sentence generated for it.

    Raises InputError where there is not one sentence for each.
    """
    if len(sets) != len(generated):
        raise InputError(
            f"there are {len(generated):,} generated sentences for {len(sets):,} choices; give one line for each prompt"
        )
    return [
        f"<s>G: {_one_line(sentence)} | Q: {one.question.stem} </s> C: {one.choice.text} </s>"
        for one, sentence in zip(sets, generated, strict=True)
    ]


def _concepts(texts: list[str], analyser: Analyser) -> list[list[str]]:
    """One concept a word: the word itself where it may stand for several (`thought`, not `think`)."""
    return [
        [word if word in found else found[0] for word, found in _aligned(text, matches)]
        for text, matches in zip(texts, analyser.matches(texts), strict=True)
    ]


def _aligned(text: str, matches: list[tuple[str, ...]]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Each match with its word. An analyser that cuts words in another way has one concept a word anyway."""
    found = words(text)
    pairs = zip(found, matches) if len(found) == len(matches) else (("", match) for match in matches)
    return ((word, match) for word, match in pairs if match)


def _question(place: str, value: Any) -> Question:
    try:
        inner = value["question"]
        choices = tuple(Choice(_text(one["label"]), _text(one["text"])) for one in inner["choices"])
        question = Question(_text(value["id"]), _text(inner["stem"]), choices, _text(value.get("answerKey", "")))
    except (KeyError, TypeError, AttributeError) as error:
        problem = f"there is no {error}" if isinstance(error, KeyError) else "a part has the wrong type"
        raise InputError(
            f"{place}: no CommonsenseQA question: {problem}; want id, question.stem and question.choices[]"
        ) from None
    labels = [choice.label for choice in choices]
    if not choices or (question.answer and question.answer not in labels):
        raise InputError(f"{place}: the answer {question.answer!r} is none of the choices {labels}; mend it")
    return question


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(value)
    return _one_line(value)


def _one_line(text: str) -> str:
    return _SPACES.sub(" ", text).strip()

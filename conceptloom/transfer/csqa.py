"""CommonsenseQA: its questions, the concept sets of their choices, and inputs that begin with a generated sentence.

CommonGen, section 5.3: the nouns and verbs of the question and of a choice form a concept set; the sentence that a
model generates for it precedes the question as context for this choice. The authors' code has rules of its own, which
`official` follows.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from conceptloom.errors import InputError
from conceptloom.json_values import JsonObject
from conceptloom.languages.english.analysers import EVERY, Analyser, make_analyser
from conceptloom.languages.english.lemmas import noun_and_verb_lemmas
from conceptloom.languages.english.words import words
from conceptloom.readers.base import Malformed, Text
from conceptloom.readers.jsonl import parse_line
from conceptloom.readers.lines import sound_lines

_SPACES = re.compile(r"\s+")


class Choice(NamedTuple):
    """One of the possible answers."""

    label: str
    text: str


class Question(NamedTuple):
    """A question with its choices; `answer` is the label of the right one, empty if unknown (test).

    `concept` is what its writers were given to ask about (`question_concept`), empty if the file does not say.
    """

    id: str
    stem: str
    choices: tuple[Choice, ...]
    answer: str = ""
    concept: str = ""


class ChoiceSet(NamedTuple):
    """The distinct concepts of a question and one of its choices, the question's first."""

    question: Question
    choice: Choice
    concepts: tuple[str, ...]


def read_questions(path: str) -> Iterator[Question]:
    """The questions of CommonsenseQA's JSON lines, with runs of white space as single spaces; blank lines are skipped.

    Raises InputError, with the line, for a line that is not such a question.
    """
    return (question for question, _ in question_lines(path))


def question_lines(path: str) -> Iterator[tuple[Question, str]]:
    """Each question with its line as it is in the file; raises InputError as `read_questions` does."""
    for number, line in enumerate(sound_lines(path), 1):
        value = parse_line(Text(number, 0, line)) if line.strip() else None
        if isinstance(value, Malformed):
            raise InputError(f"{path}: line {number}: {value.reason}: {value.detail}; fix this line")
        if value is not None:
            yield _question(f"{path}: line {number}", value), line


def nouns_and_verbs(texts: Sequence[str], analyser: str = EVERY, known: frozenset[str] | None = None) -> Analyser:
    """The analyser of that name for the nouns and verbs of these texts, or only for those in `known`.

    Raises ConfigError as `make_analyser` does.
    """
    if known is None:
        forms = {word for text in texts for word in words(text)}
        found = {lemma for word in forms for lemma in noun_and_verb_lemmas(word)}
        # A tagger decides by itself what is a noun, and may have other lemmas.
        known = frozenset(found if analyser == EVERY else found | forms)
    return make_analyser(analyser, known)


def choice_sets(questions: Sequence[Question], analyser: Analyser) -> list[ChoiceSet]:
    """A concept set for each choice of each question, in their order; empty sets are kept."""
    stems = _concepts([question.stem for question in questions], analyser)
    choices = iter(_concepts([choice.text for question in questions for choice in question.choices], analyser))
    return [
        ChoiceSet(question, choice, tuple(dict.fromkeys((*stem, *next(choices)))))
        for question, stem in zip(questions, stems, strict=True)
        for choice in question.choices
    ]


def final_inputs(sets: Sequence[ChoiceSet], generated: Sequence[str]) -> list[str]:
    """`<s>G: g | Q: q </s> C: c </s>` for each choice, where g is the sentence generated for it.

    Raises InputError unless there is one sentence for each choice.
    """
    check_sentences(len(generated), len(sets))
    return [
        f"<s>G: {_one_line(sentence)} | Q: {one.question.stem} </s> C: {one.choice.text} </s>"
        for one, sentence in zip(sets, generated, strict=True)
    ]


def check_sentences(sentences: int, choices: int) -> None:
    """Raises InputError unless there are as many generated sentences as choices."""
    if sentences != choices:
        raise InputError(
            f"there are {sentences:,} generated sentences for {choices:,} choices; give one line for each prompt"
        )


def _concepts(texts: list[str], analyser: Analyser) -> list[list[str]]:
    """One concept for each word: the word itself where it is one of several candidates (`thought`, not `think`)."""
    return [
        [word if word in found else found[0] for word, found in _aligned(text, matches)]
        for text, matches in zip(texts, analyser.matches(texts), strict=True)
    ]


def _aligned(text: str, matches: list[tuple[str, ...]]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Each match with its word. An analyser that cuts words differently has one concept for each word anyway."""
    found = words(text)
    pairs = zip(found, matches) if len(found) == len(matches) else (("", match) for match in matches)
    return ((word, match) for word, match in pairs if match)


def _question(place: str, value: object) -> Question:
    try:
        fields = _object(value)
        inner = _object(fields["question"])
        choices = tuple(Choice(_text(one["label"]), _text(one["text"])) for one in map(_object, inner["choices"]))
        about = _text(inner.get("question_concept", ""))
        question = Question(
            _text(fields["id"]), _text(inner["stem"]), choices, _text(fields.get("answerKey", "")), about
        )
    except (KeyError, TypeError) as error:
        problem = f"there is no {error}" if isinstance(error, KeyError) else "a part has the wrong type"
        raise InputError(
            f"{place}: not a CommonsenseQA question: {problem}; it needs id, question.stem and question.choices[]"
        ) from None
    labels = [choice.label for choice in choices]
    if not choices or (question.answer and question.answer not in labels):
        raise InputError(f"{place}: the answer {question.answer!r} is not among the choices {labels}; fix it")
    return question


def _object(value: object) -> JsonObject:
    if not isinstance(value, dict):
        raise TypeError(value)
    return value


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(value)
    return _one_line(value)


def _one_line(text: str) -> str:
    return _SPACES.sub(" ", text).strip()

"""Makes conceptloom/samples/concepts_en.txt: a list of concepts for the English samples, in place of ConceptNet's.

    python scripts/sample_concepts.py

ConceptNet's own names are CC BY-SA 4.0 and millions; the samples need a few hundred. They are the noun and verb lemmas
that the dictionary of lemminflect (MIT) gives for the words of the sample captions.
"""

import json
from collections.abc import Iterator
from pathlib import Path

import lemminflect

from conceptloom.languages.english.lemmas import lemmas
from conceptloom.languages.english.words import words

SAMPLES = Path(__file__).resolve().parent.parent / "conceptloom" / "samples"
LEAST = 3
"""The fewest letters of a concept."""


def captions() -> Iterator[str]:
    """The captions of all English samples."""
    yield from (SAMPLES / "captions_en.txt").read_text("utf-8").splitlines()
    notes = json.loads((SAMPLES / "scenes_en.json").read_text("utf-8"))["annotations"]
    yield from (note["caption"] for note in notes if note["caption"])


def concepts() -> list[str]:
    """The list, sorted: nouns and verbs in the dictionary."""
    forms = {word for caption in captions() for word in words(caption)}
    found = {lemma for form in forms for lemma in plain_lemmas(form)}
    known = {lemma for lemma in found if {"NOUN", "VERB"} & lemminflect.getAllLemmas(lemma).keys()}
    plurals = {f"{lemma}s" for lemma in known}
    return sorted(lemma for lemma in known - plurals if len(lemma) >= LEAST and lemma.isalpha())


def plain_lemmas(form: str) -> list[str]:
    """The lemmas of a word form; for one that is a lemma itself (stove) no other (it is the past of stave too)."""
    found = lemmas(form).certain
    return [lemma for lemma in found if form not in found or form.startswith(lemma[:-1])]


def main() -> None:
    """Writes the list."""
    (SAMPLES / "concepts_en.txt").write_text("".join(f"{concept}\n" for concept in concepts()), encoding="utf-8")


if __name__ == "__main__":
    main()

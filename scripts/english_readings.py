"""Builds the two tables of conceptloom/languages/english/data from the published train sets of CommonGen (MIT).

    pip install scipy
    python scripts/english_readings.py --data ../shared/data/en --output conceptloom/languages/english/data

`readings.tsv` has the weights by which a word's likely lemmas are chosen, `stop-concepts.txt` the concepts that stand
in many captions and in no set. The folder `--data` has commongen/ (train_src.txt, train_trg.txt, commongen.dev.jsonl)
and conceptnet/concept_names.txt. No weight is fitted on the dev sets; concepts of theirs are not stopped. Two runs on
one machine write the same bytes; another BLAS may change a last digit. What the tables are, and how well they do, is in
the folder's readings.md.
"""

import argparse
import os
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before numpy: the number of threads decides the last bits

import numpy as np
from scipy.optimize import minimize  # type: ignore[import-untyped]
from scipy.sparse import csr_matrix  # type: ignore[import-untyped]

from conceptloom.conceptnet import read_vocabulary
from conceptloom.languages.english.lemma_analysers import LemmaAnalyser, LikelyAnalyser
from conceptloom.languages.english.normalise import normalise
from conceptloom.languages.english.readings import TABLE, Doubt, context_of, doubts, kind_of, readings_table
from conceptloom.languages.english.stop_concepts import FILE as STOPS
from conceptloom.languages.english.words import words
from conceptloom.statistics.files import load_examples

RIDGE = {"form": 1.0}
OTHER_RIDGE = 0.1
"""A form is known from few captions, and is held nearer to its class."""
LEAST = -360
"""With it, 98.9 % of the pairs of train and of dev are found."""
SMALLEST = 5
"""Smaller weights, in hundredths, are left out."""

STOP_CAPTIONS = 100
"""A concept is stopped if it stands in this number of train's captions and in no set: a concept in a caption is in its
sets in two of three cases, so chance would leave none out."""
NEVER_CAPTIONS, NEVER = 20, -1000
"""A lemma never comes from a form if it was in doubt in this number of captions and in no set, but another lemma of the
form was (evening: even)."""
ERRORS = frozenset(("leaves", "lenses", "politics", "singing"))
"""Forms of which the published sets have a wrong lemma (leaves on trees: leave): their lemmas are equally likely."""
EQUAL = 200
HTML = ("amp", "br", "gt", "href", "http", "https", "lt", "nbsp", "quot", "www")
LETTERS = tuple("abcdefghijklmnopqrstuvwxyz")

Sentences = dict[str, set[str]]
"""The concepts of all published sets of a sentence."""
Feature = tuple[str, str, str]


class Example(NamedTuple):
    """A lemma in doubt in a sentence, and whether a published set of the sentence has it."""

    features: list[Feature]
    chosen: bool


def published(path: Path) -> Sentences:
    """Returns the sentences of a published file with the concepts of their sets."""
    found: Sentences = defaultdict(set)
    for example in load_examples(str(path)):
        for text in example.sentences:
            found[normalise(text)].update(example.concepts)
    return found


class Neighbour(NamedTuple):
    """A word of a sentence."""

    word: str
    kind: str


def features(sentence: list[Neighbour], at: int, doubt: Doubt) -> Iterator[Feature]:
    """Yields what weights are given to, as the first three columns of the table."""
    if sentence[at].word not in ERRORS:
        yield "form", sentence[at].word, doubt.lemma
    yield "class", doubt.cls, ""
    for part, kind in context_of(sentence, at)._asdict().items():
        if kind:
            yield part, kind, ""


def examples(sentences: Sentences, vocabulary: frozenset[str]) -> Iterator[Example]:
    """Yields each lemma in doubt that the analyser of every reading finds."""
    analyser = LemmaAnalyser(vocabulary)
    for text, concepts in sentences.items():
        sentence, (matched,) = [Neighbour(word, kind_of(word)) for word in words(text)], analyser.matches([text])
        for at, found in enumerate(matched):
            for doubt in doubts(sentence[at].word):
                if doubt.lemma in found:
                    yield Example(list(features(sentence, at, doubt)), doubt.lemma in concepts)


def fit(found: list[Example]) -> dict[Feature, int]:
    """Returns the weights of a logistic regression with ridge penalties, in hundredths."""
    names = {name: number for number, name in enumerate(sorted({name for one in found for name in one.features}))}
    rows = np.repeat(np.arange(len(found)), [len(one.features) for one in found])
    columns = [names[name] for one in found for name in one.features]
    matrix = csr_matrix((np.ones(len(rows)), (rows, columns)), shape=(len(found), len(names)))
    chosen = np.array([one.chosen for one in found], dtype=np.float64)
    ridge = np.array([RIDGE.get(part, OTHER_RIDGE) for part, _, _ in names])

    def loss(weights: np.ndarray) -> tuple[float, np.ndarray]:
        sums = matrix @ weights
        value = (np.logaddexp(0, sums) - chosen * sums).sum() + (ridge * weights**2).sum() / 2
        return float(value), matrix.T @ (1 / (1 + np.exp(-sums)) - chosen) + ridge * weights

    best = minimize(loss, np.zeros(len(names)), jac=True, method="L-BFGS-B", options={"maxiter": 500}).x
    seen, kept = (np.asarray(matrix.T @ weights) for weights in (np.ones(len(found)), chosen))
    others = {form for part, form, lemma in names if part == "form" and kept[names[part, form, lemma]]}
    return {
        name: NEVER if name[1] in others and seen[n] >= NEVER_CAPTIONS and not kept[n] else round(100 * best[n])
        for name, n in names.items()
    }


def published_lemmas(sentences: Sentences, vocabulary: frozenset[str]) -> dict[str, set[str]]:
    """Returns the lemmas that the published sets have of a form and that no reading of it gives."""
    analyser = LemmaAnalyser(vocabulary)
    own: dict[str, Counter[str]] = defaultdict(Counter)
    usual: dict[str, Counter[str]] = defaultdict(Counter)
    for text, concepts in sentences.items():
        (matched,) = analyser.matches([text])
        found = {concept for word in matched for concept in word}
        for word, some in zip(words(text), matched, strict=True):
            usual[word].update(concepts.intersection(some))
            own[word].update(concept for concept in concepts - found if _is_like(concept, word))
    often = {word: {lemma for lemma, count in found.items() if count > 1} for word, found in own.items()}
    return {word: some | usual[word].keys() for word, some in often.items() if some}


def _is_like(concept: str, word: str) -> bool:
    stems = (concept, concept.removesuffix("e"))
    return word == concept or word in {stem + ending for stem in stems for ending in ("s", "es", "ed", "ing")}


def stop_concepts(sentences: Sentences, kept: Iterable[str], vocabulary: frozenset[str]) -> list[str]:
    """Returns the concepts of STOP_CAPTIONS captions and of no set, sorted; never one of `kept`."""
    analyser, stands = LikelyAnalyser(vocabulary), Counter[str]()
    for text in sentences:
        stands.update({concept for word in analyser.matches([text])[0] for concept in word})
    chosen = {*kept, *(concept for concepts in sentences.values() for concept in concepts)}
    return sorted(concept for concept, count in stands.items() if count >= STOP_CAPTIONS and concept not in chosen)


def equalised(weights: dict[Feature, int]) -> dict[Feature, int]:
    """Returns the weights with those of ERRORS: with their class, EQUAL."""
    held = [(form, doubt) for form in ERRORS for doubt in doubts(form)]
    return weights | {
        ("form", form, doubt.lemma): EQUAL - weights.get(("class", doubt.cls, ""), 0) for form, doubt in held
    }


def write_readings(path: Path, weights: dict[Feature, int], own: dict[str, set[str]]) -> None:
    """Writes the table."""
    kept = {name: weight for name, weight in weights.items() if abs(weight) >= SMALLEST}
    lines = [("least", "", "", str(LEAST)), *((*name, str(weight)) for name, weight in sorted(kept.items()))]
    lines += [("published", form, lemma, "") for form, lemmas in sorted(own.items()) for lemma in sorted(lemmas)]
    path.write_text("".join("\t".join(line) + "\n" for line in lines), encoding="utf-8")


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description="Builds the tables of English readings and stop concepts.")
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--output", type=Path, required=True)
    asked = parser.parse_args()
    train, dev = (published(asked.data / "commongen" / name) for name in ("train_src.txt", "commongen.dev.jsonl"))
    of_dev = {concept for concepts in dev.values() for concept in concepts}
    names = read_vocabulary(str(asked.data / "conceptnet/concept_names.txt"))
    vocabulary = names.union(of_dev, *train.values())
    weights = equalised(fit(list(examples(train, vocabulary))))
    write_readings(asked.output / TABLE, weights, published_lemmas(train, vocabulary))
    readings_table.cache_clear()
    listed = {*stop_concepts(train, of_dev, vocabulary), *HTML, *LETTERS} - of_dev.union(*train.values())
    (asked.output / STOPS).write_text("".join(f"{one}\n" for one in sorted(listed)), encoding="utf-8")


if __name__ == "__main__":
    main()

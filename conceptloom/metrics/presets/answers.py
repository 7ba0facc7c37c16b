"""The presets of questions: ComVE's three subtasks as its organisers scored them, and story cloze by type of story."""

from collections import Counter
from collections.abc import Sequence

import numpy as np

from conceptloom.metrics.base import PRESETS, Item, Preset, Score, make_signature
from conceptloom.metrics.inputs.answer_files import answer_items
from conceptloom.metrics.measures.overlap import ngrams
from conceptloom.metrics.measures.sums import Floats, average, total_score

_ORDER = 4
SUBTASKS = {"A": frozenset("01"), "B": frozenset("ABC")}
"""The labels of the two subtasks that have some; all else is subtask C."""


def comve(items: Sequence[Item]) -> list[Score]:
    """One score, by the subtask that the gold answers are of: accuracy of A or B, or BLEU of C's reasons."""
    gold = {text for item in items for text in item.references}
    task = next((task for task, labels in SUBTASKS.items() if gold <= labels), "C")
    return [task_bleu(items)] if task == "C" else [accuracy(f"Accuracy {task}", items)]


def story_cloze(items: Sequence[Item]) -> list[Score]:
    """Accuracy, and that of each type of story (the items' sources), in the order of the types' names."""
    types = sorted({item.source for item in items} - {""})
    return [accuracy("Accuracy", items), *(accuracy(f"Accuracy {kind}", items, kind) for kind in types)]


def accuracy(name: str, items: Sequence[Item], kind: str | None = None) -> Score:
    """The share x100 of items whose prediction is the gold answer; of those of one source, where a kind is given."""
    right = [100.0 * (item.prediction.strip() == item.references[0].strip()) for item in items]
    known = [kind is None or item.source == kind for item in items]
    parts = {} if kind is None else {"type": kind}
    return average(name, np.where(known, right, np.nan), make_signature("accuracy", **parts, n=sum(known)))


def task_bleu(items: Sequence[Item]) -> Score:
    """BLEU of ComVE's subtask C, as the task's program computes it, which is not what sacrebleu reports.

    Tokens are what white space separates, case kept, punctuation left on the words; the reference length is that of
    the *shortest* reference; no smoothing: without a common 4-gram in the corpus it is 0. A prediction's own value
    is the same formula for it alone.
    """
    sums = np.array([_statistics(item) for item in items], dtype=np.float64).reshape(-1, 2 + 2 * _ORDER)
    signature = make_signature("BLEU", tok="white-space", reflen="shortest", smooth="none", order=_ORDER)
    return total_score("BLEU C", sums, bleu_of_sums, bleu_of_sums(sums), signature)


def bleu_of_sums(sums: Floats) -> Floats:
    """BLEU x100 of rows of summed statistics: length, reference length, then hits and number of 1- to 4-grams."""
    length, reference, hits, grams = sums[:, 0], sums[:, 1], sums[:, 2 : 2 + _ORDER], sums[:, 2 + _ORDER :]
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = np.exp(np.mean(np.log(np.where(grams > 0, hits / grams, 0.0)), axis=1))
        penalty = np.where(length > reference, 1.0, np.exp(1 - reference / length))
    return np.where(length > 0, 100 * mean * penalty, 0.0)


def _statistics(item: Item) -> list[int]:
    tokens, references = item.prediction.split(), [text.split() for text in item.references]
    orders = range(1, _ORDER + 1)
    counts = [Counter(ngrams(tokens, size)) for size in orders]
    hits = [(count & _most(references, size)).total() for size, count in zip(orders, counts, strict=True)]
    return [len(tokens), min(map(len, references)), *hits, *(count.total() for count in counts)]


def _most(references: Sequence[list[str]], size: int) -> Counter[tuple[str, ...]]:
    """Of each n-gram how often it stands in the reference that has it most."""
    most: Counter[tuple[str, ...]] = Counter()
    for reference in references:
        most |= Counter(ngrams(reference, size))
    return most


PRESETS.add(
    "comve",
    Preset("ComVE: accuracy of subtasks A and B, BLEU of C's reasons", lambda options: [comve], items=answer_items),
)
PRESETS.add("story-cloze", Preset("accuracy, by type of story", lambda options: [story_cloze], items=answer_items))

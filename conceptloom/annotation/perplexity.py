"""The perplexity of sentences, from a table of numbers or from a local language model."""

import math
from collections.abc import Iterator, Sequence
from typing import Protocol

from conceptloom.errors import InputError
from conceptloom.hashing import text_id
from conceptloom.models import DEFAULT_DEVICE
from conceptloom.readers.lines import sound_lines

MODEL = "transformers:"


class PerplexityScorer(Protocol):
    """Says how unlikely sentences are; the same sentence always gets the same number."""

    name: str
    """The source of the numbers, for the report."""

    def perplexities(self, sentences: Sequence[str]) -> list[float]:
        """Returns the perplexity of each sentence: exp of its tokens' mean negative log-likelihood, at least 1."""


def make_perplexity_scorer(name: str, device: str = DEFAULT_DEVICE) -> PerplexityScorer:
    """Returns the scorer for `transformers:PATH` (a causal language model's directory), or for a table's path.

    `device` is where the model runs. Raises ConfigError where the model cannot be loaded, InputError for a table that
    cannot be read.
    """
    if not name.startswith(MODEL):
        return TablePerplexity(name)
    from conceptloom.annotation.neural import ModelPerplexity

    return ModelPerplexity(name.removeprefix(MODEL), device)


class TablePerplexity:
    """Perplexities from a file of lines `id,perplexity`, with ids of sentences (`conceptloom.hashing.text_id`).

    `answers.jsonl` and `rejected.jsonl` of an import contain each sentence with its id (`sentence_id`).
    """

    def __init__(self, path: str) -> None:
        self.name = path
        self._values: dict[str, float] = {}
        for number, identifier, value in _rows(path):
            if self._values.setdefault(identifier, value) != value:
                raise InputError(f"{path}: line {number}: {identifier} has two perplexities; remove one of them")

    def perplexities(self, sentences: Sequence[str]) -> list[float]:
        """See PerplexityScorer; raises InputError for a sentence that is not in the table."""
        ids = [text_id(sentence) for sentence in sentences]
        missing = [at for at, identifier in enumerate(ids) if identifier not in self._values]
        if missing:
            example = f"{ids[missing[0]]} ({sentences[missing[0]]})"
            raise InputError(
                f"{self.name}: no perplexity for {len(missing):,} of {len(ids):,} sentences, such as {example}; "
                "import once without limits on perplexity: the answers.jsonl that it writes has all ids to be scored"
            )
        return [self._values[identifier] for identifier in ids]


def _rows(path: str) -> Iterator[tuple[int, str, float]]:
    for number, line in enumerate(sound_lines(path), 1):
        cells = [cell.strip() for cell in line.replace("\t", ",").split(",")]
        if cells != [""] and (number > 1 or cells != ["id", "perplexity"]):
            yield number, cells[0], _number(path, number, cells)


def _number(path: str, number: int, cells: list[str]) -> float:
    try:
        _, text = cells
        value = float(text)
    except ValueError:
        value = math.nan
    if not value >= 1:
        raise InputError(f"{path}: line {number}: expected id,perplexity with a number of at least 1; fix this line")
    return value

"""A scorer and a block filter as another package would bring them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa

from conceptloom.filters import Subject, Verdict
from conceptloom.similarity import Frequencies, TextEncoder, pairwise_centralities

OPENED: list[str] = []


def alike(left: str, right: str, least: int) -> float:
    """The share of the characters of both texts that they have in common; 0 if there are fewer than `least`."""
    common = set(left) & set(right)
    return len(common) / len(set(left) | set(right)) if len(common) >= least else 0.0


@dataclass(frozen=True)
class Characters:
    """A scorer that one process holds, as it would a model."""

    least: int = 1
    wants_frequencies: ClassVar[bool] = False
    one_process: ClassVar[bool] = True

    def signature(self) -> dict[str, Any]:
        return {"name": "characters", "least": self.least}

    def open(self, frequencies: Frequencies | None) -> "OpenCharacters":
        OPENED.append("characters")
        return OpenCharacters(self)


class OpenCharacters(TextEncoder):
    name = "characters"

    def __init__(self, options: Characters) -> None:
        self._options = options

    def signature(self) -> dict[str, Any]:
        return self._options.signature()

    def centralities(self, features: pa.Array, offsets: Any) -> Any:
        texts: list[str] = features.to_pylist()

        def matrix(start: int, end: int) -> Any:
            rows = texts[start:end]
            return np.array([[alike(one, other, self._options.least) for other in rows] for one in rows])

        return pairwise_centralities(matrix, offsets)


@dataclass(frozen=True)
class TooMany:
    """A block filter on the concepts of a sentence."""

    most: int = 6
    subject: ClassVar[Subject] = "concepts"

    def signature(self) -> dict[str, Any]:
        return {"name": "too_many", "most": self.most}

    def open(self) -> "OpenTooMany":
        return OpenTooMany(self.most)


@dataclass(frozen=True)
class OpenTooMany:
    most: int

    def verdicts(self, subjects: Sequence[list[str]]) -> list[Verdict]:
        return [Verdict(len(one) <= self.most, "too_many", str(len(one))) for one in subjects]

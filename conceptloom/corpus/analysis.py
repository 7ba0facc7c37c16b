"""Filtering, tagging and concept extraction of a block of distinct sentences (Korean CommonGen, section 3.1)."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from conceptloom.filters import KEEP, SUBJECTS, Filter, Verdict, first_objection, make_filter
from conceptloom.hashing import seed_for, splitmix64
from conceptloom.languages.korean.rules import RULES
from conceptloom.languages.korean.taggers import tagger
from conceptloom.languages.korean.tokens import Token

Int64 = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Analyser:
    """How sentences are analysed: names of a tagger and a concept rule, and the filters with their options, in order."""

    tagger: str = "mecab"
    rule: str = "published"
    filters: tuple[tuple[str, tuple[tuple[str, Any], ...]], ...] = ()

    def filters_of(self, subject: str) -> tuple[Filter, ...]:
        """The filters that look at one part of a sentence, in order."""
        made = (make_filter(name, dict(options)) for name, options in self.filters)
        return tuple(one for one in made if one.subject == subject)


@dataclass
class Analysis:
    """What was found in a block of sentences: one verdict each, and tokens and concepts of those that got so far."""

    verdicts: list[Verdict]
    tokens: dict[int, list[Token]]
    concepts: dict[int, list[str]]

    def kept(self) -> list[int]:
        """The positions of the sentences that every filter kept."""
        return [position for position, verdict in enumerate(self.verdicts) if verdict.keep]


def analyse(texts: list[str], analyser: Analyser) -> Analysis:
    """Filters, tags and extracts concepts; a sentence that a filter leaves out costs no further work."""
    on_text, on_tokens, on_concepts = (analyser.filters_of(subject) for subject in SUBJECTS)
    verdicts = [first_objection(on_text, text) for text in texts]
    left = [position for position, verdict in enumerate(verdicts) if verdict is KEEP]
    tokens = _tag(texts, left, analyser)
    left = _ask(verdicts, on_tokens, left, tokens)
    concepts = _extract(texts, left, tokens, analyser)
    _ask(verdicts, on_concepts, left, concepts)
    return Analysis(verdicts, tokens, concepts)


def _tag(texts: list[str], left: list[int], analyser: Analyser) -> dict[int, list[Token]]:
    return dict(zip(left, tagger(analyser.tagger).tag([texts[position] for position in left]), strict=True))


def _extract(
    texts: list[str], left: list[int], tokens: dict[int, list[Token]], analyser: Analyser
) -> dict[int, list[str]]:
    chosen = [texts[position] for position in left], [tokens[position] for position in left]
    return dict(zip(left, RULES[analyser.rule].extract(*chosen, tagger(analyser.tagger)), strict=True))


def _ask(verdicts: list[Verdict], filters: tuple[Filter, ...], left: list[int], subjects: dict[int, Any]) -> list[int]:
    for position in left:
        verdicts[position] = first_objection(filters, subjects[position])
    return [position for position in left if verdicts[position].keep]


def shuffled(heads: npt.NDArray[np.uint64], offsets: Int64, seed: int) -> Int64:
    """A uniformly random order of each row's list, seeded by the row's id: indices into the flattened lists.

    `heads` has shape (rows,) (hashing.id_heads), `offsets` shape (rows + 1,) with offsets[0] = 0; the answer has shape
    (offsets[-1],). A set's order says nothing of the sentence's (the published sets are shuffled).
    """
    rows = np.repeat(np.arange(len(heads)), np.diff(offsets))
    places = np.arange(len(rows)) - offsets[rows]
    keys = splitmix64(splitmix64(heads ^ seed_for("concept order", seed))[rows] + places.astype(np.uint64))
    return np.lexsort((keys, rows))

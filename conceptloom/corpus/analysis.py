"""Filtering, tagging and concept extraction of a block of distinct sentences (Korean CommonGen, section 3.1)."""

from dataclasses import dataclass
from itertools import compress
from typing import Any

import numpy as np
import numpy.typing as npt

from conceptloom.filters import KEEP, SUBJECTS, Filter, Verdict, first_objection, joined, make_filter
from conceptloom.hashing import seed_for, splitmix64
from conceptloom.languages.korean.rules import RULES
from conceptloom.languages.korean.taggers import tagger
from conceptloom.languages.korean.tokens import Token

Int64 = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Analyser:
    """How sentences are analysed: a tagger and a concept rule by name, and the filters with their options, in order."""

    tagger: str = "mecab"
    rule: str = "published"
    filters: tuple[tuple[str, tuple[tuple[str, Any], ...]], ...] = ()

    def filters_of(self, subject: str) -> tuple[Filter, ...]:
        """The filters that look at one part of a sentence, in order."""
        made = (make_filter(name, dict(options)) for name, options in self.filters)
        return joined(tuple(one for one in made if one.subject == subject))


@dataclass(frozen=True)
class Analysis:
    """What was found in a block of sentences: a verdict for each, tokens and concepts for those that were kept."""

    verdicts: list[Verdict]
    kept: list[int]
    """The positions of the kept sentences; `tokens` and `concepts` are in this order."""
    tokens: list[list[Token]]
    concepts: list[list[str]]


def analyse(texts: list[str], analyser: Analyser) -> Analysis:
    """Filters, tags and extracts concepts; a sentence that a filter leaves out costs no further work."""
    on_text, on_tokens, on_concepts = (analyser.filters_of(subject) for subject in SUBJECTS)
    verdicts = [first_objection(on_text, text) for text in texts]
    kept = [position for position, verdict in enumerate(verdicts) if verdict is KEEP]
    backend = tagger(analyser.tagger)
    tokens = backend.tag([texts[position] for position in kept])
    kept, tokens = _ask(on_tokens, verdicts, kept, tokens, tokens)
    concepts = RULES[analyser.rule].extract([texts[position] for position in kept], tokens, backend)
    kept, tokens, concepts = _ask(on_concepts, verdicts, kept, concepts, tokens, concepts)
    return Analysis(verdicts, kept, tokens, concepts)


def _ask(
    filters: tuple[Filter, ...], verdicts: list[Verdict], kept: list[int], subjects: list[Any], *columns: list[Any]
) -> list[list[Any]]:
    """Enters the verdicts on the subjects; answers the positions still kept, and their values in each column."""
    objections = [first_objection(filters, subject) for subject in subjects]
    for position, verdict in zip(kept, objections, strict=True):
        verdicts[position] = verdict
    mask = [verdict is KEEP for verdict in objections]
    return [list(compress(column, mask)) for column in (kept, *columns)]


def shuffled(heads: npt.NDArray[np.uint64], offsets: Int64, seed: int) -> Int64:
    """A uniformly random order of each row's list, seeded by the row's id: indices into the flattened lists.

    `heads` has shape (rows,) (hashing.id_heads), `offsets` shape (rows + 1,) with offsets[0] = 0; the answer has shape
    (offsets[-1],). A set's order says nothing of the sentence's (the published sets are shuffled).
    """
    rows = np.repeat(np.arange(len(heads)), np.diff(offsets))
    places = np.arange(len(rows)) - offsets[rows]
    keys = splitmix64(splitmix64(heads ^ seed_for("concept order", seed))[rows] + places.astype(np.uint64))
    return np.lexsort((keys, rows))

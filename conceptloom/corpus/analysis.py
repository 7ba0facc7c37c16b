"""Filtering, tagging and concept extraction of a block of distinct sentences (Korean CommonGen, section 3.1)."""

from dataclasses import dataclass
from itertools import chain, compress
from operator import attrgetter
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from conceptloom.corpus.units import SentenceUnit, Unit
from conceptloom.filters import KEEP, SUBJECTS, Filter, Verdict, first_objection, joined, make_filter
from conceptloom.hashing import ID_LENGTH, id_heads, seed_for, splitmix64
from conceptloom.languages.korean.normalise import normalise
from conceptloom.languages.korean.rules import RULES
from conceptloom.languages.korean.sentences import split_sentences
from conceptloom.languages.korean.taggers import tagger
from conceptloom.languages.korean.tokens import Token
from conceptloom.ledger import reject
from conceptloom.schemas import SENTENCES
from conceptloom.tables import string_lists, strings

Int64 = npt.NDArray[np.int64]
_MORPHEMES = attrgetter("morphemes")


@dataclass(frozen=True)
class Analyser:
    """How sentences are analysed: a tagger and a concept rule by name, and the filters with their options, in order."""

    tagger: str = "mecab"
    rule: str = "published"
    filters: tuple[tuple[str, tuple[tuple[str, Any], ...]], ...] = ()
    schema: ClassVar[pa.Schema] = SENTENCES
    unit: ClassVar[Unit] = SentenceUnit(normalise, split_sentences)

    def filters_of(self, subject: str) -> tuple[Filter, ...]:
        """The filters that look at one part of a sentence, in order."""
        made = (make_filter(name, dict(options)) for name, options in self.filters)
        return joined(tuple(one for one in made if one.subject == subject))

    def opened(self, side: bytes | None) -> "Analyser":
        """See SentenceAnalyser: taggers are opened where they are asked for."""
        return self

    def rows(self, block: pa.Table, seed: int) -> tuple[pa.Table, pa.Table]:
        """See Opened; the kept rows have schema SENTENCES."""
        analysis = analyse(block["text"].to_pylist(), self)
        return _kept_block(block, analysis, seed), _rejected_block(block, analysis)


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


def _kept_block(block: pa.Table, analysis: Analysis, seed: int) -> pa.Table:
    table = block.take(pa.array(analysis.kept, pa.int64()))
    concepts = string_lists(analysis.concepts)
    heads = id_heads(strings(table["id"], ID_LENGTH))
    order = shuffled(heads, concepts.offsets.to_numpy().astype(np.int64), seed)
    shuffled_concepts = pa.ListArray.from_arrays(concepts.offsets, concepts.values.take(pa.array(order)))
    morphemes = string_lists([list(chain.from_iterable(map(_MORPHEMES, row))) for row in analysis.tokens])
    table = table.append_column("concepts", shuffled_concepts).append_column("morphemes", morphemes)
    return table.select(SENTENCES.names).cast(SENTENCES)


def _rejected_block(block: pa.Table, analysis: Analysis) -> pa.Table:
    left_out = [(position, verdict) for position, verdict in enumerate(analysis.verdicts) if not verdict.keep]
    table = block.take(pa.array([position for position, _ in left_out], pa.int64()))
    reasons = pa.array([verdict.reason for _, verdict in left_out], pa.string())
    details = pa.array([verdict.detail for _, verdict in left_out], pa.string())
    return reject(table, "ingest", reasons, details)

"""Filtering, tagging and concept extraction of a block of distinct sentences (Korean CommonGen, section 3.1)."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, compress
from operator import attrgetter
from typing import ClassVar, TypeVar

import numpy as np
import pyarrow as pa

from conceptloom.arrays.columns import strings
from conceptloom.arrays.lists import string_lists
from conceptloom.arrays.types import Int64, UInt64
from conceptloom.corpus.units import SentenceUnit, Unit
from conceptloom.filters import KEEP, AnyFilter, OpenFilters, Signed, Verdict, open_filters
from conceptloom.hashing import ID_LENGTH, id_heads, seed_for, splitmix64
from conceptloom.json_values import JsonObject
from conceptloom.languages.korean.declaratives import CompleteSentences
from conceptloom.languages.korean.normalise import normalise
from conceptloom.languages.korean.rules import RULES
from conceptloom.languages.korean.sentences import split_sentences
from conceptloom.languages.korean.taggers import tagger, tagger_signature
from conceptloom.languages.korean.tokens import Token
from conceptloom.ledger import reject
from conceptloom.schemas import SENTENCES

_MORPHEMES = attrgetter("morphemes")
T = TypeVar("T")


@dataclass(frozen=True)
class KoreanAnalyser:
    """How sentences are analysed: a tagger and a concept rule by name, and the filters, in order.

    With `complete`, declaratives without their full stop get it before anything else is done with them.
    """

    tagger: str = "mecab"
    rule: str = "published"
    filters: tuple[AnyFilter, ...] = ()
    complete: bool = True

    @property
    def unit(self) -> Unit:
        """See SentenceAnalyser: sentences."""
        split = CompleteSentences(self.tagger) if self.complete else split_sentences
        return SentenceUnit(normalise, split, self.complete)

    def signature(self) -> JsonObject:
        """See SentenceAnalyser: that of the tagger, and of the filters that have one, in order, if there are any."""
        signed = [one.signature() for one in self.filters if isinstance(one, Signed)]
        return {"tagger": tagger_signature(self.tagger), **({"signed_filters": signed} if signed else {})}

    def open(self, side: bytes | None) -> "OpenKoreanAnalyser":
        """See SentenceAnalyser; nothing is computed for it before."""
        return _opened(self)


@dataclass(frozen=True)
class OpenKoreanAnalyser:
    """An analyser whose filters are opened; the process's taggers are shared among all (see `tagger`)."""

    tagger: str
    rule: str
    on_text: OpenFilters
    on_tokens: OpenFilters
    on_concepts: OpenFilters
    schema: ClassVar[pa.Schema] = SENTENCES

    def rows(self, block: pa.Table, seed: int) -> tuple[pa.Table, pa.Table]:
        """See OpenAnalyser; the kept rows have schema SENTENCES."""
        analysis = self.analyse(block["text"].to_pylist())
        return _kept_block(block, analysis, seed), _rejected_block(block, analysis)

    def analyse(self, texts: list[str]) -> "Analysis":
        """Filters, tags and extracts concepts; a sentence that a filter leaves out costs no further work.

        The reasons come in this order: filters on the text, on the tokens, on the concepts, and for each of them as
        OpenFilters says.
        """
        verdicts = self.on_text.verdicts(texts)
        kept = [position for position, verdict in enumerate(verdicts) if verdict is KEEP]
        backend = tagger(self.tagger)
        tokens = backend.tag([texts[position] for position in kept])
        mask = _enter(self.on_tokens.verdicts(tokens), verdicts, kept)
        kept, tokens = _where(kept, mask), _where(tokens, mask)
        concepts = RULES[self.rule].extract([texts[position] for position in kept], tokens, backend)
        mask = _enter(self.on_concepts.verdicts(concepts), verdicts, kept)
        return Analysis(verdicts, _where(kept, mask), _where(tokens, mask), _where(concepts, mask))


@lru_cache(maxsize=4)
def _opened(analyser: KoreanAnalyser) -> OpenKoreanAnalyser:
    filters = analyser.filters
    return OpenKoreanAnalyser(
        analyser.tagger,
        analyser.rule,
        on_text=open_filters(filters, "text"),
        on_tokens=open_filters(filters, "tokens"),
        on_concepts=open_filters(filters, "concepts"),
    )


@dataclass(frozen=True)
class Analysis:
    """What was found in a block of sentences: a verdict for each, tokens and concepts for those that were kept."""

    verdicts: list[Verdict]
    kept: list[int]
    """The positions of the kept sentences; `tokens` and `concepts` are in this order."""
    tokens: list[list[Token]]
    concepts: list[list[str]]


def analyse(texts: list[str], analyser: KoreanAnalyser) -> Analysis:
    """Returns what the analyser finds in these sentences (see OpenKoreanAnalyser)."""
    return analyser.open(None).analyse(texts)


def _enter(found: list[Verdict], verdicts: list[Verdict], kept: list[int]) -> list[bool]:
    """Enters the verdicts on the sentences at the positions `kept`; returns which of these stay."""
    for position, verdict in zip(kept, found, strict=True):
        verdicts[position] = verdict
    return [verdict is KEEP for verdict in found]


def _where(values: Sequence[T], mask: list[bool]) -> list[T]:
    return list(compress(values, mask))


def shuffled(heads: UInt64, offsets: Int64, seed: int) -> Int64:
    """Returns a uniformly random order of each row's list, seeded by the row's id: indices into the flattened lists.

    `heads` has shape (rows,) (hashing.id_heads), `offsets` shape (rows + 1,) with offsets[0] = 0; the result has shape
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

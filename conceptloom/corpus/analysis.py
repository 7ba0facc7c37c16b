"""Filtering, tagging and concept extraction of a block of distinct sentences (Korean CommonGen, section 3.1)."""

from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

import numpy as np
import pyarrow as pa

from conceptloom.arrays.building import text_array
from conceptloom.arrays.columns import one_array, strings
from conceptloom.arrays.lists import list_array, list_sizes, offsets_of
from conceptloom.arrays.types import Int64, UInt64
from conceptloom.corpus.units import SentenceUnit, Unit
from conceptloom.filters import AnyFilter, Objections, OpenFilters, PartColumn, Signed, open_filters
from conceptloom.hashing import ID_LENGTH, id_heads, seed_for, splitmix64
from conceptloom.json_values import JsonObject
from conceptloom.languages.korean.declaratives import CompleteSentences
from conceptloom.languages.korean.normalise import PLAIN, normalise
from conceptloom.languages.korean.rules import RULES
from conceptloom.languages.korean.sentences import split_sentences
from conceptloom.languages.korean.taggers import tagger, tagger_signature
from conceptloom.languages.korean.token_table import TokenTable
from conceptloom.ledger import reject
from conceptloom.schemas import SENTENCES


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
        return SentenceUnit(normalise, split, self.complete, plain=PLAIN)

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
        analysis = self.analyse(one_array(block["text"]))
        return _kept_block(block, analysis, seed), _rejected_block(block, analysis)

    def analyse(self, texts: pa.StringArray) -> "Analysis":
        """Filters, tags and extracts concepts; a sentence that a filter leaves out costs no further work.

        The reasons come in this order: filters on the text, on the tokens, on the concepts, and for each of them as
        OpenFilters says.
        """
        backend, left = tagger(self.tagger), _Left(len(texts))
        sentences = texts.take(pa.array(left.after(self.on_text, texts))).to_pylist()
        tokens = backend.tag(sentences)
        stay = left.after(self.on_tokens, tokens)
        sentences, tokens = list(map(sentences.__getitem__, stay.tolist())), tokens.take(stay)
        concepts = RULES[self.rule].extract(sentences, tokens, backend)
        stay = left.after(self.on_concepts, concepts)
        return Analysis(left.objections, left.positions, tokens.take(stay), concepts.take(pa.array(stay)))


class _Left:
    """The sentences of a block that are left after each of several filters, and the objections to the others."""

    def __init__(self, sentences: int) -> None:
        self.objections: Objections = {}
        self.positions = np.arange(sentences)

    def after(self, filters: OpenFilters, column: PartColumn) -> Int64:
        """Returns which of the sentences that are left these filters keep, as rows of `column`, which has just them."""
        found = filters.objections(column)
        self.objections |= {int(self.positions[row]): verdict for row, verdict in found.items()}
        stay = np.delete(np.arange(len(column)), list(found))
        self.positions = self.positions[stay]
        return stay


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
    """What was found in a block of sentences: the objections, and tokens and concepts of those that were kept."""

    objections: Objections
    kept: Int64
    """The positions of the kept sentences; `tokens` and `concepts` are in this order."""
    tokens: TokenTable
    concepts: pa.ListArray


def analyse(texts: list[str], analyser: KoreanAnalyser) -> Analysis:
    """Returns what the analyser finds in these sentences (see OpenKoreanAnalyser)."""
    return analyser.open(None).analyse(text_array(texts))


def shuffled(heads: UInt64, offsets: Int64, seed: int) -> Int64:
    """Returns a uniformly random order of each row's list, seeded by the row's id: indices into the flattened lists.

    `heads` has shape (rows,) (hashing.id_heads), `offsets` shape (rows + 1,) with offsets[0] = 0; the result has shape
    (offsets[-1],). A set's order says nothing of the sentence's (the published sets are shuffled).
    """
    rows = np.repeat(np.arange(len(heads)), np.diff(offsets))
    places = np.arange(len(rows)) - offsets[rows]
    keys = splitmix64(splitmix64(heads ^ seed_for("concept order", seed))[rows] + places.astype(np.uint64))
    # As lexsort((keys, rows)), since no row has a key twice, and faster: numpy sorts short integers by radix.
    order = np.argsort(keys)
    return order[np.argsort(rows[order].astype(np.min_scalar_type(len(heads))), kind="stable")]


def _kept_block(block: pa.Table, analysis: Analysis, seed: int) -> pa.Table:
    table = block.take(pa.array(analysis.kept))
    heads = id_heads(strings(table["id"], ID_LENGTH))
    offsets = offsets_of(list_sizes(analysis.concepts))
    order = shuffled(heads, offsets, seed)
    concepts = list_array(analysis.concepts.flatten().take(pa.array(order)).cast(pa.string()), offsets)
    table = table.append_column("concepts", concepts).append_column("morphemes", analysis.tokens.morphemes())
    return table.select(SENTENCES.names).cast(SENTENCES)


def _rejected_block(block: pa.Table, analysis: Analysis) -> pa.Table:
    positions = sorted(analysis.objections)
    verdicts = [analysis.objections[position] for position in positions]
    table = block.take(pa.array(positions, pa.int64()))
    reasons, details = text_array(one.reason for one in verdicts), text_array(one.detail for one in verdicts)
    return reject(table, "ingest", reasons, details)

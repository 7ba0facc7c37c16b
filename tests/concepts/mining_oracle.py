"""Small corpora for mining, and what must be found in them, by plain sets and loops."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import combinations
from math import comb
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from hypothesis import strategies as st
from scipy.sparse import csr_array
from scipy.sparse.csgraph import maximum_bipartite_matching

from conceptloom.arrays.ids import pack_ids
from conceptloom.concepts.coded_sentences import code_sentences
from conceptloom.concepts.lexicon import Lexicon, by_rarity, by_spelling, count_terms
from conceptloom.concepts.mining import MiningRules, mine
from conceptloom.concepts.routing import route
from conceptloom.corpus.clashes import clash_names
from conceptloom.hashing import text_id
from conceptloom.tables import from_ipc

SHARED = Path(__file__).resolve().parents[3] / "shared" / "data" / "en"


class Row(NamedTuple):
    """A unique sentence: its concepts (a set, but may come as it likes) and its words."""

    concepts: Sequence[str]
    words: Sequence[str]
    matches: Sequence[Sequence[str]] | None = None
    """The concepts that each word may stand for; without them each concept has a word of its own."""

    def supports(self, chosen: Sequence[str]) -> bool:
        """Whether distinct words supply the concepts: a matching that covers them."""
        if self.matches is None:
            return set(chosen) <= set(self.concepts)
        graph = np.array([[one in word for word in self.matches] for one in chosen])
        return bool((maximum_bipartite_matching(csr_array(graph), perm_type="column") >= 0).all())


@st.composite
def ambiguous_rows(draw: st.DrawFn) -> list[Row]:
    """Rows whose words may stand for several concepts; words, and rows, may be equal."""
    word = st.lists(st.sampled_from("abcdefgh"), max_size=3)
    drawn = draw(st.lists(st.lists(word, min_size=1, max_size=7), max_size=8))
    return [Row(sorted({c for w in row for c in w}), ["".join(w) for w in row], row) for row in drawn]


class Found(NamedTuple):
    """The fields of a mined set."""

    support: int
    words: int
    length: int
    chance: int


class Coding(NamedTuple):
    """Coded rows, and what their numbers mean."""

    sentences: pa.Table
    concepts: Lexicon
    words: Lexicon


def brute_force(rows: Iterable[Row], sizes: Sequence[int], min_support: int = 1) -> dict[frozenset[str], Found]:
    """Each concept set with its counts, from the definition."""
    holders = defaultdict[frozenset[str], list[Row]](list)
    for row in rows:
        for size in sizes:
            for chosen in combinations(sorted(set(row.concepts)), size):
                if row.supports(chosen):
                    holders[frozenset(chosen)].append(row)
    return {
        concepts: Found(
            len(held),
            len({w for row in held for w in row.words}),
            sum(len(row.words) for row in held),
            sum(round(Fraction(2**32, comb(len(set(row.concepts)), len(concepts)))) for row in held),
        )
        for concepts, held in holders.items()
        if len(held) >= min_support
    }


def degrees_of(sets: Iterable[frozenset[str]]) -> dict[str, int]:
    """In how many sets each concept stands."""
    result = defaultdict[str, int](int)
    for concepts in sets:
        for concept in concepts:
            result[concept] += 1
    return result


def exact_scores(found: dict[frozenset[str], Found]) -> dict[frozenset[str], Fraction]:
    """The paper's formula in exact fractions."""
    degree = degrees_of(found)
    return {
        concepts: Fraction(one.support * one.words, one.length)
        * Fraction(len(found), max(degree[concept] for concept in concepts))
        for concepts, one in found.items()
    }


def coded(rows: Sequence[Row]) -> Coding:
    """The rows with schema CODED; a row's id is that of its number."""
    strings = pa.list_(pa.string())
    concepts, words = pa.array([row.concepts for row in rows], strings), pa.array([row.words for row in rows], strings)
    concept_terms, word_terms = by_rarity(count_terms(concepts)), by_spelling(count_terms(words))
    ids = pack_ids(pa.array([text_id(str(number)) for number in range(len(rows))], pa.string()))
    clashes = pa.array([clash_names(row.matches or ()) for row in rows], strings)
    return Coding(code_sentences(ids, concepts, words, concept_terms, word_terms, clashes), concept_terms, word_terms)


def mined(sentences: pa.Table, rules: MiningRules, shards: int, instances: int = 1 << 20) -> Iterator[pa.RecordBatch]:
    """All batches of a distributed mining in one process."""
    for shard, block in route(sentences, min(rules.sizes), shards):
        yield from mine(from_ipc([block], sentences.schema).to_batches(), rules, shard, shards, instances)


def by_concepts(batches: Iterable[pa.RecordBatch], terms: Lexicon) -> dict[frozenset[str], Found]:
    """Mined batches as plain values; a set that is found twice fails."""
    result = dict[frozenset[str], Found]()
    for batch in batches:
        names = terms.strings(batch.column("concepts")).to_pylist()
        numbers = zip(*(batch.column(name).to_pylist() for name in ("support", "words", "length", "chance")))
        for concepts, counts in zip(names, numbers):
            assert frozenset(concepts) not in result and len(set(concepts)) == len(concepts)
            result[frozenset(concepts)] = Found(*counts)
    return result


def captions(count: int | None = None) -> list[Row]:
    """Unique captions of the published train text, their concepts found by a plain look into the list of names."""
    names = set((SHARED / "conceptnet" / "concept_names.txt").read_text("utf-8").split("\n"))
    texts = sorted(set((SHARED / "commongen" / "train_trg.txt").read_text("utf-8").split("\n")) - {""})
    words = [re.findall("[a-z]+", text.lower()) for text in texts[:count]]
    return [Row([word for word in row if word in names], row) for row in words]

"""Sentences as numbers: all that mining needs to know about them."""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from conceptloom.arrays.blocks import table_of
from conceptloom.arrays.columns import one_array
from conceptloom.arrays.lists import Lists, offsets_of
from conceptloom.arrays.runs import positions
from conceptloom.arrays.types import Column, Int64
from conceptloom.concepts.clashes import Clashes, code_clashes, no_clashes
from conceptloom.concepts.lexicon import Lexicon
from conceptloom.hashing import ID_BYTES

INTEGERS = pa.list_(pa.int32())

BARE = pa.schema([("id", pa.binary(ID_BYTES)), ("length", pa.int32()), ("concepts", INTEGERS), ("words", INTEGERS)])
"""CODED without clashes: what is stored where words need not be distinct."""

CODED = BARE.append(pa.field("clashes", pa.list_(INTEGERS)))
"""A unique sentence: packed id, length in words, numbers of its distinct concepts (rarest first) and distinct words;
and its clashes, the concepts that cannot stand in one set (see `conceptloom.corpus.clashes`), rarest first."""


class Coded(NamedTuple):
    """Coded sentences as numpy arrays; `length` has shape (sentences,)."""

    length: Int64
    concepts: Lists
    words: Lists
    clashes: Clashes


def code_sentences(
    ids: Column,
    concepts: Column,
    words: Column,
    concept_terms: Lexicon,
    word_terms: Lexicon,
    clashes: Column | None = None,
) -> pa.Table:
    """Returns sentences with schema CODED, given their packed ids and lists of strings.

    A word that occurs twice counts twice in the length. `concept_terms` must be ordered by rarity. Without `clashes`
    one word may supply any number of a set's concepts. Raises BuildError for a term that a lexicon lacks.
    """
    length = pc.list_value_length(one_array(words)).cast(pa.int32())
    numbers = concept_terms.numbers(concepts)
    found = no_clashes(len(length)) if clashes is None else code_clashes(clashes, numbers, concept_terms)
    columns = [numbers.to_arrow(), word_terms.numbers(words).to_arrow(), found.to_arrow()]
    return pa.table([one_array(ids), length, *columns], schema=CODED)


def from_stored(table: pa.Table) -> pa.Table:
    """Returns sentences as they were stored, schema CODED or BARE, with schema CODED."""
    if "clashes" in table.column_names:
        return table.cast(CODED)
    return table.append_column(CODED.field("clashes"), no_clashes(len(table)).to_arrow()).cast(CODED)


def cap_concepts(sentences: pa.Table, most: int) -> tuple[pa.Table, Int64]:
    """Keeps the `most` rarest concepts of each sentence. Returns the sentences, and how many concepts each one lost.

    A sentence of k concepts has comb(k, 5) sets of five, so a long list mistaken for a sentence could stall a build.
    The frequent concepts go, because the score punishes the sets of frequent concepts anyway.
    """
    lists = Lists.from_arrow(sentences["concepts"])
    lost = np.maximum(lists.sizes - most, 0)
    if not lost.any():
        return sentences, lost
    kept = Lists(lists.values[positions(lists.sizes) < most], offsets_of(lists.sizes - lost))
    clashes = Clashes.from_arrow(sentences["clashes"]).within(kept)
    for name, column in (("concepts", kept), ("clashes", clashes)):
        sentences = sentences.set_column(CODED.get_field_index(name), CODED.field(name), column.to_arrow())
    return sentences, lost


def coded_arrays(blocks: Iterable[pa.RecordBatch]) -> tuple[Coded, pa.Array]:
    """Returns blocks of schema CODED as one set of arrays, and their ids."""
    table = table_of(blocks, CODED)
    length = table["length"].to_numpy().astype(np.int64)
    concepts, words = (Lists.from_arrow(table[name]) for name in ("concepts", "words"))
    return Coded(length, concepts, words, Clashes.from_arrow(table["clashes"])), one_array(table["id"])

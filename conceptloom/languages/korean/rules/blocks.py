"""The rules on a block of sentences at once: the concepts that the functions of one sentence find (chains, paper)."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from conceptloom.arrays.building import text_array
from conceptloom.arrays.lists import list_array, offsets_of
from conceptloom.arrays.runs import equal_runs, run_starts
from conceptloom.arrays.types import Bool, Int8, Int64
from conceptloom.languages.korean.rules.chains import ALL_WORDS, MODIFIERS
from conceptloom.languages.korean.rules.joins import join_in_place
from conceptloom.languages.korean.rules.paper import is_listed
from conceptloom.languages.korean.taggers.base import Tagger
from conceptloom.languages.korean.token_columns import KINDS, TokenColumns
from conceptloom.languages.korean.token_table import TokenTable
from conceptloom.languages.korean.tokens import Kind


def concept_lists(codes: Int64, names: pa.StringArray, rows: Int64, sentences: int) -> pa.ListArray:
    """Returns the concepts of each sentence, a repeated one at its first place, as lists of places in a dictionary.

    `codes` (places in `names`, which are distinct) and `rows` (the sentence of each, ascending) have one shape.
    """
    runs = equal_runs(rows * len(names) + codes, sentences * len(names))
    first = np.sort(runs.order[runs.starts])
    concepts = pa.DictionaryArray.from_arrays(pa.array(codes[first].astype(np.int32)), names)
    return list_array(concepts, offsets_of(np.bincount(rows[first], minlength=sentences)))


class Chains(NamedTuple):
    """Noun chains in a table of tokens: sentence, place of the first token, number of tokens; each of shape (chains,).

    They are in the order of the tokens.
    """

    rows: Int64
    starts: Int64
    sizes: Int64

    def where(self, mask: Bool) -> "Chains":
        """Returns some of the chains; the mask has shape (chains,)."""
        return Chains(*(column[mask] for column in self))


def all_by_first_occurrence(texts: list[str], table: TokenTable, chains: Chains) -> list[str]:
    """Returns what `join_by_first_occurrence` makes of each chain."""
    rows = chains.rows.tolist()
    firsts, lasts = table.surfaces_at(chains.starts), table.surfaces_at(chains.starts + chains.sizes - 1)
    # Slices at once, as there are almost as many chains as sentences; few of them are empty.
    joined = [
        (text := texts[row])[text.find(first) : text.find(last) + len(last)]
        for row, first, last in zip(rows, firsts, lasts, strict=True)
    ]
    for number in [number for number, concept in enumerate(joined) if not concept]:
        start = int(chains.starts[number])
        joined[number] = "".join(table.surfaces_at(np.arange(start, start + int(chains.sizes[number]))))
    return joined


def all_in_place(texts: list[str], table: TokenTable, chains: Chains) -> list[str]:
    """Returns what `join_in_place` makes of each chain."""
    firsts = chains.starts - table.numbers.offsets[chains.rows]
    places = zip(chains.rows.tolist(), firsts.tolist(), (firsts + chains.sizes - 1).tolist(), strict=True)
    return [join_in_place(texts[row], table[row], first, last) for row, first, last in places]


@dataclass(frozen=True)
class ChainRule:
    """What `published`, `exact` and `free_morpheme` do with a sentence, for all sentences of a block at once.

    `closed` says that the last token, and a chain that reaches it, are ignored.
    """

    join: Callable[[list[str], TokenTable, Chains], list[str]]
    words: frozenset[Kind]
    closed: bool = False

    def __call__(self, texts: list[str], table: TokenTable, tagger: Tagger) -> pa.ListArray:
        """See Rule."""
        kinds, rows, codes = table.kinds, table.rows, table.surfaces.astype(np.int64)
        if self.closed:
            kinds[_last_places(table)] = KINDS.index("")
        chains = self._chains(kinds, rows, table)
        is_concept = np.isin(kinds, [KINDS.index(kind) for kind in self.words])
        is_concept[chains.starts] = True
        long = chains.where(chains.sizes > 1)
        codes[long.starts], names = _coded(self.join(texts, table, long), table.columns)
        return concept_lists(codes[is_concept], names, rows[is_concept], len(table))

    def _chains(self, kinds: Int8, rows: Int64, table: TokenTable) -> Chains:
        is_noun = kinds == KINDS.index("noun")
        starts = run_starts(2 * rows + is_noun)
        runs = Chains(rows[starts], starts, np.diff(starts, append=len(rows)))
        chains = runs.where(is_noun[starts])
        return (
            chains.where(np.isin(chains.starts + chains.sizes, _last_places(table), invert=True))
            if self.closed
            else chains
        )


def _last_places(table: TokenTable) -> Int64:
    """Returns the place of the last token of each sentence that has any."""
    return table.numbers.offsets[1:][table.numbers.sizes > 0] - 1


def _coded(names: list[str], columns: TokenColumns) -> tuple[Int64, pa.StringArray]:
    """Returns the codes of names, and the names of all codes: first those of the surfaces, then what is new."""
    known = columns.surface_codes
    fresh: dict[str, int] = {}
    codes = list(map(known.get, names))
    for place in [place for place, code in enumerate(codes) if code is None]:
        codes[place] = fresh.setdefault(names[place], len(known) + len(fresh))
    return np.array(codes, dtype=np.int64), pa.concat_arrays([columns.surface_names, text_array(fresh)])


def paper(texts: list[str], table: TokenTable, tagger: Tagger) -> pa.ListArray:
    """Returns what the rule `paper` finds in each sentence; see Rule."""
    places = np.flatnonzero(table.tagged(filter(is_listed, table.columns.tag_names)))
    codes = table.surfaces[places].astype(np.int64)
    return concept_lists(codes, table.columns.surface_names, table.rows[places], len(table))


published = ChainRule(all_by_first_occurrence, ALL_WORDS, closed=True)
exact = ChainRule(all_in_place, ALL_WORDS)
free_morpheme = ChainRule(all_by_first_occurrence, MODIFIERS)

"""Minimal clashes against bipartite matchings by SciPy."""

from itertools import combinations

import numpy as np
import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array
from scipy.sparse.csgraph import maximum_bipartite_matching

from conceptloom.corpus.captions import CaptionAnalyser, encode_vocabulary
from conceptloom.corpus.clashes import LARGEST, clash_names, minimal_clashes

MATCHES = st.lists(st.lists(st.sampled_from("abcdefgh"), max_size=4), max_size=6)


def supported(chosen: tuple[str, ...], matches: list[list[str]]) -> bool:
    """Whether each chosen concept gets a word of its own."""
    if not chosen or not matches:
        return not chosen
    graph = np.array([[one in word for word in matches] for one in chosen])
    return bool((maximum_bipartite_matching(csr_array(graph), perm_type="column") >= 0).all())


@settings(deadline=None)
@given(matches=MATCHES)
def test_a_set_without_a_clash_is_one_with_a_word_for_each_concept(matches: list[list[str]]) -> None:
    clashes = minimal_clashes(matches)
    concepts = sorted({one for word in matches for one in word})
    for size in range(1, len(concepts) + 1):
        for chosen in combinations(concepts, size):
            assert supported(chosen, matches) != any(set(clash) <= set(chosen) for clash in clashes)
    for clash in clashes:
        assert all(supported(part, matches) for part in combinations(clash, len(clash) - 1))
    assert clashes == sorted({tuple(sorted(clash)) for clash in clashes})


def test_clashes_of_a_chain_are_found_up_to_the_largest() -> None:
    """Each word links two concepts, so all concepts together have a word too few."""
    for size in (2, 3, LARGEST, LARGEST + 1):
        chain = [[chr(97 + at), chr(98 + at)] for at in range(size - 1)]
        assert len(minimal_clashes(chain)) == (size <= LARGEST)


def test_a_list_of_very_many_ambiguous_words_takes_no_time() -> None:
    pairs = [[f"a{at}", f"b{at}"] for at in range(2000)]
    assert len(minimal_clashes(pairs)) == 2000
    assert minimal_clashes(pairs * 2) == []
    assert minimal_clashes([[chr(97 + at) for at in range(26)]] * 100) == []


def test_captions_come_with_their_clashes() -> None:
    texts = ["Two lenses of a camera.", "Lenses and a lens: a camera", "A dog runs."]
    vocabulary = encode_vocabulary(frozenset({"lens", "lense", "camera", "dog", "run"}))
    columns = {name: pa.array([""] * len(texts)) for name in ("id", "source", "locator")}
    block = pa.table({**columns, "text": pa.array(texts), "copies": pa.array([1] * len(texts), pa.int32())})
    kept, _ = CaptionAnalyser().open(vocabulary).rows(block, 0)
    assert kept["clashes"].to_pylist() == [["lens#lense"], [], []]
    assert kept["concepts"].to_pylist() == [["lens", "lense", "camera"], ["lens", "lense", "camera"], ["dog", "run"]]
    assert clash_names([("b", "a")]) == ["a#b"]

"""Scorer static-ko: its table, sets of morphemes, and centralities against cosines computed one pair at a time."""

from hashlib import sha256

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from similarity_batches import batch_of

from conceptloom.errors import ConfigError
from conceptloom.similarity import DEFAULT_SCORER, load_table, make_scorer, pairwise_centralities
from conceptloom.similarity.static import TABLE

KNOWN = ("남자/NNG", "개/NNG", "공원/NNG", "달리/VV", "노랗/VA", "빨리/MAG", "돌벽/NNG", "닭볶음탕/NNG")
SENTENCE = st.lists(st.sampled_from((*KNOWN, "없는말/XX")), max_size=7)


@pytest.fixture(scope="module")
def scorer():
    return make_scorer("static-ko").open(None)


def sentence_vector(table, morphemes):
    _, rows = table.lookup(sorted(set(morphemes)))
    vector = table.vectors[sorted(set(rows.tolist()))].astype(np.float64).sum(axis=0)
    length = np.linalg.norm(vector)
    return vector / length if length else vector


def test_is_the_default_and_needs_no_frequencies():
    assert DEFAULT_SCORER == "static-ko"
    assert not make_scorer(DEFAULT_SCORER).wants_frequencies


def test_the_file_is_small_loads_without_pickle_and_is_named_by_its_hash(scorer):
    data = TABLE.read_bytes()
    assert len(data) < 15_000_000
    with np.load(TABLE, allow_pickle=False) as arrays:
        assert {arrays[name].dtype.kind for name in arrays.files} <= set("iuf")
    assert scorer.signature() == {
        "name": "static-ko",
        "version": "1",
        "file": "static-ko.npz",
        "sha256": sha256(data).hexdigest(),
    }


def test_every_row_a_key_points_to_exists():
    table = load_table()
    assert table.counts.min() >= 1
    assert table.counts.sum() == len(table.rows)
    assert table.rows.min() >= 0 and table.rows.max() < len(table.vectors)


@pytest.mark.parametrize("damage", [b"", b"no archive", TABLE.read_bytes()[:100_000]])
def test_a_damaged_table_is_an_error_with_a_cure(tmp_path, damage):
    (tmp_path / "table.npz").write_bytes(damage)
    with pytest.raises(ConfigError, match=r"damaged.*reinstall"):
        load_table(tmp_path / "table.npz")


def test_a_flipped_byte_is_an_error_with_a_cure(tmp_path):
    data = bytearray(TABLE.read_bytes())
    data[len(data) // 2] ^= 0xFF
    (tmp_path / "table.npz").write_bytes(data)
    with pytest.raises(ConfigError, match=r"damaged.*reinstall"):
        load_table(tmp_path / "table.npz")


def test_a_missing_table_is_an_error_with_a_cure(tmp_path):
    with pytest.raises(ConfigError, match=r"missing.*reinstall"):
        load_table(tmp_path / "table.npz")


def test_features_are_sets_and_unknown_morphemes_are_dropped(scorer):
    once = batch_of([["개/NNG", "달리/VV"]])
    often = batch_of([["달리/VV", "개/NNG", "없는말/XX", "개/NNG"]])
    assert scorer.encode(once) == scorer.encode(often)
    assert scorer.encode(batch_of([["없는말/XX"], []])).to_pylist() == [[], []]


def test_an_unknown_compound_stands_for_its_parts(scorer):
    whole, parts = scorer.encode(batch_of([["돌벽/NNG"], ["돌/NNG", "벽/NNG"]]))
    assert whole == parts


def test_a_slice_of_a_batch_is_encoded_as_that_slice(scorer):
    rows = [["개/NNG"], ["남자/NNG", "달리/VV"], [], ["공원/NNG"]]
    assert scorer.encode(batch_of(rows).slice(1, 2)) == scorer.encode(batch_of(rows[1:3]))
    assert len(scorer.encode(batch_of([]))) == 0


@settings(deadline=None)
@given(st.lists(st.lists(SENTENCE, max_size=6), max_size=5))
def test_centralities_are_sums_of_cosines(scorer, postings):
    rows = [sentence for posting in postings for sentence in posting]
    offsets = np.cumsum([0, *map(len, postings)])
    vectors = np.array([sentence_vector(load_table(), row) for row in rows]).reshape(len(rows), 128)
    oracle = pairwise_centralities(lambda start, end: vectors[start:end] @ vectors[start:end].T, offsets)
    np.testing.assert_allclose(scorer.centralities(scorer.encode(batch_of(rows)), offsets), oracle, atol=2e-6)


@settings(deadline=None)
@given(st.lists(st.lists(SENTENCE, min_size=1, max_size=6), min_size=1, max_size=5), st.data())
def test_a_posting_gets_the_same_bits_in_every_block(scorer, postings, data):
    posting = data.draw(st.sampled_from(postings))
    rows = [sentence for group in postings for sentence in group] + posting
    offsets = np.cumsum([0, *map(len, postings), len(posting)])
    together = scorer.centralities(scorer.encode(batch_of(rows)), offsets)
    alone = scorer.centralities(scorer.encode(batch_of(posting)), np.array([0, len(posting)]))
    assert together[-len(posting) :].tobytes() == alone.tobytes()


def test_groups_of_postings_do_not_show(scorer, monkeypatch):
    features = scorer.encode(batch_of([[KNOWN[i % 8], KNOWN[i % 5]] for i in range(200)]))
    offsets = np.array([0, 3, 3, 90, 120, 200])
    whole = scorer.centralities(features, offsets)
    monkeypatch.setattr("conceptloom.similarity.static.GROUP_ROWS", 10)
    assert scorer.centralities(features, offsets).tobytes() == whole.tobytes()

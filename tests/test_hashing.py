"""Hashes against plain big-integer programs, against values written down, and in another process."""

import os
import subprocess
import sys
import tempfile

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conceptloom.hashing import bucket_of, hex_values, id_heads, seed_for, splitmix64, string_hashes, text_hash, text_id

MASK = (1 << 64) - 1
UINT64 = st.integers(0, MASK)
IDS = st.lists(st.text("0123456789abcdef", min_size=20, max_size=20))
BUCKETS = st.one_of(st.integers(1, 100), st.integers(1, 1 << 20))
SHOW = """
from conceptloom.hashing import *
ids = [text_id(text) for text in ("", "비가 온다.", "a")]
heads = id_heads(np.array(ids, dtype="S20"))
print(ids, string_hashes(pa.array(["", "비가 온다."])).tolist())
print(text_hash("비가 온다."), int(seed_for("posting", 7)), bucket_of(heads, 97).tolist(), splitmix64(heads).tolist())
"""


def reference_splitmix64(value: int) -> int:
    """Vigna's splitmix64.c, the state `value` before it is advanced."""
    z = (value + 0x9E3779B97F4A7C15) & MASK
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    return z ^ (z >> 31)


def in_another_process(hash_seed: str) -> str:
    environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
    done = subprocess.run(
        [sys.executable, "-c", SHOW],
        cwd=tempfile.gettempdir(),
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


def test_text_ids_are_those_written_down() -> None:
    assert text_id("비가 온다.") == "5e549f934c85150fcab8"
    assert text_id("") == "6fa1d8fcfd719046d762"
    assert text_hash("비가 온다.") == 158667340442225343
    assert int(seed_for("posting", 0)) == 14220364369423576973


def test_half_a_surrogate_pair_has_an_id() -> None:
    assert text_id("\ud800") != text_id("\ud801")


@pytest.mark.slow
def test_the_same_values_in_another_process() -> None:
    shown = in_another_process("1")
    assert text_id("비가 온다.") in shown
    assert shown == in_another_process("2")


def reference_string_hash(text: str) -> int:
    data = text.encode()
    found = reference_splitmix64(len(data))
    for start in range(0, len(data), 8):
        found = reference_splitmix64(found ^ int.from_bytes(data[start : start + 8], "little"))
    return found


@settings(deadline=None)
@given(st.lists(st.text(st.characters(codec="utf-8"))), st.integers(0, 5), st.integers(0, 9), st.booleans())
def test_string_hashes_are_the_plain_program(texts: list[str], start: int, length: int, large: bool) -> None:
    """Of a slice too, whatever stands before and behind it, and whatever the width of the offsets."""
    column = pa.array(texts, pa.large_string() if large else pa.string())
    assert string_hashes(column).tolist() == [reference_string_hash(text) for text in texts]
    part = [reference_string_hash(text) for text in texts[start : start + length]]
    assert string_hashes(column.slice(start, length)).tolist() == part


def test_string_hashes_of_texts_that_nearly_agree() -> None:
    texts = ["", "a", "a\0", "\0", "\0\0", "a" * 8, "a" * 9, "a" * 16, "a" * 17, "a" * 8 + "b" * 8, "b" * 8 + "a" * 8]
    assert len(set(string_hashes(pa.array(texts)).tolist())) == len(texts)
    many = pa.array([f"개념 {number}" for number in range(200_000)])
    assert len(np.unique(string_hashes(many))) == len(many)


def test_string_hashes_fill_buckets_evenly() -> None:
    hashes = string_hashes(pa.array([f"개념{number}" for number in range(50_000)]))
    sizes = np.bincount(bucket_of(hashes, 50), minlength=50)
    assert abs(sizes - 1000).max() < 5 * 1000**0.5


@settings(deadline=None)
@given(IDS)
def test_id_heads_are_the_leading_64_bits(ids: list[str]) -> None:
    assert id_heads(np.array(ids, dtype="S20")).tolist() == [int(one[:16], 16) for one in ids]


@settings(deadline=None)
@given(IDS)
def test_id_heads_of_every_other_id(ids: list[str]) -> None:
    assert id_heads(np.array(ids, dtype="S20")[::2]).tolist() == [int(one[:16], 16) for one in ids[::2]]


def test_hex_values() -> None:
    assert hex_values(np.frombuffer(b"0189af", dtype=np.uint8)).tolist() == [0, 1, 8, 9, 10, 15]


@settings(deadline=None)
@given(st.lists(UINT64), BUCKETS)
def test_buckets_are_ranges_in_order(heads: list[int], buckets: int) -> None:
    found = bucket_of(np.array(sorted(heads), dtype=np.uint64), buckets)
    assert found.dtype == np.int32
    assert (np.diff(found) >= 0).all()
    assert all(0 <= bucket < buckets for bucket in found.tolist())
    assert found.tolist() == [((head >> 32) * buckets) >> 32 for head in sorted(heads)]


@pytest.mark.parametrize("buckets", [1, 2, 3, 10, 97, 1024])
def test_every_bucket_is_as_large(buckets: int) -> None:
    """All buckets are hit; sizes of 50,000 hashed texts lie within five standard deviations."""
    ids = np.array([text_id(str(number)) for number in range(50_000)], dtype="S20")
    sizes = np.bincount(bucket_of(id_heads(ids), buckets), minlength=buckets)
    expected = len(ids) / buckets
    assert len(sizes) == buckets
    assert abs(sizes - expected).max() <= 5 * expected**0.5
    assert bucket_of(np.array([0, MASK], dtype=np.uint64), buckets).tolist() == [0, buckets - 1]


def test_splitmix64_is_vignas() -> None:
    assert int(splitmix64(np.uint64(0))) == 0xE220A8397B1DCDAF
    assert int(splitmix64(np.uint64(1234567))) == 6457827717110365317


@settings(deadline=None)
@given(st.lists(UINT64))
def test_splitmix64_is_the_plain_program(values: list[int]) -> None:
    array = np.array(values, dtype=np.uint64)
    assert splitmix64(array).tolist() == [reference_splitmix64(value) for value in values]
    assert array.tolist() == values
    assert splitmix64(array.reshape(-1, 1)).shape == (len(values), 1)


def test_names_and_seeds_draw_apart() -> None:
    seeds = {int(seed_for(name, seed)) for name in ("posting", "concept order", "split") for seed in range(100)}
    assert len(seeds) == 300

"""Overlap control against plain sets of pairs."""

from collections import Counter
from itertools import combinations
from math import ceil

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conceptloom.arrays.concept_sets import ConceptSets, concept_sets
from conceptloom.errors import ConfigError
from conceptloom.splits.train_sets import TRAIN_POLICIES, Final, Held, NoControl, Preprint, Verdict

Sets = list[frozenset[str]]
SETS = st.lists(st.frozensets(st.sampled_from("abcdefghijklmnop"), min_size=3, max_size=5), max_size=12)


def hashed(sets: Sets) -> ConceptSets:
    return concept_sets(pa.array([sorted(members) for members in sets], pa.list_(pa.string())))


def pairs_of(sets: Sets) -> set[frozenset[str]]:
    return {frozenset(pair) for concepts in sets for pair in combinations(sorted(concepts), 2)}


def kept(train: Sets, verdict: Verdict) -> Sets:
    assert sum(verdict.dropped.values()) == len(train) - int(verdict.keep.sum())
    named = Counter(reason for reason in verdict.reasons.tolist() if reason >= 0)
    assert [named[place] for place in range(len(verdict.dropped))] == list(verdict.dropped.values())
    assert (verdict.keep == (verdict.reasons < 0)).all()
    return [concepts for concepts, keep in zip(train, verdict.keep.tolist()) if keep]


@settings(deadline=None, max_examples=300)
@given(train=st.lists(SETS, max_size=4), dev=SETS, test=SETS, share=st.sampled_from([0, 0.25, 0.5, 0.9, 0.9631, 1]))
@pytest.mark.slow
def test_final(train: list[Sets], dev: Sets, test: Sets, share: float) -> None:
    sets = sorted({concepts for part in train for concepts in part}, key=sorted)
    verdict = Final(share).judge(hashed(sets), Held(hashed(dev), hashed(test)))
    stays, test_pairs, dev_pairs = kept(sets, verdict), pairs_of(test), pairs_of(dev)
    assert not pairs_of(stays) & test_pairs
    unseen = dev_pairs - pairs_of(stays)
    assert len(unseen) >= ceil(share * len(dev_pairs) - 1e-6)
    without_test = [concepts for concepts in sets if not pairs_of([concepts]) & test_pairs]
    assert verdict.dropped["shares_test_pair"] == len(sets) - len(without_test)
    holders = Counter(pair for concepts in without_test for pair in pairs_of([concepts]))
    lost = [concepts for concepts in without_test if concepts not in stays]
    # What is dropped for dev is dropped for a forbidden pair, and no allowed pair has fewer holders than that.
    forbidden = len(dev_pairs) - (len(dev_pairs) - ceil(share * len(dev_pairs) - 1e-6))
    dearest = sorted(holders[pair] for pair in dev_pairs)[:forbidden][-1:]
    for concepts in lost:
        assert any(holders[pair] <= dearest[0] for pair in pairs_of([concepts]) & dev_pairs)
    for concepts in stays:
        assert all(holders[pair] >= dearest[0] for pair in pairs_of([concepts]) & dev_pairs if dearest)


@settings(deadline=None, max_examples=300)
@given(train=SETS, dev=SETS, test=SETS, most=st.integers(0, 4))
@pytest.mark.slow
def test_preprint(train: Sets, dev: Sets, test: Sets, most: int) -> None:
    verdict = Preprint(most).judge(hashed(train), Held(hashed(dev), hashed(test)))
    near_test = [c for c in train if any(len(c & other) > most for other in test)]
    near = [c for c in train if any(len(c & other) > most for other in dev + test)]
    assert kept(train, verdict) == [c for c in train if c not in near]
    assert verdict.dropped == {
        "shares_test_concepts": len(near_test),
        "shares_dev_concepts": len(near) - len(near_test),
    }


@settings(deadline=None)
@given(train=SETS, dev=SETS)
def test_no_control_keeps_all_and_the_share_of_nothing_costs_nothing(train: Sets, dev: Sets) -> None:
    held = Held(hashed(dev), hashed([]))
    assert kept(train, NoControl().judge(hashed(train), held)) == train
    assert kept(train, Final(0).judge(hashed(train), held)) == train


@settings(deadline=None)
@given(train=SETS, dev=SETS, test=SETS, order=st.permutations(range(12)))
@pytest.mark.slow
def test_the_order_of_the_sets_does_not_matter(train: Sets, dev: Sets, test: Sets, order: list[int]) -> None:
    train = sorted(set(train), key=sorted)
    shuffled = [train[place] for place in order if place < len(train)]
    for policy in (Final(0.6), Preprint()):
        one = policy.judge(hashed(train), Held(hashed(dev), hashed(test)))
        other = policy.judge(hashed(shuffled), Held(hashed(dev[::-1]), hashed(test[::-1])))
        assert set(kept(train, one)) == set(kept(shuffled, other)) and one.dropped == other.dropped


def test_a_share_of_whole_numbers_is_met_exactly() -> None:
    pairs, counts = np.arange(100, dtype=np.uint64), np.arange(100)
    for unseen in range(101):
        assert len(Final(unseen / 100).forbidden(pairs, counts)) == unseen


def test_policies_are_found_by_name_and_refuse_impossible_options() -> None:
    assert list(TRAIN_POLICIES) == ["final", "none", "preprint"]
    with pytest.raises(ConfigError, match=r"overlap\.unseen_dev_pairs"):
        Final(1.5)
    with pytest.raises(ConfigError, match=r"overlap\.max_shared"):
        Preprint(-1)

"""Gate `leak`: what the splits share according to the published files themselves, not to stage split.

Train, validation and test share no concept set and no sentence, and the promises of the split policy hold.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from conceptloom.arrays.columns import one_array
from conceptloom.arrays.concept_sets import ConceptSets, concept_sets, found_in, set_hashes, subsets
from conceptloom.arrays.runs import distinct
from conceptloom.arrays.types import Bool, Int64, UInt64
from conceptloom.gates.base import Build, Case, Verdict, at_most, percent
from conceptloom.splits.overlap import shared_with
from conceptloom.splits.policies import Policy, Random
from conceptloom.splits.train_sets import Final, Held, Preprint, TrainPolicy

NAME = "leak"
COLUMNS = ["id", "concepts", "target", "references"]


def judge(case: Case, limit: bool) -> list[Verdict]:
    """Returns the verdicts on a build that its recipe asks for. Memory: validation, test, and one file of train."""
    return case.leaks(case.build)


def shared_rows(build: Build) -> list[Verdict]:
    """Returns one verdict: whether no row of validation or test is in another split, by its id."""
    seen, shared = pa.array([], pa.string()), _Count("stand in two splits")
    for split in ("test", "validation", "train"):
        for table in build.tables(split, ["id"]):
            shared.add(table, np.array(pc.is_in(table["id"], seen)))
            seen = seen if split == "train" else pa.concat_arrays([seen, one_array(table["id"])])
    return [_verdict("rows", "0 shared", shared)]


def sentence_leaks(build: Build, policy: Policy) -> list[Verdict]:
    """Returns the verdicts on a build of sentences (schema DATA), split by a policy of conceptloom.splits."""
    validation, test = _held_out(build)
    return leaks(build.tables("train", COLUMNS), validation, test, policy)


def set_leaks(build: Build, policy: TrainPolicy) -> list[Verdict]:
    """Returns the verdicts on a build of concept sets with sentences, where `policy` removed sets from train."""
    validation, test = _held_out(build)
    held = Held(*(concept_sets(table["concepts"]) for table in (validation, test)))
    train = (concept_sets(table["concepts"]) for table in build.tables("train", ["concepts"]))
    found = leaks(build.tables("train", COLUMNS), validation, test, Random())
    return found + promises(policy, train, held)


def _held_out(build: Build) -> list[pa.Table]:
    return [pa.concat_tables([_EMPTY, *build.tables(split, COLUMNS)]) for split in ("validation", "test")]


def promises(policy: TrainPolicy, train: Iterable[ConceptSets], held: Held) -> list[Verdict]:
    """Returns the verdicts on the promises of a policy of conceptloom.splits.train_sets; `train` is file by file."""
    if isinstance(policy, Preprint):
        both = ConceptSets(np.concatenate((held.dev.values, held.test.values)), _joined(held))
        near = sum(int((shared_with(sets, both, policy.max_shared) >= 0).sum()) for sets in train)
        limit, measured = f"at most {policy.max_shared} shared concepts", f"{near:,} rows share too many concepts"
        return [Verdict(NAME, policy.name, limit, measured, not near)]
    if not isinstance(policy, Final):
        return []
    pairs = [distinct(subsets(sets, 2).keys) for sets in (held.test, held.dev)]
    seen = [np.zeros(len(keys), dtype=np.bool_) for keys in pairs]
    for sets in train:
        own = distinct(subsets(sets, 2).keys)
        seen = [mask | found_in(own, keys) for mask, keys in zip(seen, pairs)]
    of_test, of_dev = (int(mask.sum()) for mask in seen)
    unseen, dev = len(pairs[1]) - of_dev, len(pairs[1])
    share = policy.unseen_dev_pairs
    return [
        Verdict(NAME, "pairs of test", "0 in train", f"{of_test:,} in train", not of_test),
        Verdict(
            NAME,
            "pairs of validation",
            f"{100 * share:g} % unseen",
            f"{percent(unseen, dev)} ({unseen:,} of {dev:,})",
            at_most(of_dev, dev, round(1 - share, 9)),
        ),
    ]


def _joined(held: Held) -> Int64:
    return np.concatenate((held.dev.offsets, held.dev.offsets[-1] + held.test.offsets[1:]))


def leaks(train: Iterable[pa.Table], validation: pa.Table, test: pa.Table, policy: Policy) -> list[Verdict]:
    """Returns the verdicts on the rows of the splits (columns COLUMNS): sets, sentences, the policy's promises."""
    sets, sentences, near = _Count("share a set"), _Count("share a sentence"), _Count("share too many concepts")
    tests, held_out = _HeldOut.of(test), _HeldOut.of(pa.concat_tables([validation, test]))
    sets.add(validation, _same_set(validation, tests))
    sentences.add(validation, _same_sentence(validation, tests))
    seen = np.zeros(len(held_out.pairs), dtype=np.bool_)
    for table in train:
        sets.add(table, _same_set(table, held_out))
        sentences.add(table, _same_sentence(table, held_out))
        if policy.max_shared is not None:
            own = concept_sets(table["concepts"])
            near.add(table, shared_with(own, held_out.sets, policy.max_shared) >= 0)
        if policy.min_pairs:
            seen |= _seen_pairs(table, held_out)
    found = [_verdict("concept sets", "0 shared", sets), _verdict("sentences", "0 shared", sentences)]
    return found + _promises(policy, held_out, seen, near)


_EMPTY = pa.table(
    {
        "id": pa.array([], pa.string()),
        "concepts": pa.array([], pa.list_(pa.string())),
        "target": pa.array([], pa.string()),
        "references": pa.array([], pa.list_(pa.string())),
    }
)


@dataclass
class _Count:
    """Counts the rows with one kind of leak, and keeps the id of the first."""

    what: str
    rows: int = 0
    first: str = ""

    def add(self, table: pa.Table, wrong: Bool) -> None:
        if wrong.any():
            self.first = self.first or table["id"][int(np.argmax(wrong))].as_py()
            self.rows += int(wrong.sum())


@dataclass(frozen=True)
class _HeldOut:
    """Held-out rows in the forms that other rows are compared with."""

    ids: pa.Array
    texts: pa.Array
    sets: ConceptSets
    hashes: UInt64
    pairs: UInt64
    """The distinct pairs of concepts, sorted."""
    pair_rows: Int64
    """For each pair of each set, the row that it is in; `pair_places` has its index in `pairs`."""
    pair_places: Int64
    vocabulary: UInt64 = field(repr=False)

    @classmethod
    def of(cls, table: pa.Table) -> "_HeldOut":
        sets = concept_sets(table["concepts"])
        rows, keys = subsets(sets, 2)
        pairs, places = np.unique(keys, return_inverse=True)
        hashes, vocabulary = distinct(set_hashes(sets)), distinct(sets.values)
        return cls(one_array(table["id"]), _texts(table)[1], sets, hashes, pairs, rows, places, vocabulary)


def _texts(table: pa.Table) -> tuple[Int64, pa.Array]:
    """Returns the row and the text of every sentence: the targets, then the references."""
    references = one_array(table["references"])
    rows = np.concatenate((np.arange(len(table)), pc.list_parent_indices(references).to_numpy()))
    texts = pa.concat_arrays([one_array(table["target"]), pc.list_flatten(references)])
    # A set has an empty target until its references are written.
    written = pc.not_equal(texts, "")
    return rows[written.to_numpy(zero_copy_only=False)], texts.filter(written)


def _same_set(table: pa.Table, held_out: _HeldOut) -> Bool:
    return found_in(held_out.hashes, set_hashes(concept_sets(table["concepts"])))


def _same_sentence(table: pa.Table, held_out: _HeldOut) -> Bool:
    wrong: Bool = np.array(pc.is_in(table["id"], held_out.ids))
    rows, texts = _texts(table)
    wrong[rows[pc.is_in(texts, held_out.texts).to_numpy(zero_copy_only=False)]] = True
    return wrong


def _seen_pairs(table: pa.Table, held_out: _HeldOut) -> Bool:
    """Returns a mask of the held-out pairs that any set of the table holds."""
    sets = concept_sets(table["concepts"])
    known = sets.keep(found_in(held_out.vocabulary, sets.values))
    return found_in(distinct(subsets(known, 2).keys), held_out.pairs)


def _promises(policy: Policy, held_out: _HeldOut, seen: Bool, near: _Count) -> list[Verdict]:
    found = []
    if policy.min_pairs:
        unseen = np.bincount(held_out.pair_rows[~seen[held_out.pair_places]], minlength=len(held_out.ids))
        few = _Count(f"have fewer than {policy.min_pairs} pairs that train never shows")
        few.add(pa.table({"id": held_out.ids}), unseen < policy.min_pairs)
        found.append(_verdict(policy.name, f"at least {policy.min_pairs} unseen pairs", few))
    if policy.max_shared is not None:
        found.append(_verdict(policy.name, f"at most {policy.max_shared} shared concepts", near))
    return found


def _verdict(of: str, limit: str, count: _Count) -> Verdict:
    note = f"first: id {count.first}" if count.rows else ""
    return Verdict(NAME, of, limit, f"{count.rows:,} rows {count.what}", not count.rows, note)

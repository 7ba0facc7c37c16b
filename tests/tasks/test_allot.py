"""The references of dev and test: against a plain program, and what must hold of any allotment."""

from collections import Counter, defaultdict

import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from conceptloom.tables import read_ipc, to_ipc
from conceptloom.tasks.commongen.split.allot import Allot
from conceptloom.tasks.commongen.split.references import HELD, REFERENCES

FOUND = st.sets(st.tuples(st.integers(0, 7), st.integers(0, 9)), max_size=40)
"""(set, caption); the sets 0 to 3 are test's, the others dev's."""


def split_of(number: int) -> str:
    return "test" if number < 4 else "validation"


def blocks(found: set[tuple[int, int]]) -> list[bytes]:
    rows = [
        {"set": number, "id": f"{caption:020x}", "text": str(caption), "source": "s", "locator": "l"}
        for number, caption in sorted(found, key=lambda row: row[::-1])
    ]
    table = pa.Table.from_pylist([{**row, "split": split_of(row["set"])} for row in rows], schema=HELD)
    return [to_ipc(table.slice(0, len(rows) // 2)), to_ipc(table.slice(len(rows) // 2))]


@settings(deadline=None)
@given(found=FOUND, most=st.integers(0, 4))
def test_no_caption_serves_both_splits_and_each_set_has_what_is_left_for_it(
    found: set[tuple[int, int]], most: int
) -> None:
    table = read_ipc(Allot(most)(blocks(found)))
    assert table.schema == REFERENCES
    rows = [(row["set"], int(row["id"], 16)) for row in table.to_pylist()]
    assert rows == sorted(rows) and set(rows) <= found
    splits = defaultdict[int, set[str]](set)
    for number, caption in rows:
        splits[caption].add(split_of(number))
    assert all(len(each) == 1 for each in splits.values())
    counts = Counter(number for number, _ in rows)
    for number in range(8):
        left = [c for own, c in found if own == number and splits.get(c, {split_of(number)}) == {split_of(number)}]
        assert counts[number] == min(most, len(left))


def test_the_set_with_the_fewest_captions_comes_first() -> None:
    found = {(0, 1), (0, 2), (0, 3), (5, 1)}
    table = read_ipc(Allot(5)(blocks(found))).to_pylist()
    assert [(row["set"], row["text"]) for row in table] == [(0, "2"), (0, "3"), (5, "1")]

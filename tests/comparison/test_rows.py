"""Differences of rows against plain dictionaries."""

from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conceptloom.comparison import DIFFERENCES, KINDS, Tally, compare_rows
from conceptloom.comparison.rows import UNREAD, differing
from conceptloom.hashing import text_id
from conceptloom.schemas import DATA

Rows = dict[str, dict[str, Any]]

SPLITS = ("train", "validation", "test")
COLUMNS = ("concepts", "target", "references", "source", "locator")
ROW = DATA.append(pa.field("split", pa.string()))
LEFT_OUT = pa.schema([(name, pa.string()) for name in ("id", "stage", "reason", "detail")])
WORDS = st.lists(st.sampled_from(["개", "말", "개,말", ""]), max_size=3)
TEXT = st.sampled_from(["", "가", "나"])

CONTENT = st.fixed_dictionaries(
    {
        "concepts": WORDS,
        "target": TEXT,
        "references": WORDS,
        "source": TEXT,
        "locator": TEXT,
        "split": st.sampled_from(SPLITS),
    }
)
IDS = st.integers(0, 30).map(lambda number: text_id(str(number)))
BUILD = st.dictionaries(IDS, CONTENT, max_size=20)
WHY = st.fixed_dictionaries({name: st.sampled_from(["a", "b"]) for name in ("stage", "reason", "detail")})
REJECTED = st.dictionaries(IDS, WHY, max_size=20)


def table(rows: Rows, schema: pa.Schema) -> pa.Table:
    return pa.Table.from_pylist([{"id": id_, **row} for id_, row in rows.items()], schema=schema)


def difference(id_: str, kind: str, **values: str) -> dict[str, str]:
    return {**dict.fromkeys(DIFFERENCES.names, ""), "id": id_, "kind": kind, **values}


def oracle(old: Rows, new: Rows, old_rejected: Rows, new_rejected: Rows) -> list[dict[str, str]]:
    found = []
    for id_ in old.keys() | new.keys():
        if id_ not in new:
            why = new_rejected.get(id_, {"reason": UNREAD})
            found.append(difference(id_, "gone", old_split=old[id_]["split"], **why))
        elif id_ not in old:
            why = old_rejected.get(id_, {"reason": UNREAD})
            found.append(difference(id_, "added", new_split=new[id_]["split"], **why))
        else:
            splits = {"old_split": old[id_]["split"], "new_split": new[id_]["split"]}
            columns = [name for name in COLUMNS if old[id_][name] != new[id_][name]]
            if columns:
                found.append(difference(id_, "changed", columns=",".join(columns), **splits))
            if len(set(splits.values())) > 1:
                found.append(difference(id_, "moved", **splits))
    return sorted(found, key=lambda row: (row["id"], row["kind"]))


def compared(old: Rows, new: Rows, old_rejected: Rows, new_rejected: Rows) -> pa.Table:
    rejected = [table(rows, LEFT_OUT) for rows in (old_rejected, new_rejected)]
    return compare_rows(table(old, ROW), table(new, ROW), *rejected, COLUMNS)


@settings(deadline=None, max_examples=200)
@given(BUILD, BUILD, REJECTED, REJECTED, st.data())
@pytest.mark.slow
def test_differences_are_the_oracles(old: Rows, new: Rows, left: Rows, right: Rows, data: st.DataObject) -> None:
    same = data.draw(st.lists(st.sampled_from(sorted(old)), unique=True)) if old else []
    new = {**new, **{id_: old[id_] for id_ in same}}
    found = compared(old, new, left, right)
    assert found.schema == DIFFERENCES
    assert found.to_pylist() == oracle(old, new, left, right)


@settings(deadline=None)
@given(BUILD, BUILD, REJECTED, st.integers(0, 4), st.integers(0, 30))
@pytest.mark.slow
def test_a_tally_of_ranges_is_that_of_all(old: Rows, new: Rows, left: Rows, wanted: int, cut: int) -> None:
    bound = sorted(text_id(str(number)) for number in range(31))[cut]
    tally = Tally(wanted, COLUMNS, "target")
    for within in (lambda id_: id_ < bound, lambda id_: id_ >= bound):
        parts = [{id_: row for id_, row in rows.items() if within(id_)} for rows in (old, new, left)]
        tally.add(compared(*parts, {}), table(parts[0], ROW), table(parts[1], ROW))
    expected = oracle(old, new, left, {})
    found = tally.to_json()
    assert found["kinds"] == {kind: sum(row["kind"] == kind for row in expected) for kind in KINDS}
    assert sum(group["rows"] for group in found["reasons"]) == len(expected)
    changed = [row["columns"].split(",") for row in expected if row["columns"]]
    columns = {name: sum(name in names for names in changed) for name in COLUMNS}
    assert found["columns"] == {name: rows for name, rows in columns.items() if rows}
    for kind in KINDS:
        first = [row for row in expected if row["kind"] == kind][:wanted]
        assert [one["id"] for one in found["examples"][kind]] == [row["id"] for row in first]
        for one in found["examples"][kind]:
            id_ = one["id"]
            assert one["target"] == (new.get(id_) or old[id_])["target"]
            assert all(one["columns"][name] == [old[id_][name], new[id_][name]] for name in one["columns"])
            assert bool(one["columns"]) == (kind == "changed")


LISTS = st.lists(st.none() | st.lists(st.none() | TEXT, max_size=3), max_size=12)


@settings(deadline=None)
@given(LISTS, LISTS)
def test_lists_differ_where_they_are_not_equal(one: list[Any], other: list[Any]) -> None:
    rows = min(len(one), len(other))
    columns = [pa.array(values[:rows], pa.list_(pa.string())) for values in (one, other)]
    assert differing(*columns).tolist() == [a != b for a, b in zip(one, other)]

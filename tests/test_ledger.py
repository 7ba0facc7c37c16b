"""Ledgers: counts of parts add up to those of the whole, and what is not accounted for is an error."""

from collections import Counter

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conceptloom.errors import BuildError
from conceptloom.ledger import Ledger, SourceCounts, count_read, count_written, reject
from conceptloom.schemas import REJECTED

SOURCE = st.sampled_from(["captions", "dialogues", "책"])
ROWS = st.lists(st.tuples(SOURCE, st.sampled_from(["", "digits", "duplicate"])), max_size=30)


def sentences(rows: list[tuple[str, str]]) -> pa.Table:
    columns = {
        "locator": [f"f#{number}" for number in range(len(rows))],
        "source": [source for source, _ in rows],
        "text": [f"문장 {number}." for number in range(len(rows))],
        "id": [f"{number:020x}" for number in range(len(rows))],
    }
    return pa.table({name: pa.array(values, pa.string()) for name, values in columns.items()})


def ledger_of(rows: list[tuple[str, str]]) -> Ledger:
    kept = sentences([row for row in rows if not row[1]])
    dropped = [row for row in rows if row[1]]
    rejected = reject(sentences(dropped), "ingest", pa.array([reason for _, reason in dropped], pa.string()), "")
    ledger = count_read(sentences(rows)["source"])
    ledger.add(count_written(kept, rejected))
    return ledger


@settings(deadline=None)
@given(ROWS)
def test_counts_are_those_of_a_plain_program(rows: list[tuple[str, str]]) -> None:
    ledger = ledger_of(rows)
    ledger.check("ingest")
    assert set(ledger.sources) == {source for source, _ in rows}
    for source, counts in ledger.sources.items():
        assert counts.read == sum(1 for row in rows if row[0] == source)
        assert counts.kept == rows.count((source, ""))
        assert counts.rejected == Counter(reason for name, reason in rows if name == source and reason)


@settings(deadline=None)
@given(st.lists(ROWS, max_size=4))
def test_parts_add_up_to_the_whole(parts: list[list[tuple[str, str]]]) -> None:
    total = Ledger()
    for part in parts:
        total.add(ledger_of(part))
    assert total.to_json() == ledger_of([row for part in parts for row in part]).to_json()


@settings(deadline=None)
@given(ROWS)
def test_json_gives_the_ledger_back(rows: list[tuple[str, str]]) -> None:
    ledger = ledger_of(rows)
    assert Ledger.from_json(ledger.to_json()) == ledger


def test_adding_leaves_the_other_ledger_alone() -> None:
    total, part = Ledger(), Ledger({"captions": SourceCounts(2, 1, Counter(digits=1))})
    total.add(part)
    total.add(part)
    assert part.to_json() == {"captions": {"read": 2, "kept": 1, "rejected": {"digits": 1}}}
    assert total.to_json() == {"captions": {"read": 4, "kept": 2, "rejected": {"digits": 2}}}


def test_json_is_in_the_order_of_the_names() -> None:
    ledger = Ledger({"z": SourceCounts(), "a": SourceCounts(2, 0, Counter(pronoun=1, digits=1))})
    assert list(ledger.to_json()) == ["a", "z"]
    assert list(ledger.to_json()["a"]["rejected"]) == ["digits", "pronoun"]


@pytest.mark.parametrize(("read", "kept", "rejected"), [(3, 1, 1), (1, 1, 1), (0, 0, 1)])
def test_what_is_not_accounted_for_is_an_error(read: int, kept: int, rejected: int) -> None:
    ledger = Ledger({"good": SourceCounts(1, 1), "bad": SourceCounts(read, kept, Counter(digits=rejected))})
    with pytest.raises(BuildError, match=f"stage ingest, source bad: {read} sentences"):
        ledger.check("ingest")


def test_reject_takes_one_value_or_a_column() -> None:
    rejected = reject(sentences([("captions", ""), ("dialogues", "")]), "select", "why", pa.array(["a", "b"]))
    assert rejected.schema == REJECTED
    assert rejected.select(["source", "stage", "reason", "detail"]).to_pylist() == [
        {"source": "captions", "stage": "select", "reason": "why", "detail": "a"},
        {"source": "dialogues", "stage": "select", "reason": "why", "detail": "b"},
    ]
    assert len(reject(sentences([]), "select", "why", "")) == 0

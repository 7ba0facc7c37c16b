"""Arrow tables as bytes: nothing is lost or moved, a slice travels as a slice, equal rows are equal bytes."""

from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from hypothesis import given, settings
from hypothesis import strategies as st

from conceptloom.hashing import text_id
from conceptloom.schemas import SENTENCES
from conceptloom.tables import by_bucket, from_ipc, parquet_bytes, read_table, to_ipc, write_file, write_table

TEXT = st.text("가나 다.a", max_size=6)
ROW = st.tuples(TEXT, st.sampled_from(["captions", "dialogues"]), st.lists(TEXT, max_size=4))
ROWS = st.lists(ROW, max_size=25)


def table_of(rows: list[tuple[str, str, list[str]]]) -> pa.Table:
    records = [
        {"id": text_id(str(number)), "text": text, "source": source, "locator": f"f#{number}", "copies": number}
        | {"concepts": concepts, "morphemes": [f"{concept}/NNG" for concept in concepts]}
        for number, (text, source, concepts) in enumerate(rows)
    ]
    return pa.Table.from_pylist(records, schema=SENTENCES)


def many(rows: int) -> pa.Table:
    return table_of([(f"문장 {row}이다.", "captions", [f"개념{row}", "공통"]) for row in range(rows)])


def chunked(table: pa.Table, size: int) -> pa.Table:
    return pa.concat_tables([table.slice(start, size) for start in range(0, len(table), size)] or [table])


@settings(deadline=None)
@given(ROWS, st.integers(0, 25), st.integers(0, 25), st.integers(1, 9))
def test_slices_and_chunks_come_back(rows: list[Any], start: int, length: int, size: int) -> None:
    table = chunked(table_of(rows), size).slice(start, length)
    back = from_ipc([to_ipc(table)], SENTENCES)
    assert back.schema == SENTENCES
    assert back.to_pylist() == table.to_pylist()


def test_blocks_come_in_their_order() -> None:
    table = many(10)
    blocks = [to_ipc(table.slice(7)), to_ipc(table.slice(3, 0)), to_ipc(table.slice(0, 7))]
    assert from_ipc(blocks, SENTENCES)["copies"].to_pylist() == [7, 8, 9, *range(7)]
    assert from_ipc([], SENTENCES).equals(SENTENCES.empty_table())


def test_nulls_come_back() -> None:
    schema = pa.schema([("reason", pa.string()), ("item", pa.int32())])
    table = pa.Table.from_pylist([{"reason": None, "item": 1}, {"reason": "x", "item": None}], schema=schema)
    assert from_ipc([to_ipc(table.slice(1)), to_ipc(table.slice(0, 1))], schema).to_pylist() == table.to_pylist()[::-1]


def test_only_the_rows_of_a_slice_travel() -> None:
    table = many(20_000)
    for start in (0, 10_000, 19_998):
        assert 100 * len(to_ipc(table.slice(start, 2))) < len(to_ipc(table))


@settings(deadline=None)
@given(ROWS, st.data())
def test_buckets_keep_rows_and_order(rows: list[Any], data: st.DataObject) -> None:
    table = chunked(table_of(rows), 4)
    numbers = data.draw(st.lists(st.integers(0, 5), min_size=len(rows), max_size=len(rows)))
    blocks = list(by_bucket(table, np.array(numbers, dtype=np.int32)))
    assert [bucket for bucket, _ in blocks] == sorted(set(numbers))
    for bucket, block in blocks:
        expected = [row for row, number in zip(table.to_pylist(), numbers, strict=True) if number == bucket]
        assert from_ipc([block], SENTENCES).to_pylist() == expected


def test_a_bucket_of_one_row_is_small() -> None:
    numbers = np.zeros(5_000, dtype=np.int32)
    numbers[2_500] = 1
    blocks = dict(by_bucket(many(5_000), numbers))
    assert 50 * len(blocks[1]) < len(blocks[0])


@settings(deadline=None, max_examples=30)
@given(ROWS, st.integers(1, 9))
def test_equal_rows_are_equal_bytes(rows: list[Any], size: int) -> None:
    table = table_of(rows)
    within = pa.concat_tables([many(3), table, many(2)])
    built = (
        chunked(table, size),
        within.slice(3, len(table)),
        within.combine_chunks().slice(3, len(table)),
        from_ipc([to_ipc(table.slice(0, size)), to_ipc(table.slice(size))], SENTENCES),
        table.take(pa.array(range(len(table)), pa.int64())),
    )
    assert {parquet_bytes(one) for one in built} == {parquet_bytes(table)}


def test_other_rows_are_other_bytes() -> None:
    assert parquet_bytes(many(3)) != parquet_bytes(many(3).take([1, 0, 2]))


def test_row_groups_have_one_size() -> None:
    number = pa.table({"copies": pa.array(range(150_000), pa.int32())})
    data = parquet_bytes(chunked(number, 40_000))
    metadata = pq.ParquetFile(pa.BufferReader(data)).metadata
    assert [metadata.row_group(group).num_rows for group in range(3)] == [65_536, 65_536, 18_928]
    assert data == parquet_bytes(number)


def test_a_written_table_is_read_back(tmp_path: Path) -> None:
    path = str(tmp_path / "sentences-00000.parquet")
    entry = write_table(path, many(7))
    data = Path(path).read_bytes()
    assert entry == {"path": path, "rows": 7, "bytes": len(data), "blake2b": blake2b(data, digest_size=16).hexdigest()}
    assert read_table(path).equals(many(7))
    assert read_table(path, ["concepts"]).schema.names == ["concepts"]
    assert [name.name for name in tmp_path.iterdir()] == ["sentences-00000.parquet"]


@settings(deadline=None, max_examples=30)
@given(st.lists(st.sampled_from(["가", "", "abc"]), max_size=9))
def test_dictionaries_are_read_back_as_their_values(values: list[str]) -> None:
    # A number stands beside them, because the file's own schema may say only of strings what they are.
    table = pa.table({"source": pa.array(values, pa.string()), "number": pa.array(range(len(values)), pa.int32())})
    encoded = table.set_column(0, "source", table["source"].combine_chunks().dictionary_encode())
    back = pq.read_table(pa.BufferReader(parquet_bytes(encoded)))
    assert back.schema == table.schema
    assert back.equals(table)


def test_an_empty_table_keeps_its_schema(tmp_path: Path) -> None:
    write_table(str(tmp_path / "a"), SENTENCES.empty_table())
    assert read_table(str(tmp_path / "a")).schema == SENTENCES


def test_a_file_replaces_the_one_before(tmp_path: Path) -> None:
    for data in (b"longer", b"short"):
        write_file(str(tmp_path / "a"), data, 1)
    assert (tmp_path / "a").read_bytes() == b"short"

"""Files read range by range: every row once, in its range."""

import random
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import conceptloom.comparison.sorted_files as sorted_files
from conceptloom.comparison import SortedFiles, id_bounds
from conceptloom.errors import InputError
from conceptloom.hashing import text_id
from conceptloom.tables import write_table

SCHEMA = pa.schema([("id", pa.string()), ("reason", pa.string())])
IDS = st.integers(0, 10**6).map(lambda number: text_id(str(number)))


def written(path: Path, rows: list[tuple[str, str]]) -> str:
    table = pa.table([[id_ for id_, _ in rows], [reason for _, reason in rows]], schema=SCHEMA)
    write_table(str(path), table)
    return str(path)


@pytest.mark.slow
@settings(deadline=None, max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(IDS, unique=True, max_size=60), st.integers(1, 3), st.integers(1, 70), st.integers())
def test_every_row_comes_once_in_its_range(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ids: list[str], runs: int, at_once: int, chance: int
) -> None:
    """Files as a curriculum has them: the ids go up, and begin anew with each source. Batches of three rows."""
    monkeypatch.setattr(sorted_files, "_BATCH", 3)
    draw = random.Random(chance)
    paths = []
    for run in range(runs):
        rows = [(id_, draw.choice("ab")) for id_ in sorted(ids[run::runs])]
        cuts = sorted(draw.choices(range(len(rows) + 1), k=2))
        for number, (start, end) in enumerate(zip([0, *cuts], [*cuts, len(rows)])):
            unread = [("", "malformed")] * draw.randint(0, 4)
            copies = [(id_, "duplicate") for id_, _ in rows[start:end] if draw.random() < 0.5]
            part = sorted([*unread, *copies, *rows[start:end]])
            paths.append(written(tmp_path / f"{run}-{number}.parquet", part))
    files = SortedFiles(paths, SCHEMA, ("reason", "duplicate"))
    plain = SortedFiles(paths, SCHEMA.remove(1), ("reason", "duplicate"))
    last, found = "", list[str]()
    for bound in id_bounds(len(ids), at_once):
        part = files.below(bound)
        assert part.schema == SCHEMA and set(part["reason"].to_pylist()) <= {"a", "b"}
        assert plain.below(bound)["id"].equals(part["id"])
        assert all(last <= id_ < bound for id_ in part["id"].to_pylist())
        found += part["id"].to_pylist()
        last = bound
    assert sorted(found) == sorted(ids)


def test_runs_whose_ids_lie_within_each_other(tmp_path: Path) -> None:
    """As the files of two sources do in a curriculum: the second begins above where the first began."""
    ids = sorted(text_id(str(number)) for number in range(5))
    paths = [
        written(tmp_path / f"{at}.parquet", [(ids[n], "a") for n in part]) for at, part in enumerate([(0, 3), (1, 2)])
    ]
    assert SortedFiles(paths, SCHEMA).below("g")["id"].to_pylist() == [ids[0], ids[3], ids[1], ids[2]]


def test_ranges_are_even_and_reach_the_end() -> None:
    ids = [text_id(str(number)) for number in range(3000)]
    bounds = list(id_bounds(3000, 400))
    sizes = [sum(low <= id_ < high for id_ in ids) for low, high in zip(["", *bounds], bounds)]
    assert sum(sizes) == 3000 and len(sizes) == 8 and max(sizes) < 480
    assert list(id_bounds(0, 10)) == ["g"]


def test_a_file_out_of_order_is_an_error(tmp_path: Path) -> None:
    ids = sorted(text_id(str(number)) for number in range(4))
    path = written(tmp_path / "one.parquet", [(id_, "a") for id_ in (ids[0], ids[2], ids[1])])
    with pytest.raises(InputError, match=r"one\.parquet: the rows are not sorted by id"):
        SortedFiles([path], SCHEMA).below("g")


def test_what_is_no_such_file_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "text.parquet").write_text("no", encoding="utf-8")
    other = tmp_path / "other.parquet"
    write_table(str(other), pa.table({"id": [text_id("a")], "x": [1]}))
    with pytest.raises(InputError, match=r"text\.parquet is not a whole Parquet file with columns id"):
        SortedFiles([str(tmp_path / "text.parquet")], SCHEMA)
    with pytest.raises(InputError, match=r"other\.parquet is not a whole Parquet file with columns id, reason"):
        SortedFiles([str(other)], SCHEMA).below("g")


def test_a_file_that_begins_within_another_begins_a_run(tmp_path: Path) -> None:
    """Two sources of one file each: the second begins behind the first id of the first, but not behind its last."""
    ids = sorted(text_id(str(number)) for number in range(6))
    paths = [written(tmp_path / f"{at}.parquet", [(id_, "a") for id_ in ids[at::2]]) for at in (0, 1)]
    assert SortedFiles(paths, SCHEMA).below(ids[3])["id"].to_pylist() == [ids[0], ids[2], ids[1]]

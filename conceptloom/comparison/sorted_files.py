"""Parquet files that are sorted by id, read range by range, each file once.

A data set's files are runs of shards, and shards are ranges of ids: from file to file, the ids of a split ascend (where
train is ordered by source, once for each source). So a reader needs one open file for each such run.
"""

from collections.abc import Iterable, Iterator
from contextlib import closing

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from conceptloom import storage
from conceptloom.errors import InputError

_BATCH = 16 * 1024
_DIGITS = 8
_END = "g"
"""Greater than every id, because ids are hexadecimal."""


def id_bounds(rows: int, at_once: int) -> Iterator[str]:
    """Yields the upper bounds of ranges of ids with about `at_once` of `rows` each; ids are hashes, spread evenly.

    >>> list(id_bounds(40, 10))
    ['40000000', '80000000', 'c0000000', 'g']
    """
    ranges = max(1, -(-rows // at_once))
    for number in range(1, ranges):
        yield f"{number * 16**_DIGITS // ranges:0{_DIGITS}x}"
    yield _END


class SortedFiles:
    """Parquet files, each sorted by `id`. Rows without an id are skipped, and rows with `without` = (column, value).

    Memory: the rows of the current range, and a batch for each run of files.
    """

    def __init__(self, paths: Iterable[str], schema: pa.Schema, without: tuple[str, str] | None = None) -> None:
        self._schema = schema
        self._without = without
        self._runs = [_Run(self._batches(paths)) for paths in self._in_runs(paths)]

    def below(self, bound: str) -> pa.Table:
        """Returns the rows with ids below `bound` that no earlier call returned."""
        parts = [part for run in self._runs for part in run.below(bound)]
        return pa.Table.from_batches(parts, self._schema).combine_chunks()

    def _in_runs(self, paths: Iterable[str]) -> list[list[str]]:
        """The files, in their order; a new run begins where a file does not continue the one before it."""
        runs: list[list[str]] = []
        before = _END
        for path in paths:
            first, last = self._ends(path)
            if not last:
                continue
            if first <= before:
                runs.append([])
            runs[-1].append(path)
            before = last
        return runs

    def _ends(self, path: str) -> tuple[str, str]:
        """The first and the last id of a file; empty strings if it has none."""
        first = next((batch["id"][0].as_py() for batch in self._read(path, ["id"]) if len(batch)), "")
        if not first:
            return "", ""
        with closing(storage.open_read(path)) as stream:
            file = pq.ParquetFile(stream)
            return first, file.read_row_group(file.num_row_groups - 1, ["id"], use_threads=False)["id"][-1].as_py()

    def _batches(self, paths: list[str]) -> Iterator[pa.RecordBatch]:
        last = ""
        for path in paths:
            for batch in self._read(path, self._schema.names):
                ids = batch["id"]
                if len(ids) and (ids[0].as_py() < last or pc.any(pc.less(ids[1:], ids[:-1])).as_py()):
                    raise InputError(f"{path}: the rows are not sorted by id: no build wrote this file")
                last = ids[-1].as_py() if len(ids) else last
                yield batch

    def _read(self, path: str, columns: list[str]) -> Iterator[pa.RecordBatch]:
        wanted = list(dict.fromkeys([*columns, *(self._without or ())[:1]]))
        with closing(storage.open_read(path)) as stream:
            try:
                for batch in pq.ParquetFile(stream).iter_batches(_BATCH, columns=wanted, use_threads=False):
                    yield self._kept(batch).select(columns)
            except (pa.ArrowException, KeyError) as error:
                names = ", ".join(columns)
                raise InputError(f"{path} is not a whole Parquet file with columns {names}: {error}") from None

    def _kept(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        mask = pc.not_equal(batch["id"], "")
        if self._without:
            mask = pc.and_(mask, pc.not_equal(batch[self._without[0]], self._without[1]))
        return batch.filter(mask)


class _Run:
    """Batches whose ids ascend, taken range by range."""

    def __init__(self, batches: Iterator[pa.RecordBatch]) -> None:
        self._batches = batches
        self._rest: pa.RecordBatch | None = None

    def below(self, bound: str) -> Iterator[pa.RecordBatch]:
        while True:
            batch = self._rest if self._rest is not None else next(self._batches, None)
            if batch is None:
                return
            within = pc.sum(pc.less(batch["id"], bound), min_count=0).as_py()
            self._rest = batch.slice(within) if within < len(batch) else None
            if within:
                yield batch.slice(0, within)
            if self._rest is not None:
                return

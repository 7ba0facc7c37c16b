"""Stage split of concept sets with frozen dev and test: copies them, and drops the sets that train must not have."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from io import BytesIO
from typing import ClassVar

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from conceptloom.arrays.columns import one_array
from conceptloom.arrays.concept_sets import concept_sets, set_hashes
from conceptloom.hashing import text_id
from conceptloom.json_values import JsonObject
from conceptloom.ledger import Ledger
from conceptloom.tables import to_ipc
from conceptloom.tasks.base import RECEIPTS, Output, receipt
from conceptloom.tasks.commongen.split.gather import SETS_DATA, statistics_of
from conceptloom.tasks.commongen.split.references import REFERENCES
from conceptloom.tasks.frozen import FrozenFile, copy_frozen

BARE = "without_references"
"""A key in the manifest entry of a copied data file: how many of its sets have no caption."""


def frozen_sets(file: FrozenFile, data: bytes) -> pa.Table:
    """Returns the rows of a frozen data file with their split, schema SETS_DATA."""
    rows = pq.read_table(BytesIO(data), use_threads=False)
    return rows.append_column("split", pa.repeat(file.split, len(rows))).cast(SETS_DATA)


def references_of(rows: pa.Table) -> pa.Table:
    """Returns the sentences of some sets (schema SETS_DATA), schema REFERENCES: those that train must not have."""
    lists = one_array(rows["references"])
    parents, texts = pc.list_parent_indices(lists), lists.flatten()
    sets = pa.array(set_hashes(concept_sets(rows["concepts"]))).take(parents)
    ids = pa.array([text_id(text) for text in texts.to_pylist()], pa.string())
    places = (one_array(rows[name]).take(parents) for name in ("source", "locator"))
    return pa.table([sets, ids, texts, *places], schema=REFERENCES)


@dataclass(frozen=True)
class TakeFrozenSets:
    """Copies the frozen files into the stage, so that train is checked against exactly what will be published."""

    files: tuple[FrozenFile, ...]
    source: str
    directory: str
    outputs: ClassVar[tuple[str, ...]] = ("held", "references", "statistics", RECEIPTS)

    def run(self, bucket: int, blocks: Iterable[bytes], side: bytes | None) -> Iterator[Output]:
        """Yields the frozen sets (schema SETS_DATA), their sentences (REFERENCES), counts, and the copies' receipt."""
        parts, copies = [SETS_DATA.empty_table()], list[JsonObject]()
        for file, data, copy in copy_frozen(self.files, self.source, self.directory):
            if file.is_data:
                parts.append(frozen_sets(file, data))
                copy[BARE] = pc.sum(pc.equal(parts[-1]["target"], ""), min_count=0).as_py()
            copies.append(copy)
        rows = pa.concat_tables(parts)
        yield Output("held", 0, to_ipc(rows))
        yield Output("references", 0, to_ipc(references_of(rows)))
        yield from statistics_of(rows)
        yield receipt(bucket, Ledger(), copies)

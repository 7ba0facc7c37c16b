"""Stage split of concept sets: the side input of every shard, what is known before train gets its sentences."""

from functools import lru_cache
from typing import NamedTuple

import pyarrow as pa

from conceptloom.tables import read_streams
from conceptloom.tasks.commongen.split.cap import CUTS
from conceptloom.tasks.commongen.split.judge import JUDGED
from conceptloom.tasks.commongen.split.references import REFERENCES


class Known(NamedTuple):
    """What the blocks of a side input say, of any number of each kind; all of a kind are known, or none."""

    sets: pa.Table
    """The candidates, schema JUDGED."""
    held: pa.Table
    """The references of dev and test, schema REFERENCES."""
    cuts: pa.Table
    """The sets of train with too many sentences, schema CUTS."""


@lru_cache(maxsize=1)
def known(side: bytes) -> Known:
    """Returns what blocks that stand one after the other say; cached, since every shard of a process gets the same."""
    tables = read_streams(side)
    return Known(*(_of_kind(tables, schema) for schema in (JUDGED, REFERENCES, CUTS)))


def _of_kind(tables: list[pa.Table], schema: pa.Schema) -> pa.Table:
    found = [table for table in tables if table.schema == schema]
    return pa.concat_tables([schema.empty_table(), *found]).combine_chunks()

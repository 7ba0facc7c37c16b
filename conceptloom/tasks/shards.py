"""What a later stage reads of a finished one: each file is compared with the hash that its stage's manifest gives."""

from collections.abc import Mapping
from functools import lru_cache

import pyarrow as pa

from conceptloom import storage
from conceptloom.errors import OutputError
from conceptloom.hashing import content_hash
from conceptloom.manifest import read_manifest
from conceptloom.tables import parse_table


def read_shard(path: str, columns: list[str] | None = None) -> pa.Table:
    """Returns the rows of one Parquet file of a stage; only `columns` where they are given.

    Raises OutputError if it is not the file that the stage wrote, InputError if it lacks a column.
    """
    with pa.BufferReader(read_checked(path)) as stream:
        return parse_table(stream, path, columns)


def read_checked(path: str) -> bytes:
    """Returns the content of a file of a stage, which lies in the stage's own directory.

    Raises OutputError if it is not what the stage wrote. A stage that is still running vouches for no file yet.
    """
    directory, _, name = path.rpartition("/")
    data = storage.read_bytes(path)
    if _hashes(directory).get(name) == content_hash(data):
        return data
    # In a process that lives as long as several builds, the stage may have run again.
    _hashes.cache_clear()
    return checked(path, data, _hashes(directory).get(name))


def checked(path: str, data: bytes, expected: str | None) -> bytes:
    """Returns the content of a stage's file; raises OutputError if it has not the expected hash (None: any)."""
    if expected not in (None, content_hash(data)):
        raise OutputError(
            f"{path} is not the file that its stage wrote, its content has changed: delete it, and the same command "
            "makes it again"
        )
    return data


@lru_cache(maxsize=8)
def _hashes(directory: str) -> Mapping[str, str]:
    """Returns the hash of each file of a stage."""
    found = read_manifest(directory)
    return {file["path"]: file["blake2b"] for file in found.files} if found else {}

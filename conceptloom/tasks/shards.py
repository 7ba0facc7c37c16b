"""What a later stage reads of a finished one: each file is compared with the hash that its stage's manifest gives."""

from collections.abc import Mapping
from functools import lru_cache

import pyarrow as pa

from conceptloom import storage
from conceptloom.errors import OutputError
from conceptloom.hashing import content_hash
from conceptloom.manifest import NAME, read_manifest
from conceptloom.storage import FileInfo
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
    data, manifest = storage.read_bytes(path), storage.info(storage.join(directory, NAME))
    hashes = _hashes(directory, manifest) if manifest else {}
    return checked(path, data, hashes.get(name))


def checked(path: str, data: bytes, expected: str | None) -> bytes:
    """Returns the content of a stage's file; raises OutputError if it has not the expected hash (None: any)."""
    if expected not in (None, content_hash(data)):
        raise OutputError(
            f"{path} is not the file that its stage wrote, its content has changed: delete it, and the same command "
            "makes it again"
        )
    return data


@lru_cache(maxsize=4)
def _hashes(directory: str, manifest: FileInfo) -> Mapping[str, str]:
    """Returns the hash of each file of a stage; `manifest` tells one state of its manifest from the next."""
    found = read_manifest(directory)
    return {file["path"]: file["blake2b"] for file in found.files} if found else {}

"""Frozen files of an earlier build: read with a check of their content, and copied into a stage."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from conceptloom import storage
from conceptloom.errors import InputError
from conceptloom.hashing import content_hash
from conceptloom.json_values import JsonObject
from conceptloom.tables import write_file

FOLDER = "frozen"
"""The folder in which stage split keeps its copy of the frozen files, under their names in the data set."""


@dataclass(frozen=True)
class FrozenFile:
    """A file of an earlier build, as in that build's manifest; the path is relative to the build."""

    path: str
    rows: int
    blake2b: str

    @property
    def split(self) -> str:
        """The split in the file, from the file's name."""
        return self.path.rpartition("/")[2].partition("-")[0]

    @property
    def is_data(self) -> bool:
        """Whether it contains rows of schema DATA; otherwise it has the same rows in another format."""
        return self.path.startswith("data/")


def read_frozen(directory: str, file: FrozenFile) -> bytes:
    """Returns the bytes of a frozen file; raises InputError if they do not match the manifest's hash."""
    path = storage.join(directory, file.path)
    data = storage.read_bytes(path)
    if content_hash(data) != file.blake2b:
        raise InputError(f"{path} is not the file that its build wrote: freeze an unchanged build")
    return data


def copy_frozen(
    files: Iterable[FrozenFile], source: str, directory: str
) -> Iterator[tuple[FrozenFile, bytes, JsonObject]]:
    """Copies the frozen files of a build into FOLDER of a stage; yields each with its bytes and its manifest entry.

    Raises InputError as `read_frozen` does.
    """
    for file in files:
        data = read_frozen(source, file)
        yield file, data, write_file(storage.join(directory, FOLDER, file.path), data, file.rows)

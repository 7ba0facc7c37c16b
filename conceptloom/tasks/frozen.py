"""Files of an earlier build that are kept: read with a check of their content, and copied into a stage."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

from conceptloom import storage
from conceptloom.errors import InputError
from conceptloom.tables import write_file

FOLDER = "frozen"
"""Where stage split keeps its copy of the frozen files, under the names that they have in a data set."""


@dataclass(frozen=True)
class FrozenFile:
    """A file of an earlier build, as that build's manifest has it: the path is relative to the build."""

    path: str
    rows: int
    blake2b: str

    @property
    def split(self) -> str:
        """The split that the file holds, by its name."""
        return self.path.rpartition("/")[2].partition("-")[0]

    @property
    def is_data(self) -> bool:
        """Whether it holds rows of schema DATA; else it is the same rows in another format."""
        return self.path.startswith("data/")


def read_frozen(directory: str, file: FrozenFile) -> bytes:
    """The bytes of a frozen file; raises InputError where they are not those that the manifest vouches for."""
    path = storage.join(directory, file.path)
    data = storage.read_bytes(path)
    if blake2b(data, digest_size=16).hexdigest() != file.blake2b:
        raise InputError(f"{path} is not the file that its build wrote: freeze a build that nobody changed")
    return data


def copy_frozen(
    files: Iterable[FrozenFile], source: str, directory: str
) -> Iterator[tuple[FrozenFile, bytes, dict[str, Any]]]:
    """Copies the frozen files of a build into FOLDER of a stage; answers each with its bytes and its manifest entry.

    Raises InputError as `read_frozen`.
    """
    for file in files:
        data = read_frozen(source, file)
        yield file, data, write_file(storage.join(directory, FOLDER, file.path), data, file.rows)

"""Manifests: what makes a stage's output findable, checkable, and never done twice."""

import json
from dataclasses import asdict, dataclass, field
from hashlib import blake2b
from typing import Any

from conceptloom import __version__, storage
from conceptloom.errors import OutputError

NAME = "MANIFEST.json"


@dataclass(frozen=True)
class Manifest:
    """The record of one finished stage, or of a whole build.

    `fingerprint` covers everything that the result depends on; `files` have paths relative to the manifest's directory.
    """

    name: str
    fingerprint: str
    settings: dict[str, Any]
    files: tuple[dict[str, Any], ...]
    ledger: dict[str, Any] = field(default_factory=dict)
    summary: dict[str, Any] = field(default_factory=dict)
    seconds: float = 0.0
    version: str = __version__

    def write(self, directory: str) -> None:
        """Commits the directory: written last, atomically."""
        text = json.dumps(asdict(self), ensure_ascii=False, indent=1)
        storage.write_bytes(storage.join(directory, NAME), text.encode())

    def digest(self) -> str:
        """A hash of the files' hashes: what the next stage's fingerprint is made of."""
        return digest([[file["path"], file["blake2b"]] for file in self.files])


def read_manifest(directory: str) -> Manifest | None:
    """The manifest in a directory, or None where there is none; raises OutputError for one that cannot be read."""
    path = storage.join(directory, NAME)
    found = storage.read_existing(path)
    if found is None:
        return None
    try:
        data = json.loads(found)
        return Manifest(**{**data, "files": tuple(data["files"])})
    except (ValueError, TypeError, KeyError) as error:
        raise OutputError(f"{path} is not a manifest ({error}): remove it, or build with --overwrite") from None


def missing_files(manifest: Manifest, directory: str) -> list[str]:
    """The files of a manifest that are gone or have another size."""
    sizes = {info.path: info.size for info in storage.list_files(directory)}
    return [
        file["path"] for file in manifest.files if sizes.get(storage.join(directory, file["path"])) != file["bytes"]
    ]


def damaged_files(manifest: Manifest, directory: str) -> list[str]:
    """The files of a manifest whose content is not what was written. Reads all of them, a piece at a time."""
    return [
        file["path"]
        for file in manifest.files
        if content_hash(storage.join(directory, file["path"])) != file["blake2b"]
    ]


def content_hash(path: str) -> str:
    """The hash of a file's content, as in the entries of a manifest."""
    found = blake2b(digest_size=16)
    with storage.open_read(path) as stream:
        while piece := stream.read(storage.CHUNK):
            found.update(piece)
    return found.hexdigest()


def digest(data: Any) -> str:
    """The hash of JSON values, whatever the order of their keys."""
    text = json.dumps(data, ensure_ascii=False, sort_keys=True)
    return blake2b(text.encode(), digest_size=16).hexdigest()

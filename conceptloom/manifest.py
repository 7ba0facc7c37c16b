"""Manifests: they make a stage's output findable and verifiable, and keep a stage from running twice."""

import json
from dataclasses import asdict, dataclass, field
from datetime import datetime, timezone
from hashlib import blake2b

from conceptloom import __version__, storage
from conceptloom.errors import OutputError
from conceptloom.hashing import content_hash
from conceptloom.json_values import JsonObject

NAME = "MANIFEST.json"


@dataclass(frozen=True)
class Manifest:
    """The record of one finished stage, or of a whole build.

    `fingerprint` covers everything that the result depends on. Paths in `files` are relative to the directory.
    """

    name: str
    fingerprint: str
    settings: JsonObject
    files: tuple[JsonObject, ...]
    ledger: JsonObject = field(default_factory=dict)
    summary: JsonObject = field(default_factory=dict)
    seconds: float = 0.0
    version: str = __version__
    finished: str = ""
    """When the stage was done, or the last stage of the data set (see `timestamp`); empty in older manifests."""

    def write(self, directory: str) -> None:
        """Commits the directory: the manifest is written last, atomically."""
        text = json.dumps(asdict(self), ensure_ascii=False, indent=1)
        storage.write_bytes(storage.join(directory, NAME), text.encode())

    def digest(self) -> str:
        """Returns a hash of the files' hashes, which goes into the next stage's fingerprint."""
        return digest([[file["path"], file["blake2b"]] for file in self.files])


def timestamp() -> str:
    """Returns the time of this machine's clock in ISO 8601: UTC, to the millisecond."""
    return datetime.now(timezone.utc).isoformat(timespec="milliseconds")


def read_manifest(directory: str) -> Manifest | None:
    """Returns the manifest in a directory, or None if it has none; raises OutputError if it cannot be read."""
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
    """Returns the paths of a manifest's files that are gone or have another size."""
    sizes = {info.path: info.size for info in storage.list_files(directory)}
    return [
        file["path"] for file in manifest.files if sizes.get(storage.join(directory, file["path"])) != file["bytes"]
    ]


def damaged_files(manifest: Manifest, directory: str) -> list[str]:
    """Returns the paths of a manifest's files whose content has changed. Reads all of them, a piece at a time."""
    return [
        file["path"] for file in manifest.files if file_hash(storage.join(directory, file["path"])) != file["blake2b"]
    ]


def file_hash(path: str) -> str:
    """Returns the hash of a file's content, as in the entries of a manifest."""
    found = blake2b(digest_size=16)
    with storage.open_read(path) as stream:
        while piece := stream.read(storage.CHUNK):
            found.update(piece)
    return found.hexdigest()


def digest(data: object) -> str:
    """Returns the hash of JSON values, independent of the order of their keys."""
    text = json.dumps(data, ensure_ascii=False, sort_keys=True)
    return content_hash(text.encode())

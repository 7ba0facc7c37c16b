"""What identifies a model: the hashes of its files and facts of its configuration. Imports no torch."""

from functools import lru_cache
from hashlib import sha256
from os import stat
from pathlib import Path

from conceptloom.json_values import JsonObject
from conceptloom.models.files import model_config, model_files

CHUNK = 1 << 20


def file_sha256(path: str | Path) -> str:
    """Returns the SHA-256 of a file, computed once a process as long as its size and time of change stay."""
    found = stat(path)
    return _sha256(str(path), found.st_size, found.st_mtime_ns)


def model_signature(path: str) -> JsonObject:
    """Returns kind and width of a model, the SHA-256 of each of its files, and one of them all (`sha256`).

    Where the model lies is no part of it. Raises ConfigError for a folder without a model.
    """
    files = {str(file.relative_to(path)): file_sha256(file) for file in model_files(path)}
    config = model_config(path)
    together = sha256("".join(f"{name} {found}\n" for name, found in files.items()).encode()).hexdigest()
    return {
        "model": config.get("model_type"),
        "width": config.get("hidden_size", config.get("n_embd")),
        "sha256": together,
        "files": files,
    }


@lru_cache(maxsize=1024)
def _sha256(path: str, size: int, modified: int) -> str:
    digest = sha256()
    with open(path, "rb") as file:
        while chunk := file.read(CHUNK):
            digest.update(chunk)
    return digest.hexdigest()

"""The files of a model's folder, checked before anything is loaded."""

import json
from pathlib import Path

from conceptloom.errors import ConfigError
from conceptloom.json_values import JsonObject

CONFIG = "config.json"
WEIGHTS = "*.safetensors"
PICKLED = ("*.bin", "*.pt", "*.pth", "*.ckpt")
_PARTS = ("*.json", "*.txt", "*.model", WEIGHTS)
"""Everything that a model's result depends on: configuration, vocabulary and weights."""


def model_files(path: str) -> list[Path]:
    """Returns the files that make the model, sorted; those of numbered folders (`1_Pooling`) too.

    Raises ConfigError for a folder without a model, and for one whose weights are pickled only: unpickling runs any
    code that a file holds.
    """
    folder = Path(path)
    if not (folder / CONFIG).is_file():
        raise ConfigError(f"{path}: no such model ({CONFIG} is missing); give the directory of a model")
    if not any(folder.glob(WEIGHTS)):
        raise ConfigError(_without_weights(path, folder))
    return sorted(found for part in _PARTS for base in ("", "[0-9]_*/") for found in folder.glob(base + part))


def model_config(path: str) -> JsonObject:
    """Returns what the model's config.json says; raises ConfigError where it is not JSON."""
    try:
        config = json.loads((Path(path) / CONFIG).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ConfigError(f"{path}: {CONFIG} cannot be read ({error}); give the directory of a model") from None
    if not isinstance(config, dict):
        raise ConfigError(f"{path}: {CONFIG} holds no configuration; give the directory of a model")
    return config


def _without_weights(path: str, folder: Path) -> str:
    pickled = sorted(found.name for part in PICKLED for found in folder.glob(part))
    if not pickled:
        return f"{path}: no such model (it has no weights, {WEIGHTS}); give the directory of a model"
    return (
        f"{path}: the weights are pickled only ({pickled[0]}), and loading them could run code; convert them where you "
        "trust them: load the model with transformers and call "
        "model.save_pretrained(FOLDER, safe_serialization=True)"
    )

"""Loading a model: from a local folder, its weights as safetensors, in single precision, on the device asked for."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from conceptloom.errors import ConfigError
from conceptloom.models.device import check_device, require_device
from conceptloom.models.files import model_files
from conceptloom.models.packages import Module, import_packages

LOCAL: dict[str, object] = {"local_files_only": True, "trust_remote_code": False}
SPARE = ("pooler.", "position_ids")
"""Weights that a folder may lack: none of our measures reads a pooler, and positions are counted."""


@dataclass(frozen=True)
class LoadedModel:
    """A model that is ready to run: no gradients, no dropout, on its device; and its tokenizer."""

    torch: Module
    tokenizer: Module
    model: Module
    device: str

    @property
    def longest(self) -> int:
        """How many tokens the model reads at most, as far as its tokenizer and its configuration say."""
        places = getattr(self.model.config, "max_position_embeddings", None)
        return min(self.tokenizer.model_max_length, *([] if places is None else [places]), 1 << 30)


def load_model(
    path: str,
    kind: str,
    device: str,
    owner: str,
    *,
    tokenizer: str = "AutoTokenizer",
    **options: object,
) -> LoadedModel:
    """Returns the model of a folder, as the class `kind` of transformers reads it (`AutoModel`, …).

    `owner` names in errors what needs the model; `options` are passed to the class. Raises ConfigError for missing
    packages, a folder without a model, pickled weights, a device that is not there, and a model of another kind: one
    that lacks weights that `kind` has, which transformers would fill with random numbers.
    """
    check_device(device)
    torch, transformers = import_packages(owner)
    model_files(path)
    require_device(torch, device)
    reader = _tokenizer(getattr(transformers, tokenizer), path)
    model = _model(getattr(transformers, kind), path, options)
    return LoadedModel(torch, reader, model.eval().requires_grad_(False).to(device=device, dtype=torch.float32), device)


def length_batches(lengths: Sequence[int], size: int) -> Iterator[list[int]]:
    """Yields the positions of all texts in batches of `size`, those of like lengths together.

    Which texts share a batch depends on the texts alone.

    >>> list(length_batches([3, 1, 2], 2))
    [[1, 2], [0]]
    """
    order = sorted(range(len(lengths)), key=lambda at: lengths[at])
    return (order[start : start + size] for start in range(0, len(order), size))


def _tokenizer(kind: Module, path: str) -> Module:
    try:
        return kind.from_pretrained(path, **LOCAL)
    except Exception as error:  # whatever the libraries that read a tokenizer's files raise
        raise ConfigError(
            f"{path}: no tokenizer of this model can be read ({_line(error)}); copy its files there"
        ) from None


def _model(kind: Module, path: str, options: dict[str, object]) -> Module:
    try:
        model, report = kind.from_pretrained(path, use_safetensors=True, output_loading_info=True, **LOCAL, **options)
    except Exception as error:  # whatever the libraries that read a model's files raise
        raise ConfigError(f"{path}: no such model ({_line(error)}); give the directory of a model") from None
    missing = sorted(name for name in report["missing_keys"] if not any(part in name for part in SPARE))
    if missing:
        raise ConfigError(
            f"{path} holds another kind of model: as {kind.__name__} it lacks the weights {', '.join(missing[:3])}"
        )
    return model


def _line(error: Exception) -> str:
    return " ".join(str(error).split()) or type(error).__name__

"""torch and transformers as far as loading looks at them, for environments that have neither."""

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest


class FakeModel:
    """Remembers what was asked of it."""

    def __init__(self, options: dict[str, Any]) -> None:
        self.options = options
        self.asked: list[Any] = []
        self.config = SimpleNamespace(max_position_embeddings=64)

    def eval(self) -> "FakeModel":
        self.asked.append("eval")
        return self

    def requires_grad_(self, wanted: bool) -> "FakeModel":
        self.asked.append(("grad", wanted))
        return self

    def to(self, device: str, dtype: str) -> "FakeModel":
        self.asked.append(("to", device, dtype))
        return self


def install(
    monkeypatch: pytest.MonkeyPatch, gpus: int = 0, cuda: str | None = "13.2", missing: Sequence[str] = ()
) -> None:
    """Puts the fakes where an import finds them: a torch of a CUDA version with so many GPUs; what models lack."""
    torch = SimpleNamespace(
        __version__="2.15.0",
        version=SimpleNamespace(cuda=cuda),
        cuda=SimpleNamespace(is_available=lambda: gpus > 0, device_count=lambda: gpus),
        float32="float32",
    )

    class Auto:
        @staticmethod
        def from_pretrained(path: str, **options: Any) -> Any:
            return FakeModel(options), {"missing_keys": list(missing)}

    class Tokenizer:
        @staticmethod
        def from_pretrained(path: str, **options: Any) -> Any:
            if not (Path(path) / "tokenizer.json").is_file():
                raise OSError("no vocabulary")
            return SimpleNamespace(options=options, model_max_length=int(1e30))

    logging = SimpleNamespace(disable_progress_bar=lambda: None)
    transformers = SimpleNamespace(AutoModel=Auto, AutoTokenizer=Tokenizer, utils=SimpleNamespace(logging=logging))
    monkeypatch.setitem(sys.modules, "torch", torch)
    monkeypatch.setitem(sys.modules, "transformers", transformers)


def write_model(folder: Path, weights: str = "model.safetensors") -> str:
    """Writes the files of a model, whose weights are a few bytes; returns its path."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text(json.dumps({"model_type": "bert", "hidden_size": 16}))
    (folder / "tokenizer.json").write_text("{}")
    (folder / weights).write_bytes(b"weights")
    return str(folder)

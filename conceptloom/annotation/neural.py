"""Local models for the checks of annotations. torch and transformers are imported when a model is made (`neural`)."""

from collections.abc import Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from conceptloom.arrays.types import Float64, Int64
from conceptloom.errors import ConfigError
from conceptloom.similarity import linear_centralities

BATCH = 64
"""Sentences computed together, the ones of like lengths."""


class ModelPerplexity:
    """Perplexity by a causal language model (GPT-2 and its kin) in a local directory.

    The first token is predicted too, from the model's token for the beginning, where it has one. Of a text longer than
    the model can hold the first tokens count.
    """

    def __init__(self, path: str) -> None:
        self.name = f"transformers:{path}"
        self._torch, self._tokenizer, self._model = _load(path, "AutoModelForCausalLM")
        self._beginning = self._tokenizer.bos_token_id
        self._longest = getattr(self._model.config, "max_position_embeddings", None)

    def perplexities(self, sentences: Sequence[str]) -> list[float]:
        """See PerplexityScorer. Raises ConfigError for a sentence of fewer tokens than can be predicted."""
        tokens = [self._tokens(sentence) for sentence in sentences]
        values = [0.0] * len(tokens)
        for batch in _batches([len(each) for each in tokens]):
            for at, value in zip(batch, self._batch([tokens[at] for at in batch])):
                values[at] = value
        return values

    def _tokens(self, sentence: str) -> list[int]:
        plain = self._tokenizer(sentence, add_special_tokens=False)["input_ids"]
        found = [*([] if self._beginning is None else [self._beginning]), *plain][: self._longest]
        if len(found) < 2:
            raise ConfigError(
                f"{self.name} has no beginning token, and {sentence!r} is one token: choose another model"
            )
        return list(found)

    def _batch(self, tokens: list[list[int]]) -> list[float]:
        torch = self._torch
        width = max(map(len, tokens))
        ids = torch.tensor([[*each, *[0] * (width - len(each))] for each in tokens], device=self._model.device)
        mask = torch.tensor([[1] * len(each) + [0] * (width - len(each)) for each in tokens], device=self._model.device)
        with torch.inference_mode():
            logits = self._model(input_ids=ids, attention_mask=mask).logits.float()
        losses = torch.nn.functional.cross_entropy(logits[:, :-1].transpose(1, 2), ids[:, 1:], reduction="none")
        means = (losses * mask[:, 1:]).sum(dim=1) / mask[:, 1:].sum(dim=1)
        return [float(value) for value in means.exp().tolist()]


class ModelScorer:
    """Cosine of sentence vectors: the mean of a model's last token vectors, as sentence-transformers models want it."""

    def __init__(self, path: str) -> None:
        self.name = f"transformers:{path}"
        self._torch, self._tokenizer, self._model = _load(path, "AutoModel")
        self._weights = _fingerprint(path)
        if self._tokenizer.pad_token is None:
            raise ConfigError(f"{self.name}: this model has no padding token; name one that encodes sentences")

    def signature(self) -> dict[str, Any]:
        """Name, the model's kind and width, and the SHA-256 of its weights."""
        config = self._model.config
        return {"name": self.name, "model": config.model_type, "width": config.hidden_size, "sha256": self._weights}

    def encode(self, sentences: pa.RecordBatch) -> pa.Array:
        """list<float>: the unit vector of each sentence."""
        texts = sentences.column("text").to_pylist()
        vectors = np.zeros((len(texts), self._model.config.hidden_size), dtype=np.float32)
        for batch in _batches([len(text) for text in texts]):
            vectors[batch] = self._batch([texts[at] for at in batch])
        return pa.FixedSizeListArray.from_arrays(pa.array(vectors.ravel()), vectors.shape[1])

    def centralities(self, features: pa.Array, offsets: Int64) -> Float64:
        """See Scorer."""
        return linear_centralities(features.flatten().to_numpy().reshape(len(features), -1), offsets)

    def _batch(self, texts: list[str]) -> Any:
        torch = self._torch
        encoded = self._tokenizer(texts, padding=True, truncation=True, return_tensors="pt").to(self._model.device)
        with torch.inference_mode():
            tokens = self._model(**encoded).last_hidden_state.float()
        mask = encoded["attention_mask"].unsqueeze(-1)
        means = (tokens * mask).sum(dim=1) / mask.sum(dim=1).clamp(min=1)
        return torch.nn.functional.normalize(means, dim=1).cpu().numpy()


def _batches(lengths: Sequence[int]) -> Iterator[list[int]]:
    """The places of all texts, those of like lengths together."""
    order = sorted(range(len(lengths)), key=lambda at: lengths[at])
    return (order[start : start + BATCH] for start in range(0, len(order), BATCH))


def _fingerprint(path: str) -> str:
    digest = sha256()
    for file in sorted((*Path(path).glob("*.safetensors"), *Path(path).glob("*.bin"))):
        digest.update(file.read_bytes())
    return digest.hexdigest()


def _load(path: str, kind: str) -> tuple[Any, Any, Any]:
    try:
        import torch
        import transformers
    except ModuleNotFoundError:
        raise ConfigError(
            f"transformers:{path} wants torch and transformers: pip install 'conceptloom[neural]'"
        ) from None
    transformers.utils.logging.disable_progress_bar()
    try:
        tokenizer = transformers.AutoTokenizer.from_pretrained(path, local_files_only=True)
        model = getattr(transformers, kind).from_pretrained(path, local_files_only=True)
    except (OSError, ValueError) as error:
        raise ConfigError(f"transformers:{path}: no such model ({error}); give the directory of a model") from None
    return torch, tokenizer, model.eval().to("cuda" if torch.cuda.is_available() else "cpu")

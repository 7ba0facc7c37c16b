"""BERTScore: how well the tokens of two sentences can be matched by their vectors in a language model.

A model is loaded by the first rows (extra `neural`).
"""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal, NamedTuple

import numpy as np

from conceptloom.arrays.types import Float64
from conceptloom.errors import ConfigError
from conceptloom.metrics.base import Blockwise, Item, Score, make_signature, mean_score
from conceptloom.models import DEFAULT_DEVICE, load_model
from conceptloom.models.packages import Tensor

BATCH = 128
"""Pairs of sentences that a model reads at a time. It divides `base.BLOCK`: blocks and batches end together."""

DEVICE = "where the models run: cpu (default), cuda or cuda:N"
"""What the presets say of their option `device`."""

Weights = Literal["published", "tokens"]


@dataclass(frozen=True)
class BertScore(Blockwise):
    """F1 of the best cosines between tokens, without idf and rescaling.

    `path` is a directory with a BERT model and its tokenizer; the first `layers` of the model are used, on `device`.
    `weights` says which positions count. "tokens": each token of a sentence, but neither [CLS] nor [SEP], as in the
    definition; the best of an item's references counts. "published": every position of the padded batch, as in the
    code of Korean CommonGen's table, whose idf weights are all 1; the mean over an item's references. Its scores depend
    a little on which sentences are read together: here as there 128 pairs, in the order of the references.
    """

    name: str
    path: str
    layers: int = 2
    weights: Weights = "tokens"
    device: str = DEFAULT_DEVICE

    def rows(self, items: Sequence[Item]) -> Float64:
        """Returns one column, 0 to 1. Raises ConfigError where a package, the model or a layer of it is missing."""
        pairs = [(item.prediction.strip(), reference.strip()) for item in items for reference in item.references]
        model = _model(self.path, self.layers, self.device)
        batches = [model.f_scores(pairs[at : at + BATCH], self.weights) for at in range(0, len(pairs), BATCH)]
        starts = np.cumsum([0, *(len(item.references) for item in items)])[:-1]
        found = np.concatenate([*batches, np.zeros(0)])
        if not items or self.weights == "tokens":
            return np.maximum.reduceat(found, starts).reshape(-1, 1) if items else found.reshape(0, 1)
        counts = np.array([len(item.references) for item in items], dtype=np.float64)
        return (np.add.reduceat(found, starts) / counts).reshape(-1, 1)

    def scores(self, rows: Float64) -> list[Score]:
        """See `Blockwise`."""
        model = os.path.basename(os.path.normpath(self.path))
        parts = {"model": model, "layers": self.layers, "weights": self.weights, "idf": "no", "rescaled": "no"}
        reduce = "max" if self.weights == "tokens" else "mean"
        signature = make_signature("BERTScore", **parts, of="F1", reduce=reduce)
        return [mean_score(self.name, 100 * rows[:, 0], signature)]


class _Read(NamedTuple):
    """Sentences as a model reads them: unit vectors (sentences, positions, size), weights (sentences, positions)."""

    vectors: Tensor
    weights: Tensor


class _Model:
    """A BERT model cut to its first layers, and its tokenizer."""

    def __init__(self, path: str, layers: int, device: str) -> None:
        loaded = load_model(path, "BertModel", device, "BERTScore", tokenizer="BertTokenizer", add_pooling_layer=False)
        have = len(loaded.model.encoder.layer)
        if layers > have:
            raise ConfigError(f"{path} has {have} layers, not {layers}; ask for fewer")
        loaded.model.encoder.layer = loaded.model.encoder.layer[:layers]
        self._torch, self._tokenizer, self._model = loaded.torch, loaded.tokenizer, loaded.model
        self._device = device

    def f_scores(self, pairs: Sequence[tuple[str, str]], weights: Weights) -> Float64:
        """Returns F1 of each pair; 0 where one has no token that counts."""
        left, right = (self._read([pair[side] for pair in pairs], weights) for side in (0, 1))
        cosines = self._torch.bmm(left.vectors, right.vectors.transpose(1, 2))
        if weights == "tokens":
            hidden = (left.weights[:, :, None] * right.weights[:, None, :]) == 0
            cosines = cosines.masked_fill(hidden, -1.0)
        precision = (cosines.amax(2) * left.weights).sum(1) / left.weights.sum(1)
        recall = (cosines.amax(1) * right.weights).sum(1) / right.weights.sum(1)
        found = 2 * precision * recall / (precision + recall)
        return np.asarray(self._torch.nan_to_num(found).cpu().double().numpy())

    def _read(self, texts: list[str], weights: Weights) -> _Read:
        torch, longest = self._torch, self._model.config.max_position_embeddings
        read = self._tokenizer(texts, padding=True, truncation=True, max_length=longest, return_tensors="pt")
        ids, mask = (read[name].to(self._device) for name in ("input_ids", "attention_mask"))
        with torch.no_grad():
            vectors = self._model(ids, attention_mask=mask).last_hidden_state
        is_token = mask * (ids != self._tokenizer.cls_token_id) * (ids != self._tokenizer.sep_token_id)
        counted = torch.ones_like(mask) if weights == "published" else is_token
        return _Read(torch.nn.functional.normalize(vectors, dim=-1), counted.to(vectors.dtype))


@cache
def _model(path: str, layers: int, device: str) -> _Model:
    return _Model(path, layers, device)

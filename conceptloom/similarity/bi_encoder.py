"""Scorer `bi-encoder`: cosines of sentence vectors that a model in a local folder gives (extra `neural`)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
import pyarrow as pa

from conceptloom.arrays.types import Float32, Float64, Int64
from conceptloom.json_values import JsonObject
from conceptloom.models import DEFAULT_DEVICE, LoadedModel, check_device, load_model, model_signature
from conceptloom.models.device import device_kind
from conceptloom.models.loading import length_batches
from conceptloom.models.packages import Tensor
from conceptloom.similarity.base import SCORERS, Frequencies, ScorerEntry, TextEncoder
from conceptloom.similarity.centrality import linear_centralities, posting_groups

NAME, VERSION = "bi-encoder", "1"
BATCH = 64
"""Sentences that the model reads together, those of like lengths."""
GROUP_ROWS = 4_096
"""Posting rows scored together: bounds the memory for their vectors."""
Pooling = Literal["mean", "first"]


@dataclass(frozen=True)
class BiEncoder:
    """A model of sentence vectors in the folder `path`.

    `pooling`: the mean of the last token vectors, or the first token's ([CLS]).
    """

    path: str
    device: str = DEFAULT_DEVICE
    pooling: Pooling = "mean"
    wants_frequencies: ClassVar[bool] = False
    one_process: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_device(self.device)

    def signature(self) -> JsonObject:
        """See ScorerOptions. The kind of device counts, as its arithmetic differs in the last bits."""
        own = {"name": NAME, "version": VERSION, "pooling": self.pooling, "device": device_kind(self.device)}
        return {**own, **model_signature(self.path)}

    def open(self, frequencies: Frequencies | None) -> "BiEncoderScorer":
        """See ScorerOptions."""
        return BiEncoderScorer(self, load_model(self.path, "AutoModel", self.device, f"scorer {NAME}"))


class BiEncoderScorer(TextEncoder):
    """The cosine of two sentences is that of their vectors; each distinct sentence of a block is read once."""

    name = NAME

    def __init__(self, options: BiEncoder, loaded: LoadedModel) -> None:
        self._options = options
        self._loaded = loaded

    def signature(self) -> JsonObject:
        """See Scorer."""
        return self._options.signature()

    def centralities(self, features: pa.Array, offsets: Int64) -> Float64:
        """See Scorer: score_i = e_i . sum_j e_j - |e_i|^2 with e_i the unit vector of a sentence."""
        texts = features.dictionary_encode()
        vectors, rows = self.sentence_vectors(texts.dictionary.to_pylist()), texts.indices.to_numpy()
        scores = np.zeros(len(features))
        for first, last in posting_groups(offsets, GROUP_ROWS):
            start, end = int(offsets[first]), int(offsets[last])
            scores[start:end] = linear_centralities(vectors[rows[start:end]], offsets[first : last + 1] - start)
        return scores

    def sentence_vectors(self, texts: Sequence[str]) -> Float32:
        """Returns the unit vectors of texts, shape (texts, d). A text beyond the model's length is cut off."""
        batches = list(length_batches([len(text) for text in texts], BATCH))
        parts = [self._vectors([texts[at] for at in batch]) for batch in batches]
        vectors = np.zeros((len(texts), parts[0].shape[1] if parts else 0), dtype=np.float32)
        for batch, part in zip(batches, parts, strict=True):
            vectors[batch] = part
        return vectors

    def _vectors(self, texts: list[str]) -> Float32:
        torch, longest = self._loaded.torch, self._loaded.longest
        read = self._loaded.tokenizer(texts, padding=True, truncation=True, max_length=longest, return_tensors="pt")
        read = read.to(self._loaded.device)
        with torch.inference_mode():
            tokens = self._loaded.model(**read).last_hidden_state
            pooled = self._pooled(tokens, read["attention_mask"].unsqueeze(-1))
            return np.asarray(torch.nn.functional.normalize(pooled, dim=1).cpu().numpy())

    def _pooled(self, tokens: Tensor, mask: Tensor) -> Tensor:
        if self._options.pooling == "first":
            return tokens[:, 0]
        return (tokens * mask).sum(dim=1) / mask.sum(dim=1).clamp(min=1)


SCORERS.add(
    NAME, ScorerEntry("sentence vectors of a model in a local folder: path, device (extra `neural`)", BiEncoder)
)

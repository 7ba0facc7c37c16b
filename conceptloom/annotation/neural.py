"""A local language model for the checks of annotations (extra `neural`)."""

from collections.abc import Sequence

from conceptloom.errors import ConfigError
from conceptloom.models import DEFAULT_DEVICE, load_model
from conceptloom.models.loading import length_batches

BATCH = 64
"""Sentences computed together, those of like lengths."""


class ModelPerplexity:
    """Perplexity by a causal language model (GPT-2 and its kin) in a local directory.

    The first token is predicted too, from the model's beginning-of-sequence token, where it has one. Of a text longer
    than the model can read, only the first tokens count.
    """

    def __init__(self, path: str, device: str = DEFAULT_DEVICE) -> None:
        self.name = f"transformers:{path}"
        loaded = load_model(path, "AutoModelForCausalLM", device, self.name)
        self._torch, self._tokenizer, self._model = loaded.torch, loaded.tokenizer, loaded.model
        self._device, self._longest = device, loaded.longest
        self._beginning = self._tokenizer.bos_token_id

    def perplexities(self, sentences: Sequence[str]) -> list[float]:
        """See PerplexityScorer. Raises ConfigError for a sentence of fewer tokens than can be predicted."""
        tokens = [self._tokens(sentence) for sentence in sentences]
        values = [0.0] * len(tokens)
        for batch in length_batches([len(each) for each in tokens], BATCH):
            for at, value in zip(batch, self._batch([tokens[at] for at in batch]), strict=True):
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
        torch, width = self._torch, max(map(len, tokens))
        ids = torch.tensor([[*each, *[0] * (width - len(each))] for each in tokens], device=self._device)
        mask = torch.tensor([[1] * len(each) + [0] * (width - len(each)) for each in tokens], device=self._device)
        with torch.inference_mode():
            logits = self._model(input_ids=ids, attention_mask=mask).logits
        losses = torch.nn.functional.cross_entropy(logits[:, :-1].transpose(1, 2), ids[:, 1:], reduction="none")
        means = (losses * mask[:, 1:]).sum(dim=1) / mask[:, 1:].sum(dim=1)
        return [float(value) for value in means.exp().tolist()]

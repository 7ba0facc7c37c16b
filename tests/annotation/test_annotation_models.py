"""Perplexity and sentence vectors by models, here tiny ones with random weights."""

import math
import sys
from pathlib import Path

import numpy as np
import pytest

from conceptloom.annotation import make_encoder, make_perplexity_scorer
from conceptloom.annotation.encoders import pair_cosines
from conceptloom.errors import ConfigError

TEXTS = ["a dog runs", "dogs", "the dog runs in the park with a red dog", "a dog runs", "what ?"]
WORDS = sorted({word for text in TEXTS for word in text.split()} - {"what"})


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with `gpt2` and `bert`."""
    torch = pytest.importorskip("torch", reason="torch is not installed: pip install 'conceptloom[neural]'")
    transformers = pytest.importorskip("transformers", reason="no transformers: pip install 'conceptloom[neural]'")
    tokenizers = pytest.importorskip("tokenizers")
    path = tmp_path_factory.mktemp("models")
    special = ["[PAD]", "[UNK]", "<s>"]
    plain = tokenizers.Tokenizer(
        tokenizers.models.WordLevel({word: at for at, word in enumerate([*special, *WORDS])}, unk_token="[UNK]")
    )
    plain.pre_tokenizer = tokenizers.pre_tokenizers.WhitespaceSplit()
    torch.manual_seed(3)
    sizes = {"vocab_size": len(special) + len(WORDS)}
    small = {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 32}
    gpt2 = transformers.GPT2Config(n_embd=16, n_layer=2, n_head=2, n_positions=32, initializer_range=0.5, **sizes)
    bert = transformers.BertConfig(initializer_range=0.5, **small, **sizes)
    for name, model in (("gpt2", transformers.GPT2LMHeadModel(gpt2)), ("bert", transformers.BertModel(bert))):
        model.save_pretrained(path / name)
        transformers.PreTrainedTokenizerFast(
            tokenizer_object=plain, pad_token="[PAD]", unk_token="[UNK]", bos_token="<s>"
        ).save_pretrained(path / name)
    return path


def loaded(path: Path, kind: str):
    import transformers

    return transformers.AutoTokenizer.from_pretrained(path), getattr(transformers, kind).from_pretrained(path).eval()


def test_perplexity_against_one_sentence_at_a_time(models: Path) -> None:
    import torch

    tokenizer, model = loaded(models / "gpt2", "GPT2LMHeadModel")
    expected = []
    for text in TEXTS:
        ids = torch.tensor([[tokenizer.bos_token_id, *tokenizer(text, add_special_tokens=False)["input_ids"]]])
        with torch.inference_mode():
            expected.append(math.exp(model(ids, labels=ids).loss.item()))
    scorer = make_perplexity_scorer(f"transformers:{models / 'gpt2'}")
    assert scorer.perplexities(TEXTS) == pytest.approx(expected, rel=1e-4)
    assert len(set(np.round(expected, 3))) == len(set(TEXTS))
    long = " ".join(["dog"] * 100)
    assert scorer.perplexities([long]) == pytest.approx(scorer.perplexities([long[: 4 * 31]]))


def test_vectors_against_one_sentence_at_a_time(models: Path) -> None:
    import torch

    tokenizer, model = loaded(models / "bert", "BertModel")
    vectors = []
    for text in TEXTS:
        with torch.inference_mode():
            vectors.append(model(**tokenizer(text, return_tensors="pt")).last_hidden_state[0].mean(dim=0).numpy())
    scorer = make_encoder(f"transformers:{models / 'bert'}", [])
    left, right = np.triu_indices(len(TEXTS), 1)
    expected = [
        float(np.dot(vectors[a], vectors[b]) / np.linalg.norm(vectors[a]) / np.linalg.norm(vectors[b]))
        for a, b in zip(left, right)
    ]
    assert pair_cosines(scorer, TEXTS, left, right) == pytest.approx(expected, abs=1e-5)
    assert scorer.signature()["model"] == "bert" and len(scorer.signature()["sha256"]) == 64


def test_a_directory_without_a_model(models: Path, tmp_path: Path) -> None:
    for make in (make_perplexity_scorer, lambda name: make_encoder(name, [])):
        with pytest.raises(ConfigError, match="(?s)no such model .*; give the directory of a model"):
            make(f"transformers:{tmp_path}")


def test_without_transformers_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    for make in (make_perplexity_scorer, lambda name: make_encoder(name, [])):
        with pytest.raises(ConfigError, match=r"needs torch and transformers: pip install .*\[neural\]"):
            make("transformers:x")


def test_the_device_is_the_one_asked_for_or_an_error(models: Path) -> None:
    import torch

    for make, name in ((make_perplexity_scorer, "gpt2"), (lambda *found: make_encoder(found[0], [], found[1]), "bert")):
        if torch.cuda.is_available():
            assert make(f"transformers:{models / name}", "cuda")
        else:
            with pytest.raises(ConfigError, match="device cuda: .*use device cpu"):
                make(f"transformers:{models / name}", "cuda")


def test_a_device_that_cannot_be_is_an_error_without_torch() -> None:
    for make in (make_perplexity_scorer, lambda name, device: make_encoder(name, [], device)):
        with pytest.raises(ConfigError, match="no device is called 'gpu'"):
            make("transformers:x", "gpu")

"""Scorer bi-encoder with a tiny model of random weights, against transformers asked for one sentence at a time."""

import importlib.util
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from conceptloom.similarity import make_scorer, pairwise_centralities

pytestmark = pytest.mark.skipif(
    not all(map(importlib.util.find_spec, ("torch", "transformers"))), reason="wants pip install 'conceptloom[neural]'"
)
WORDS = ["개", "가", "공", "창문", "앞", "에", "있", "다", "."]
TEXTS = ["개 가 있 다 .", "창문 앞 에", "공 가 있 다", "창문 앞 에 개 가 있 다 .", "", "새", "개 가 있 다 ."]
OFFSETS = np.array([0, 3, 3, 7])


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> str:
    import torch
    from transformers import BertConfig, BertModel, BertTokenizer

    directory = tmp_path_factory.mktemp("bert")
    vocabulary = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *WORDS]
    (directory / "vocab.txt").write_text("\n".join(vocabulary), encoding="utf-8")
    torch.manual_seed(7)
    sizes = {"hidden_size": 16, "num_attention_heads": 2, "intermediate_size": 32, "num_hidden_layers": 2}
    config = BertConfig(vocab_size=len(vocabulary), max_position_embeddings=12, initializer_range=0.5, **sizes)
    BertModel(config).save_pretrained(directory)
    BertTokenizer(str(directory / "vocab.txt"), do_lower_case=False, tokenize_chinese_chars=False).save_pretrained(
        directory
    )
    return str(directory)


def one_vector(path: str, text: str, pooling: str) -> np.ndarray:
    import torch
    from transformers import BertModel, BertTokenizer

    read = BertTokenizer.from_pretrained(path)(text, return_tensors="pt", truncation=True, max_length=12)
    with torch.no_grad():
        states = BertModel.from_pretrained(path).eval()(**read).last_hidden_state[0].double().numpy()
    vector = states.mean(axis=0) if pooling == "mean" else states[0]
    return np.asarray(vector / np.linalg.norm(vector))


@pytest.mark.parametrize("pooling", ["mean", "first"])
def test_centralities_are_sums_of_cosines(model: str, pooling: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("conceptloom.similarity.bi_encoder.GROUP_ROWS", 3)
    monkeypatch.setattr("conceptloom.similarity.bi_encoder.BATCH", 2)
    options = make_scorer("bi-encoder", {"path": model, "pooling": pooling})
    sentences = pa.record_batch({"text": TEXTS})
    features = pa.array(TEXTS)
    vectors = np.array([one_vector(model, text, pooling) for text in TEXTS])
    oracle = pairwise_centralities(lambda start, end: vectors[start:end] @ vectors[start:end].T, OFFSETS)
    scorer = options.open(None)
    assert scorer.encode(sentences) == features
    assert scorer.centralities(features, OFFSETS) == pytest.approx(oracle, abs=1e-5)
    assert scorer.signature() == options.signature()


def test_nothing_and_too_long_sentences(model: str) -> None:
    scorer = make_scorer("bi-encoder", {"path": model}).open(None)
    assert scorer.centralities(pa.array([], pa.string()), np.array([0])).shape == (0,)
    long = pa.array(["개 " * 50, "개 " * 60])
    assert scorer.centralities(long, np.array([0, 2])) == pytest.approx([1, 1], abs=1e-6)


def test_a_posting_does_not_depend_on_the_one_before(model: str) -> None:
    scorer = make_scorer("bi-encoder", {"path": model}).open(None)
    both = scorer.centralities(pa.array(TEXTS), OFFSETS)
    assert both.tobytes() == scorer.centralities(pa.array(TEXTS), OFFSETS).tobytes()
    assert both[3:] == pytest.approx(scorer.centralities(pa.array(TEXTS[3:]), np.array([0, 4])), abs=1e-5)


def test_a_build_with_a_model(model: str, tmp_path: Path) -> None:
    """With and without worker processes: the one that holds the model is this one, and the bytes are the same."""
    from builds import build, differing

    from conceptloom.runners.direct import DirectRunner

    select = {"scorer": {"name": "bi-encoder", "path": model}}
    build(tmp_path / "one", select=select)
    with DirectRunner.with_workers(2) as runner:
        build(tmp_path / "two", select=select, runner=runner)
    assert differing(tmp_path / "one", tmp_path / "two") == []

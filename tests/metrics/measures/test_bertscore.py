"""BERTScore with a tiny model of random weights, against plain loops over its vectors."""

import importlib.util
import json
from pathlib import Path

import numpy as np
import pytest

from conceptloom.errors import ConfigError
from conceptloom.metrics import Blockwise, Item, make_metrics
from conceptloom.metrics.measures.bertscore import BATCH, BertScore

WORDS = ["개", "가", "공", "##이", "창문", "앞", "에", "있", "다", ".", "두", "사람"]
SENTENCES = ["개 가 있 다 .", "두 사람 창문 앞 에", "공이 있 다", "창문 앞 에 개 가 두 사람 이 있 다 .", "", "새"]

needs_torch = pytest.mark.skipif(
    not all(map(importlib.util.find_spec, ("torch", "transformers"))), reason="wants pip install 'conceptloom[neural]'"
)


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A directory with three layers of random weights and a vocabulary of some words."""
    import torch
    from transformers import BertConfig, BertModel, BertTokenizer

    directory = tmp_path_factory.mktemp("bert")
    vocabulary = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *WORDS]
    (directory / "vocab.txt").write_text("\n".join(vocabulary), encoding="utf-8")
    torch.manual_seed(7)
    sizes = {"hidden_size": 16, "num_attention_heads": 2, "intermediate_size": 32, "num_hidden_layers": 3}
    config = BertConfig(vocab_size=len(vocabulary), max_position_embeddings=40, **sizes)
    BertModel(config).save_pretrained(directory)
    BertTokenizer(str(directory / "vocab.txt"), do_lower_case=False, tokenize_chinese_chars=False).save_pretrained(
        directory
    )
    return str(directory)


def items(count: int) -> list[Item]:
    texts = [SENTENCES[n % 5] for n in range(count)]
    return [Item(str(n), ("개",), (SENTENCES[n % 3], SENTENCES[3], SENTENCES[5]), text) for n, text in enumerate(texts)]


def vectors(path: str, texts: list[str]) -> tuple[np.ndarray, np.ndarray]:
    """Hidden states behind the second layer, and what each position holds; padded as one batch."""
    import torch
    from transformers import BertModel, BertTokenizer

    read = BertTokenizer.from_pretrained(path)(texts, padding=True, return_tensors="pt")
    with torch.no_grad():
        states = BertModel.from_pretrained(path).eval()(**read, output_hidden_states=True).hidden_states[2]
    return states.double().numpy(), read["input_ids"].numpy()


def f1(left: list[np.ndarray], right: list[np.ndarray]) -> float:
    if not left or not right:
        return 0.0
    cosines = [[float(a @ b / np.linalg.norm(a) / np.linalg.norm(b)) for b in right] for a in left]
    precision = np.mean([max(row) for row in cosines])
    recall = np.mean([max(row[at] for row in cosines) for at in range(len(right))])
    return float(2 * precision * recall / (precision + recall))


def plain(path: str, pairs: list[tuple[str, str]], *, published: bool) -> list[float]:
    sides = [vectors(path, [pair[side] for pair in pairs]) for side in (0, 1)]
    special = () if published else (0, 2, 3)
    kept = [
        [[state for state, token in zip(*one) if token not in special] for one in zip(states, tokens)]
        for states, tokens in sides
    ]
    return [f1(left, right) for left, right in zip(*kept)]


@needs_torch
@pytest.mark.parametrize("published", [True, False])
def test_scores_are_those_of_plain_loops(model: str, published: bool) -> None:
    several = items(50)
    pairs = [(item.prediction, reference) for item in several for reference in item.references]
    batches = [pairs[at : at + BATCH] for at in range(0, len(pairs), BATCH)]
    scores = np.concatenate([plain(model, batch, published=published) for batch in batches]).reshape(-1, 3)
    expected = scores.mean(1) if published else scores.max(1)
    metric = BertScore("x", model, 2, "published" if published else "tokens")
    assert metric.rows(several)[:, 0] == pytest.approx(expected, abs=2e-6)


@needs_torch
def test_blocks_of_whole_batches_score_as_all(model: str) -> None:
    several = items(2 * BATCH + 5)
    metric = BertScore("x", model, 2, "published")
    parts = [metric.rows(several[at : at + BATCH]) for at in range(0, len(several), BATCH)]
    assert np.concatenate(parts).tobytes() == metric.rows(several).tobytes()


@needs_torch
def test_preset_takes_models(model: str) -> None:
    metrics = make_metrics("korean-commongen", {"mbert": model, "kobert": model})
    scores = {score.name: score for metric in metrics for score in metric(items(4))}
    assert list(scores)[-2:] == ["mBERTScore", "KoBERTScore"]
    assert (
        scores["mBERTScore"].value == scores["KoBERTScore"].value == pytest.approx(scores["mBERTScore"].values.mean())
    )
    assert 0 < scores["mBERTScore"].value <= 100
    name = Path(model).name
    assert f"model:{name}|layers:2|weights:published|idf:no|rescaled:no" in scores["mBERTScore"].signature
    same = items(1)[0]
    echo = Item("x", same.concepts, (same.prediction,) * 2, same.prediction)
    assert BertScore("x", model)([echo])[0].value == pytest.approx(100, abs=1e-4)


@needs_torch
def test_preset_sound_takes_a_model(model: str) -> None:
    metrics = make_metrics("sound", {"language": "en", "bert": model, "layers": "2"})
    (score,) = (one for metric in metrics if isinstance(metric, BertScore) for one in metric(items(4)))
    assert score.name == "BERTScore" and "|layers:2|weights:tokens|" in score.signature and "max" in score.signature
    assert score.values == pytest.approx(100 * BertScore("x", model).rows(items(4))[:, 0])
    with pytest.raises(ConfigError, match="has 3 layers, not 9; ask for fewer"):
        [metric(items(1)) for metric in make_metrics("sound", {"bert": model}) if isinstance(metric, BertScore)]


@needs_torch
def test_no_model(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no such model .config.json is missing.; give the directory"):
        BertScore("x", str(tmp_path / "none")).rows(items(1))
    (tmp_path / "config.json").write_text(json.dumps({"model_type": "bert"}), encoding="utf-8")
    with pytest.raises(ConfigError, match="no such model .it has no weights"):
        BertScore("x", str(tmp_path)).rows(items(1))


def test_missing_packages_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "torch", None)
    with pytest.raises(ConfigError, match="pip install 'conceptloom\\[neural\\]'"):
        BertScore("x", "unknown").rows(items(1))


def test_no_items() -> None:
    metric = BertScore("x", "unknown")
    assert isinstance(metric, Blockwise)
    assert metric.scores(np.zeros((0, 1)))[0].name == "x"


@pytest.mark.parametrize("preset", ["sound", "korean-commongen"])
def test_the_device_of_a_preset_is_that_of_its_models(preset: str) -> None:
    option = "bert" if preset == "sound" else "kobert"
    metrics = make_metrics(preset, {option: "x", "device": "cuda:1"})
    assert [metric.device for metric in metrics if isinstance(metric, BertScore)] == ["cuda:1"]
    with pytest.raises(ConfigError, match=f"the option device applies to a model: give the option .*{option}"):
        make_metrics(preset, {"device": "cuda"})

"""`conceptloom.evaluate` and `conceptloom.open_build`: what the command gives, as typed values of Python."""

import importlib.util
import json
import math
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest

import conceptloom
from conceptloom.cli import run
from conceptloom.errors import ConfigError, InputError
from conceptloom.examples import Example
from conceptloom.manifest import Manifest
from conceptloom.schemas import DATA
from conceptloom.tables import write_table

if TYPE_CHECKING:
    from transformers import EvalPrediction

OUTPUTS = Path(__file__).resolve().parents[1].parent / "shared" / "data" / "ko" / "outputs"
EXAMPLES = [
    Example(("dog", "run"), ("A dog runs.", "The dog is running.")),
    Example(("cat", "sleep"), ("The cat is sleeping.",)),
    Example(("ball", "throw"), ("He throws a ball.",)),
]
SAID = ["The dog runs.", "A cat sleeps.", "He threw the ball."]
ENGLISH = {"language": "en"}


def test_it_gives_what_the_command_gives(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = [json.dumps({"concept-set": "#".join(one.concepts), "scene": list(one.sentences)}) for one in EXAMPLES]
    for name, texts in (("r.jsonl", lines), ("p.txt", SAID)):
        (tmp_path / name).write_text("\n".join(texts) + "\n", "utf-8")
    references, predictions = str(tmp_path / "r.jsonl"), str(tmp_path / "p.txt")
    command = ["conceptloom", "evaluate", "--preset=sound", "--option=language=en", "--json"]
    monkeypatch.setattr("sys.argv", [*command, f"--references={references}", f"--predictions={predictions}"])
    assert run() == 0
    (expected,) = json.loads(capsys.readouterr().out)["systems"]
    for said, against in ((SAID, EXAMPLES), (predictions, references)):
        found = conceptloom.evaluate(predictions=said, references=against, preset="sound", options=ENGLISH)
        assert list(found.scores) == [one["name"] for one in expected["scores"]]
        for one in expected["scores"]:
            value = found.scores[one["name"]]
            assert value == one["value"] or (one["value"] is None and math.isnan(value))
            assert list(found.intervals.get(one["name"], ())) == one.get("interval", [])
            assert found.signatures[one["name"]] == one["signature"]
        assert found.sentences["prediction"].to_pylist() == SAID
        assert {"system", "references", "BLEU", "Coverage"} <= set(found.sentences.column_names)
        assert found.notes == found.warnings == ()


def test_odd_input_is_said() -> None:
    without = conceptloom.evaluate(
        predictions=["", *SAID[1:]], references=EXAMPLES, preset="sound", options=ENGLISH, resamples=0
    )
    assert without.intervals == {}
    assert without.notes == ("predictions: 1 prediction is empty and scores 0 (line 1)",)
    sets = [Example((f"w{n}", f"v{n}"), (f"w{n} v{n}",)) for n in range(30)]
    moved = [one.sentences[0] for one in [*sets[1:], sets[0]]]
    shifted = conceptloom.evaluate(predictions=moved, references=sets, preset="sound", options=ENGLISH, resamples=0)
    assert "predictions fit other sets, 1 line further down" in shifted.warnings[0]


@pytest.mark.parametrize(
    ("predictions", "references", "preset", "message"),
    [
        (SAID[:2], EXAMPLES, "sound", "predictions has 2 predictions, and references has 3 sets with 4 sentences"),
        (SAID, [], "sound", "references: there are none; give some"),
        (SAID, [Example(("a",), ())], "sound", "references: example 1 has no sentence; give some"),
        (SAID, EXAMPLES, "comve", "preset comve reads files of answers: use conceptloom evaluate"),
        (SAID, EXAMPLES, "none", "no preset is called 'none'"),
    ],
)
def test_what_does_not_fit_is_refused(
    predictions: list[str], references: list[Example], preset: str, message: str
) -> None:
    with pytest.raises((ConfigError, InputError), match=message):
        conceptloom.evaluate(predictions=predictions, references=references, preset=preset)


def test_the_published_figures_come_out() -> None:
    if not OUTPUTS.exists():
        pytest.skip(f"{OUTPUTS} is not here")
    paths = {"predictions": str(OUTPUTS / "KoGPT2_quantitative.txt"), "references": str(OUTPUTS / "references.jsonl")}
    found = conceptloom.evaluate(**paths, preset="korean-commongen", resamples=0)
    published = [29.24, 18.91, 43.36, 60.41, 39.89, 79.43]
    assert list(found.scores.values()) == pytest.approx(published, abs=0.006)


def test_a_name_that_is_not_there() -> None:
    with pytest.raises(AttributeError, match="module 'conceptloom' has no attribute 'score'"):
        conceptloom.score  # noqa: B018


def test_a_build_gives_its_splits_and_its_report(tmp_path: Path) -> None:
    row = {"concepts": ["개"], "target": "개", "references": ["개"], "source": "s", "locator": "f#1/x"}
    paths = {"train": ["data/train-00000-of-00002.parquet", "data/train-00001-of-00002.parquet"]}
    paths["test"] = ["data/test-00000-of-00001.parquet"]
    files = [path for some in paths.values() for path in some]
    entries = [
        {**write_table(str(tmp_path / path), pa.Table.from_pylist([{"id": f"i{number}", **row}], DATA)), "path": path}
        for number, path in enumerate(files)
    ]
    (tmp_path / "report.json").write_text('{"kept": 3}', "utf-8")
    with pytest.raises(InputError, match=f"{tmp_path} contains no finished build"):
        conceptloom.open_build(str(tmp_path))
    Manifest("x", "f", {}, tuple(reversed(entries))).write(str(tmp_path))
    build = conceptloom.open_build(str(tmp_path))
    assert list(build.splits) == ["train", "test"] and len(build.splits) == 2
    assert build.splits["train"]["id"].to_pylist() == ["i0", "i1"]
    assert build.splits["test"]["concepts"].to_pylist() == [["개"]]
    assert build.report == {"kept": 3}
    with pytest.raises(KeyError):
        build.splits["validation"]
    (tmp_path.parent / "current").unlink(missing_ok=True)
    (tmp_path.parent / "current").symlink_to(tmp_path.name)
    assert conceptloom.open_build(str(tmp_path.parent / "current")).directory == str(tmp_path)
    (tmp_path / files[0]).unlink()
    with pytest.raises(InputError, match=f"{tmp_path}: {files[0]} is missing or has the wrong size"):
        conceptloom.open_build(str(tmp_path))


@pytest.mark.slow
@pytest.mark.skipif(
    not all(map(importlib.util.find_spec, ("torch", "transformers", "accelerate"))),
    reason="wants pip install torch transformers accelerate",
)
def test_it_is_a_trainers_compute_metrics(tmp_path: Path) -> None:
    """A model with random weights is evaluated by transformers' Seq2SeqTrainer, which reports our scores."""
    import torch
    from transformers import Seq2SeqTrainer, Seq2SeqTrainingArguments, T5Config, T5ForConditionalGeneration

    words = ["<pad>", "</s>", "a", "dog", "runs", "cat", "sleeps", "ball"]
    seen: list[list[str]] = []

    def decoded(ids: list[int]) -> str:
        return " ".join(words[one] for one in ids if one > 1)

    def compute_metrics(output: "EvalPrediction") -> dict[str, float]:
        texts = [decoded(row) for row in output.predictions.tolist()]
        seen.append(texts)
        found = conceptloom.evaluate(
            predictions=texts, references=EXAMPLES, preset="sound", options=ENGLISH, resamples=0
        )
        return found.scores

    torch.manual_seed(1)
    sizes = {"d_model": 8, "d_kv": 4, "d_ff": 8, "num_layers": 1, "num_heads": 2}
    model = T5ForConditionalGeneration(T5Config(vocab_size=len(words), decoder_start_token_id=0, **sizes))
    rows = [{"input_ids": [3, 4, 1], "labels": [2, 3, 1]} for _ in EXAMPLES]
    settings = Seq2SeqTrainingArguments(
        str(tmp_path), predict_with_generate=True, generation_max_length=6, report_to=[], use_cpu=True
    )
    reported = Seq2SeqTrainer(model, settings, eval_dataset=rows, compute_metrics=compute_metrics).evaluate()
    expected = conceptloom.evaluate(
        predictions=seen[0], references=EXAMPLES, preset="sound", options=ENGLISH, resamples=0
    )
    assert reported["eval_BLEU"] == expected.scores["BLEU"]
    assert reported["eval_Coverage"] == expected.scores["Coverage"]

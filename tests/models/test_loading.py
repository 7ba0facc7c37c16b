"""Loading of models: what is passed on to transformers, and a clear error for all that can be missing or wrong."""

import sys
from pathlib import Path

import pytest
from fake_packages import install, write_model

from conceptloom.errors import ConfigError
from conceptloom.models import check_device, load_model
from conceptloom.models.loading import LoadedModel, length_batches


def load(path: str, device: str = "cpu") -> LoadedModel:
    return load_model(path, "AutoModel", device, "scorer x")


def test_only_local_safetensors_are_loaded_and_the_model_is_put_where_it_was_asked_for(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    install(monkeypatch, gpus=2)
    found = load(write_model(tmp_path), "cuda:1")
    local = {"local_files_only": True, "trust_remote_code": False}
    assert found.tokenizer.options == local
    assert found.model.options == {**local, "use_safetensors": True, "output_loading_info": True}
    assert found.model.asked == ["eval", ("grad", False), ("to", "cuda:1", "float32")]
    assert (found.device, found.longest) == ("cuda:1", 64)


@pytest.mark.parametrize(
    ("gpus", "cuda", "device", "message"),
    [
        (0, None, "cuda", "torch 2.15.0 is built for the CPU only; install a CUDA build of torch, or use device cpu"),
        (0, "13.2", "cuda", "torch finds no GPU; check the driver with nvidia-smi"),
        (2, "13.2", "cuda:2", "device cuda:2: there is no such GPU; there are: cuda:0, cuda:1"),
        (2, "13.2", "gpu", "no device is called 'gpu': use cpu, cuda, or cuda:N"),
        (2, "13.2", "cuda:x", "no device is called 'cuda:x'"),
    ],
)
def test_a_device_that_is_not_there_is_an_error_with_the_cure(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, gpus: int, cuda: str | None, device: str, message: str
) -> None:
    install(monkeypatch, gpus, cuda)
    with pytest.raises(ConfigError, match=message):
        load(write_model(tmp_path), device)


def test_the_cpu_is_used_where_it_is_asked_for_though_there_is_a_gpu(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    install(monkeypatch, gpus=1)
    assert load(write_model(tmp_path)).model.asked[-1] == ("to", "cpu", "float32")


def test_device_names_are_checked_without_torch() -> None:
    assert [check_device(name) for name in ("cpu", "cuda", "cuda:11")] == ["cpu", "cuda", "cuda:11"]
    for name in ("", "CPU", "cpu:0", "mps", "cuda:", "cuda:-1", "cuda:١"):
        with pytest.raises(ConfigError, match="no device is called"):
            check_device(name)


@pytest.mark.parametrize("package", ["torch", "transformers"])
def test_missing_packages_are_named_with_the_line_that_installs_them(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, package: str
) -> None:
    install(monkeypatch)
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(ConfigError, match=r"scorer x needs torch and .*: pip install 'conceptloom\[neural\]'"):
        load(write_model(tmp_path))


@pytest.mark.parametrize("name", ["pytorch_model.bin", "model.pt", "model.ckpt"])
def test_pickled_weights_are_refused_with_the_way_to_convert_them(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str
) -> None:
    install(monkeypatch)
    with pytest.raises(ConfigError, match=rf"pickled only \({name}\).*save_pretrained\(FOLDER, safe_serialization"):
        load(write_model(tmp_path, weights=name))


def test_a_folder_without_a_model_is_an_error(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    install(monkeypatch)
    for path in (tmp_path, tmp_path / "nowhere"):
        with pytest.raises(ConfigError, match=r"no such model \(config.json is missing\); give the directory"):
            load(str(path))
    with pytest.raises(ConfigError, match=r"no such model \(it has no weights"):
        load(write_model(tmp_path, weights="notes.md"))


def test_a_model_of_another_kind_is_an_error(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """transformers fills in random weights, and says so in a log line only."""
    install(monkeypatch, missing=["pooler.dense.weight", "classifier.weight", "classifier.bias"])
    with pytest.raises(ConfigError, match=r"another kind of model: as Auto it lacks .* classifier.bias, classifier.w"):
        load(write_model(tmp_path))
    install(monkeypatch, missing=["pooler.dense.weight"])
    assert load(write_model(tmp_path))


def test_a_model_without_tokenizer_is_an_error(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    install(monkeypatch)
    path = write_model(tmp_path)
    (tmp_path / "tokenizer.json").unlink()
    with pytest.raises(ConfigError, match=r"no tokenizer of this model can be read \(no vocabulary\)"):
        load(path)


def test_batches_hold_texts_of_like_lengths_and_each_text_once() -> None:
    lengths = [5, 1, 9, 1, 5, 3, 2]
    batches = list(length_batches(lengths, 3))
    assert sorted(at for batch in batches for at in batch) == list(range(7))
    assert [lengths[at] for batch in batches for at in batch] == sorted(lengths)
    assert max(map(len, batches)) == 3
    assert list(length_batches([], 3)) == []

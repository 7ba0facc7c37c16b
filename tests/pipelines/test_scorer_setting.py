"""`select.scorer`: a name, or a name with options; what is wrong with it is said before anything is opened."""

from pathlib import Path
from typing import Any

import pytest
from fake_packages import write_model

from conceptloom.errors import ConfigError
from conceptloom.pipelines import RECIPES
from conceptloom.pipelines.build.configuration import make_settings, to_yaml
from conceptloom.pipelines.korean_commongen.recipe import RECIPE, selection_of
from conceptloom.pipelines.korean_commongen.settings import KoreanCommonGenSettings
from conceptloom.similarity import BiEncoder, StaticKo, Tfidf, static


def chosen(scorer: Any) -> KoreanCommonGenSettings:
    data = {"inputs": {"a": {"patterns": ["a.txt"]}}, "select": {"scorer": scorer}}
    return make_settings(KoreanCommonGenSettings, data, "the test")


def test_a_name_stays_a_name_in_the_resolved_configuration() -> None:
    for scorer in ("static-ko", {"name": "static-ko"}):
        assert "\n  scorer: static-ko\n" in to_yaml(chosen(scorer))
    assert selection_of(chosen("tfidf")).scorer == Tfidf()
    assert selection_of(make_settings(KoreanCommonGenSettings, {"inputs": {"a": {"patterns": ["a"]}}}, "")).scorer == (
        StaticKo()
    )


def test_options_reach_the_scorer_and_come_back_from_the_resolved_configuration() -> None:
    options = {"name": "bi-encoder", "path": "/models/a", "device": "cuda:1"}
    settings = chosen(options)
    assert selection_of(settings).scorer == BiEncoder("/models/a", "cuda:1")
    assert settings.model_dump(mode="json")["select"]["scorer"] == options


@pytest.mark.parametrize(
    ("scorer", "message"),
    [
        ("bert", "select.scorer: no scorer is called 'bert'; there are: bi-encoder, static-ko, tfidf"),
        ({"name": "tfidf", "path": "a"}, "select.scorer: scorer tfidf has no option 'path'; it has none"),
        ({"name": "bi-encoder", "paht": "a"}, "has no option 'paht'; it has: device, path, pooling"),
        ({"name": "bi-encoder"}, "select.scorer: scorer bi-encoder needs the option path: text"),
        ({"name": "bi-encoder", "path": 3}, "option path of scorer bi-encoder is 3; it may be text"),
        ({"name": "bi-encoder", "path": "a", "pooling": "max"}, "is 'max'; it may be 'mean' or 'first'"),
        ({"name": "bi-encoder", "path": "a", "device": "gpu"}, "scorer bi-encoder: no device is called 'gpu'"),
        (3, "select.scorer: 3 is neither a name nor a mapping of name and options"),
        ({"path": "a"}, "is neither a name nor a mapping"),
        (["static-ko"], "is neither a name nor a mapping"),
    ],
)
def test_what_cannot_be_is_an_error_that_says_what_may_be(scorer: Any, message: str) -> None:
    with pytest.raises(ConfigError) as raised:
        chosen(scorer)
    assert message in str(raised.value)


def stage_settings(scorer: Any) -> dict[str, Any]:
    (select,) = (stage for stage in RECIPE.stages if stage.name == "select")
    return select.settings(chosen(scorer))


def test_the_launcher_opens_no_scorer(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    expected = static.StaticScorer(static.load_table()).signature()

    def opened(*_: object) -> None:
        raise AssertionError("a scorer was opened")

    monkeypatch.setattr(static, "load_table", opened)
    monkeypatch.setattr("conceptloom.similarity.bi_encoder.load_model", opened)
    assert stage_settings("static-ko")["scorer_signature"] == expected
    model = {"name": "bi-encoder", "path": write_model(tmp_path)}
    found = stage_settings(model)
    assert found["scorer"] == "bi-encoder" and str(tmp_path) not in str(found)
    (tmp_path / "model.safetensors").write_bytes(b"other weights")
    assert stage_settings(model) != found


def test_a_model_that_is_not_there_is_found_out_before_anything_runs(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no such model"):
        RECIPES["korean-commongen"].check(chosen({"name": "bi-encoder", "path": str(tmp_path)}), str(tmp_path / "out"))

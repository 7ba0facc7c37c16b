"""Resource hints: checked when they are read, and never a part of what is built."""

import shutil
from pathlib import Path
from typing import Any

import pytest
from apache_beam.transforms.resources import parse_resource_hints
from builds import RECIPE, Recorder, build, differing, sample_build
from hypothesis import given
from hypothesis import strategies as st

from conceptloom.errors import ConfigError
from conceptloom.pipelines import RECIPES
from conceptloom.pipelines.build.configuration import make_settings

ACCELERATOR = "type:nvidia-l4;count:1;install-nvidia-driver"


def score(**hints: Any) -> dict[str, str]:
    """The hints as the recipe's settings take them."""
    data = {"inputs": {"s": {"patterns": ["a.txt"]}}, "resources": {"score": hints}}
    found: dict[str, str] = make_settings(RECIPES[RECIPE].settings, data, "the test").resources.score.hints()
    return found


def test_what_is_not_given_is_no_hint() -> None:
    assert score() == {}
    assert score(min_ram="8GB") == {"min_ram": "8GB"}
    assert score(min_ram="8GB", accelerator=ACCELERATOR) == {"min_ram": "8GB", "accelerator": ACCELERATOR}


@given(
    number=st.floats(0.001, 1e6).map(lambda number: f"{number:.3f}") | st.integers(1, 10**6).map(str),
    unit=st.sampled_from("KMGT"),
    binary=st.booleans(),
    space=st.sampled_from(["", " "]),
)
def test_what_is_taken_is_what_beam_reads(number: str, unit: str, binary: bool, space: str) -> None:
    exponent = "KMGT".index(unit) + 1
    (held,) = parse_resource_hints(score(min_ram=f"{number}{space}{unit}{'i' if binary else ''}B")).values()
    assert int(held) == pytest.approx(float(number) * (1024 if binary else 1000) ** exponent, abs=1)


@pytest.mark.parametrize("hint", ["16", "GB", "16 gigabytes", "0GB", "0.0GiB", "-1GB", "nanGB", "1e3GB", "16GB\n", ""])
def test_a_size_that_is_none(hint: str) -> None:
    with pytest.raises(ConfigError, match="resources.score.min_ram"):
        score(min_ram=hint)


@pytest.mark.parametrize(
    "hint",
    [
        "nvidia-tesla-t4",
        "type:nvidia-tesla-t4",
        "type:;count:1",
        "type:t4;count:0",
        "type:t4;count:1;",
        "count:1;type:t4",
    ],
)
def test_an_accelerator_that_is_none(hint: str) -> None:
    with pytest.raises(ConfigError, match="resources.score.accelerator"):
        score(accelerator=hint)


def test_an_unknown_hint_is_an_error() -> None:
    with pytest.raises(ConfigError, match=r"unknown key resources\.score\.ram; allowed keys: accelerator, min_ram"):
        score(ram="16GB")


def test_hints_change_nothing_that_is_built(tmp_path: Path) -> None:
    """The direct runner takes them and has no use for them."""
    build(tmp_path / "out", resources={"score": {"accelerator": ACCELERATOR, "min_ram": "16GB"}})
    assert differing(tmp_path / "out", sample_build()) == ["config.yaml"]


def test_hints_run_no_stage_again(tmp_path: Path) -> None:
    shutil.copytree(sample_build(), tmp_path / "out")
    recorder = Recorder()
    build(tmp_path / "out", observer=recorder, resources={"score": {"min_ram": "16GB"}})
    assert recorder.ran == []
    assert "min_ram: 16GB" in (tmp_path / "out" / "config.yaml").read_text(encoding="utf-8")

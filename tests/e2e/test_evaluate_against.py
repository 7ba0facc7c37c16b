"""Systems with references of their own in one run, as in the ablation of Korean CommonGen (table 3)."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from builds import SHARED, here, write_lines

OUTPUTS = SHARED / "outputs"
REAL = pytest.mark.skipif(not OUTPUTS.exists(), reason="the published outputs are not here")
PRESET = ("evaluate", "--preset=korean-commongen", "--resamples=50")
SETS = [("개", "공", "물"), ("방", "책", "있"), ("길", "차", "서")]
SAID = ["개가 공을 문다.", "방에 책이 있다.", "길에 차가 서 있다."]


def _lines(path: Path, sets: list[tuple[str, ...]]) -> str:
    rows = zip(sets, SAID, strict=True)
    return str(write_lines(path, (json.dumps({"concept-set": "#".join(s), "scene": [t]}) for s, t in rows)))


def _report(*arguments: object) -> dict[str, Any]:
    said = here(*PRESET, *arguments, "--json")
    assert said.returncode == 0, said.stderr
    found: dict[str, Any] = json.loads(said.stdout)
    return found


@pytest.fixture
def files(tmp_path: Path) -> dict[str, str]:
    """Content morphemes for all, nouns alone for the systems nouns-1 and nouns-2."""
    found = {name: str(write_lines(tmp_path / f"{name}.txt", SAID)) for name in ("all", "nouns-1", "nouns-2")}
    content, nouns = _lines(tmp_path / "content.jsonl", SETS), _lines(tmp_path / "nouns.jsonl", [s[:2] for s in SETS])
    return {**found, "content": content, "nouns": nouns}


def test_each_system_has_the_scores_of_a_run_of_its_own(files: dict[str, str], tmp_path: Path) -> None:
    systems = [files[name] for name in ("all", "nouns-1", "nouns-2")]
    given = [f"--references={files['content']}", "--predictions", *systems]
    found = _report(*given, "--against", f"nouns-*={files['nouns']}", "--output", tmp_path / "out")
    alone = _report(f"--references={files['nouns']}", "--predictions", *systems[1:])
    own = [{name: value for name, value in one.items() if name != "references"} for one in found["systems"]]
    assert own[1:] == alone["systems"]
    assert [one["references"] for one in found["systems"][1:]] == [alone["references"]] * 2
    assert own[:1] == _report(f"--references={files['content']}", "--predictions", systems[0])["systems"]
    assert {(one["first"], one["second"]) for one in found["comparisons"]} <= {
        ("nouns-1", "nouns-2"),
        ("nouns-2", "nouns-1"),
    }
    with (tmp_path / "out" / "leaderboard.csv").open(encoding="utf-8", newline="") as stream:
        digests = [row["references"] for row in csv.DictReader(stream)]
    assert digests == [found["references"]["digest"], *[alone["references"]["digest"]] * 2]
    said = here(*PRESET, *given, "--against", f"nouns-*={files['nouns']}").stdout
    assert f"references of nouns-1, nouns-2 {files['nouns']} (3 sets, 3 sentences, " in said
    assert f"references of all {files['content']} (3 sets, 3 sentences, " in said


@pytest.mark.parametrize(
    ("against", "said"),
    [
        ("nouns-1", "--against takes SYSTEM,SYSTEM,…=PATH, not 'nouns-1'"),
        ("=a.jsonl", "--against takes SYSTEM,SYSTEM,…=PATH"),
        ("verbs=a.jsonl", "no system is called 'verbs'; there are: all, nouns-1"),
        ("all=none.jsonl", "none.jsonl: cannot be read"),
    ],
)
def test_what_is_wrong_is_said(files: dict[str, str], against: str, said: str) -> None:
    systems = (files["all"], files["nouns-1"])
    found = here(*PRESET, f"--references={files['content']}", "--predictions", *systems, "--against", against)
    assert found.returncode == 1 and said in found.stderr and found.stderr.count("\n") == 1


def test_a_system_has_one_file_of_references(files: dict[str, str]) -> None:
    twice = ("--against", f"all={files['nouns']}", "--against", f"a*={files['content']}")
    found = here(*PRESET, f"--references={files['content']}", "--predictions", files["all"], *twice)
    assert found.returncode == 1 and "all has two references" in found.stderr


@REAL
@pytest.mark.slow
@pytest.mark.parametrize("place", [0, 700, 2_040])
def test_a_surplus_set_is_named_and_the_published_figures_stay(tmp_path: Path, place: int) -> None:
    """The published ablations have 2,041 sets for 2,040 predictions."""
    lines = (OUTPUTS / "references.jsonl").read_text("utf-8").splitlines()
    lines.insert(place, json.dumps({"concept-set": "코끼리#냉장고#넣", "scene": ["코끼리를 냉장고에 넣는다."]}))
    surplus = write_lines(tmp_path / "r.jsonl", lines)
    said = here(*PRESET, f"--references={surplus}", "--predictions", OUTPUTS / "KoGPT2_quantitative.txt", "--json")
    (system,) = json.loads(said.stdout)["systems"]
    assert f"set {place + 1:,} (코끼리#냉장고#넣)" in said.stderr
    found = {score["name"]: f"{score['value']:.2f}" for score in system["scores"]}
    assert (found["BLEU-3"], found["BLEU-4"], found["ROUGE-L"], system["items"]) == ("29.24", "18.91", "60.41", 2040)

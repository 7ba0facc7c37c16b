"""A recipe that is unknown to this package, in every operation on a build."""

import csv
import json
import random
from collections.abc import Iterator
from pathlib import Path

import pyarrow.parquet as pq
import pytest
import toy_recipe
import yaml
from builds import here
from toy_recipe import RECIPE

from conceptloom import runners
from conceptloom.errors import ConfigError
from conceptloom.json_values import JsonObject
from conceptloom.pipelines import RECIPES
from conceptloom.pipelines.build.configuration import make_settings
from conceptloom.pipelines.build.engine import Build
from conceptloom.pipelines.estimation.estimate import estimate
from conceptloom.runners import DirectRunner

WORDS = ("dog", "cat", "tree", "road", "rain", "boat")


@pytest.fixture(scope="module", autouse=True)
def registered() -> Iterator[None]:
    """Registers the toy recipe, as an entry point would."""
    RECIPES.add(RECIPE.name, RECIPE)
    yield
    del RECIPES._entries[RECIPE.name]


def pairs(count: int) -> list[dict[str, str]]:
    """Returns different pairs, some of which the recipe rejects."""
    draw = random.Random(count)
    rows = []
    for number in range(count):
        premise, hypothesis = (f'The {draw.choice(WORDS)}, "{number}" {draw.choice(WORDS)}.' for _ in range(2))
        label = draw.choice(("same", "other", "other", "maybe"))
        rows.append({"premise": premise, "hypothesis": premise if number % 9 == 0 else hypothesis, "label": label})
    return rows


def write_table(path: Path, rows: list[dict[str, str]]) -> Path:
    with path.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.DictWriter(stream, ["label", "premise", "hypothesis"])
        writer.writeheader()
        writer.writerows(rows)
    return path


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table with 400 pairs, one of them twice, and a truncated row."""
    rows = pairs(400)
    path = write_table(tmp_path_factory.mktemp("corpus") / "pairs.csv", [*rows, rows[1]])
    with path.open("a", encoding="utf-8") as stream:
        stream.write("same,half a row\n")
    return path


def arguments(corpus: Path, output: Path, *more: object) -> list[object]:
    columns = "inputs.pairs.options.columns='premise,hypothesis,label'"
    return ["build", RECIPE.name, f"--input=pairs:table={corpus}", "--set", columns, "--output", output, *more]


def run(*words: object) -> str:
    said = here(*words)
    assert said.returncode == 0, said.stderr
    return said.stdout


@pytest.fixture(scope="module")
def built(corpus: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished build with two workers."""
    output = tmp_path_factory.mktemp("toy") / "builds" / "1"
    said = run(*arguments(corpus, output, "--workers=2"))
    assert "train" in said and "data set:" in said
    return output


def rows_of(build: Path) -> dict[str, list[JsonObject]]:
    splits = ("train", "validation", "test")
    found = {split: sorted((build / "data").glob(f"{split}-*.parquet")) for split in splits}
    return {split: [row for file in files for row in pq.read_table(file).to_pylist()] for split, files in found.items()}


def report(build: Path) -> JsonObject:
    return json.loads((build / "report.json").read_text())


def test_every_record_is_a_row_or_has_a_reason(corpus: Path, built: Path) -> None:
    rows = [row for split in rows_of(built).values() for row in split]
    wanted = [row for row in pairs(400) if row["label"] != "maybe" and row["premise"] != row["hypothesis"]]
    assert sorted(tuple(row[name] for name in toy_recipe.FIELDS) for row in rows) == sorted(
        tuple(row[name] for name in toy_recipe.FIELDS) for row in wanted
    )
    ledger = report(built)["stages"]["ingest"]["pairs"]
    assert (ledger["read"], ledger["kept"]) == (402, len(wanted))
    twins = sum(row["premise"] == row["hypothesis"] and row["label"] != "maybe" for row in pairs(400))
    maybe = sum(row["label"] == "maybe" for row in pairs(400))
    assert ledger["rejected"] == {"duplicate": 1, "malformed": 1, "twins": twins, "unknown_label": maybe}


def test_the_locator_of_a_row_names_its_record(built: Path) -> None:
    for split in rows_of(built).values():
        for row in split:
            record = int(row["locator"].removeprefix("pairs.csv#"))
            original = pairs(400)[record - 1]
            assert {name: row[name] for name in original} == original


def test_one_worker_and_another_order_of_files_give_the_same_bytes(corpus: Path, built: Path, tmp_path: Path) -> None:
    run(*arguments(corpus, tmp_path / "again", "--workers=1"))
    for path in [*built.glob("data/*"), *built.glob("published/*"), *built.glob("rejected/*"), built / "README.md"]:
        assert (tmp_path / "again" / path.relative_to(built)).read_bytes() == path.read_bytes()


def test_a_killed_build_goes_on(corpus: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    run(*arguments(corpus, tmp_path / "out", "--workers=1", "--only=ingest"))
    assert not (tmp_path / "out" / "MANIFEST.json").exists()
    said = here(*arguments(corpus, tmp_path / "out", "--workers=1"))
    assert "stage ingest: done before, not run again" in said.stderr and said.returncode == 0
    changed = here(*arguments(corpus, tmp_path / "out", "--workers=1", "--set=split.test=0.3", "--update"))
    assert "stage ingest: done before" in changed.stderr and "stage split: started" in changed.stderr


def test_what_became_of_a_record_is_explained(built: Path) -> None:
    row = rows_of(built)["train"][0]
    for name in (row["id"], row["locator"]):
        (history,) = json.loads(run("explain", built, name, "--json"))
        assert (history["id"], history["locator"]) == (row["id"], row["locator"])
        assert history["rows"] == [{"split": "train", "row": row}]
    said = run("explain", built, row["id"])
    assert f"premise   {row['premise']}" in said and "split     train" in said
    left_out = next(number for number, row in enumerate(pairs(400), 1) if row["label"] == "maybe")
    assert "rejected  in stage ingest: unknown_label" in run("explain", built, f"pairs.csv#{left_out}")
    assert "malformed (broken_row" in run("explain", built, "pairs.csv#402")
    assert here("explain", built, "pairs.csv#4020").returncode == 1


def test_builds_are_compared_by_their_own_columns(corpus: Path, built: Path, tmp_path: Path) -> None:
    rows = pairs(400)
    kept = [number for number, row in enumerate(rows) if row["label"] == "same" and row["premise"] != row["hypothesis"]]
    del rows[kept[0]]
    other = write_table(tmp_path / "pairs.csv", rows)
    run(*arguments(other, tmp_path / "2", "--workers=1"))
    found = json.loads(run("diff", built, tmp_path / "2", "--json"))
    assert found["kinds"]["gone"] == 1 and found["kinds"]["added"] == 0
    assert found["columns"].keys() <= {"locator"}
    assert found["examples"]["gone"][0]["premise"] == pairs(400)[kept[0]]["premise"]
    assert pairs(400)[kept[0]]["premise"] in run("diff", built, tmp_path / "2")
    same = run("diff", built, built)
    assert "all the same" in same
    refused = here("diff", built, tmp_path)
    assert refused.returncode == 1 and "contains no finished build" in refused.stderr


def test_a_build_is_promoted_and_a_leak_is_not(corpus: Path, built: Path) -> None:
    said = run("promote", built)
    assert "leak" in said and "current" in said and (built.parent / "current").resolve() == built.resolve()


def test_a_row_in_two_splits_is_a_leak(corpus: Path, tmp_path: Path) -> None:
    build = tmp_path / "builds" / "1"
    run(*arguments(corpus, build, "--workers=1"))
    manifest = json.loads((build / "MANIFEST.json").read_text())
    (test,) = build.glob("data/test-*.parquet")
    (train,) = build.glob("data/train-*.parquet")
    train.write_bytes(test.read_bytes())
    entry = {file["path"]: file for file in manifest["files"]}
    entry[f"data/{train.name}"].update(
        {name: entry[f"data/{test.name}"][name] for name in ("rows", "bytes", "blake2b")}
    )
    (build / "MANIFEST.json").write_text(json.dumps(manifest))
    said = here("promote", build)
    assert said.returncode == 3 and "gates failed: leak rows:" in said.stderr


def test_the_cost_of_a_build_is_not_estimated(corpus: Path) -> None:
    options = {"columns": "premise,hypothesis,label"}
    data = {"inputs": {"pairs": {"patterns": [str(corpus)], "format": "table", "options": options}}}
    settings = make_settings(RECIPE.settings, data, "the test")
    with pytest.raises(ConfigError, match="toy-pairs cannot be estimated: try a build with --limit"):
        estimate(RECIPE, settings, DirectRunner(), where="direct", workers=1, sample_bytes=10**6)


def test_there_is_no_demo_and_no_variant(built: Path, tmp_path: Path) -> None:
    assert "has no demo" in here("demo", "--recipe", RECIPE.name).stderr
    said = here("variant", built, "--kind", "curriculum", "--output", tmp_path / "v")
    assert said.returncode == 1 and "has no variants" in said.stderr
    assert RECIPE.summary in run("recipes")


def test_the_card_is_the_recipes_and_the_data_loads(built: Path) -> None:
    text = (built / "README.md").read_text()
    header = yaml.safe_load(text.split("---")[1])
    assert header["task_categories"] == ["text-classification"]
    assert [one["split"] for one in header["configs"][0]["data_files"]] == ["train", "validation", "test"]
    assert "# Pairs of sentences" in text and "Labels: same, other." in text and str(built.parent) not in text
    datasets = pytest.importorskip("datasets")
    loaded = datasets.load_dataset(str(built), cache_dir=str(built.parent / "cache"))
    assert {split: loaded[split].num_rows for split in loaded} == {
        split: len(rows) for split, rows in rows_of(built).items()
    }
    assert loaded["train"].column_names == toy_recipe.ROWS.names


def test_settings_are_the_recipes_own(corpus: Path, tmp_path: Path) -> None:
    said = here(*arguments(corpus, tmp_path / "x", "--set", "split.tests=1"))
    assert "unknown key split.tests; allowed keys: test, validation" in said.stderr
    said = here(*arguments(corpus, tmp_path / "x", "--dry-run"))
    assert "recipe   toy-pairs: ingest, split, publish" in said.stdout and not (tmp_path / "x").exists()


def test_a_build_of_an_uninstalled_recipe_says_so(built: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(RECIPES._entries, RECIPE.name)
    for words in (("explain", built, "x"), ("diff", built, built), ("promote", built)):
        said = here(*words)
        assert said.returncode == 1 and "recipe 'toy-pairs', which is not installed" in said.stderr


def test_it_runs_where_the_tasks_are_imported_anew(corpus: Path, tmp_path: Path) -> None:
    """Worker processes import the toy recipe by its module name."""
    assert runners and Build  # what an external package would import
    run(*arguments(corpus, tmp_path / "out", "--workers=2", "--limit=30"))
    assert report(tmp_path / "out")["stages"]["ingest"]["pairs"]["read"] == 30

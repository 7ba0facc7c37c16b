"""The one reader of a build on disk, against the files themselves."""

import json
import shutil
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from builds import RECIPE, SPLITS, STAGES, build, data_rows, sample_build

from conceptloom.cli.recipes import taken
from conceptloom.errors import InputError
from conceptloom.pipelines.builds.finished import open_build, open_finished


def test_a_finished_build_is_what_its_files_are() -> None:
    found = open_finished(str(sample_build()))
    assert found.recipe.name == RECIPE
    assert found.rows() == {split: len(rows) for split, rows in data_rows(sample_build()).items()}
    assert found.report == json.loads((sample_build() / "report.json").read_text(encoding="utf-8"))
    assert list(found.stages) == list(STAGES)
    for split in SPLITS:
        assert [row for table in found.tables(split) for row in table.to_pylist()] == data_rows(sample_build())[split]
        paths = [file["path"] for file in found.files("published", split)]
        assert paths == sorted(
            str(path.relative_to(sample_build())) for path in sample_build().glob(f"published/{split}-*")
        )


def test_a_shard_holds_the_rows_of_its_bucket() -> None:
    found = open_build(str(sample_build()))
    shards = sorted((sample_build() / "stages" / "1-ingest").glob("sentences-*.parquet"))
    for bucket, shard in enumerate(shards):
        for row in pq.read_table(shard).to_pylist()[:20]:
            assert found.bucket(row["id"]) == bucket
            assert found.rows_with("ingest", "sentences", bucket, "id", row["id"]) == [row]


def test_a_build_that_is_not_finished_has_stages_and_no_data_set(tmp_path: Path) -> None:
    build(tmp_path / "out", only="ingest")
    found = open_build(str(tmp_path / "out"))
    assert list(found.stages) == ["ingest"]
    with pytest.raises(InputError, match="no finished build"):
        found.rows()
    with pytest.raises(InputError, match="no finished build"):
        open_finished(str(tmp_path / "out"))


def test_what_is_no_build_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="contains no build"):
        open_build(str(tmp_path))
    copy = tmp_path / "copy"
    shutil.copytree(sample_build(), copy)
    next(copy.glob("data/test-*")).unlink()
    with pytest.raises(InputError, match=r"data/test-.* is missing or has the wrong size"):
        open_finished(str(copy))
    (copy / "stages" / "BUILD").write_text("elsewhere\n")
    with pytest.raises(InputError, match="recipe 'elsewhere', which is not installed"):
        open_build(str(copy))


@pytest.mark.parametrize(
    ("arguments", "given", "others"),
    [
        (["commongen", "--conceptnet", "a.csv", "-x"], {"conceptnet": "a.csv"}, ["commongen", "-x"]),
        (["--conceptnet=a=b", "commongen"], {"conceptnet": "a=b"}, ["commongen"]),
        (["--conceptnet=", "--conceptnet", "b"], {"conceptnet": "b"}, []),
        (["--", "--conceptnet", "b"], {}, ["--", "--conceptnet", "b"]),
        (["--conceptnets", "b"], {}, ["--conceptnets", "b"]),
    ],
)
def test_a_recipes_own_options_are_taken_out(arguments: list[str], given: dict[str, str], others: list[str]) -> None:
    assert taken(["conceptnet"], arguments) == (given, others)

"""Every command of the command line, on a build of the samples and on the published data."""

import io
import json
import re
import shutil
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import yaml
from builds import (
    RECIPE,
    SAMPLE_ARGUMENTS,
    SAMPLES,
    SHARED,
    STAGES,
    build,
    cli,
    data_rows,
    differing,
    files_of,
    finished_cli,
    here,
    lines_input,
    plain_sentences,
    report,
    rows,
    sample_build,
    stage_rows,
    write_lines,
)

import conceptloom
from conceptloom.languages.korean.extract import concepts_of
from conceptloom.readers.published import read_examples


@pytest.fixture(scope="module")
def sample() -> Path:
    return sample_build()


def done(*arguments: object) -> str:
    """The output of a command that must succeed; it runs in this process."""
    said = here(*arguments)
    assert said.returncode == 0, said.stderr
    return said.stdout


def test_demo(tmp_path: Path, sample: Path) -> None:
    said = finished_cli("demo", cwd=tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["conceptloom-demo"]
    assert differing(tmp_path / "conceptloom-demo", sample) == []
    assert "data set: conceptloom-demo" in said.stdout
    train = data_rows(sample)["train"]
    assert f"{len(train)} concept sets" in said.stdout
    assert f"{'#'.join(train[0]['concepts'])} -> {train[0]['target']}" in said.stdout
    assert all(f"stage {stage}: started" in said.stderr for stage in STAGES)
    again = finished_cli("demo", "--json", cwd=tmp_path)
    assert json.loads(again.stdout) == report(tmp_path / "conceptloom-demo")


def test_version() -> None:
    assert done("--version") == f"conceptloom {conceptloom.__version__}\n"


def test_help_names_every_command() -> None:
    text = done("--help")
    commands = (
        "build",
        "demo",
        "concepts",
        "stats",
        "variant",
        "explain",
        "formats",
        "scorers",
        "rules",
        "promote",
        "builds",
        "airflow",
        "diff",
        "estimate",
    )
    assert all(f"  {name} " in text for name in commands)


@pytest.mark.parametrize(
    ("command", "names"),
    [
        ("formats", ["aihub-captions", "aihub-dialogues", "json", "jsonl", "lines", "published", "table"]),
        ("scorers", ["static-ko", "tfidf"]),
        ("rules", ["published", "paper", "exact", "noun-verb", "free-morpheme", "unseen-pairs", "pronoun", "mecab"]),
    ],
)
def test_what_can_be_named(command: str, names: list[str]) -> None:
    entries: dict[str, str] = json.loads(done(command, "--json"))
    assert set(names) <= {name.split()[-1] for name in entries}
    assert all(summary and "\n" not in summary for summary in entries.values())
    lines = done(command).splitlines()
    assert [(line.split("  ")[0], line.split("  ")[-1].strip()) for line in lines] == list(entries.items())


def test_concepts() -> None:
    text = "개가 길에서 잔다.\r\n\n흰 고양이가  창가에서 낮잠을 잔다 .\n\0\ufeff비가 온다.\n"
    said = finished_cli("concepts", stdin=text)
    found = [json.loads(line) for line in said.stdout.splitlines()]
    assert [line["sentence"] for line in found[:3]] == ["개가 길에서 잔다.", "", "흰 고양이가 창가에서 낮잠을 잔다."]
    assert [line["concepts"] for line in found[:2]] == [["개", "길", "잔다"], []]
    assert found[2]["concepts"] == concepts_of([found[2]["sentence"]])[0]
    assert len(found) == 4


def test_concepts_of_text_that_is_not_utf_8(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = ["개가 길에서 잔다.", "dog", "비가 온다.", "눈이 온다."]
    content = b"\n".join(line.encode("utf-8" if number < 2 else "cp949") for number, line in enumerate(lines))
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
    said = here("concepts")
    assert said.returncode == 0
    assert [json.loads(line)["sentence"] for line in said.stdout.splitlines()[:2]] == lines[:2]
    assert said.stderr.startswith("warning: 2 of 4 lines are not UTF-8, the first is line 3;")
    assert said.stderr.count("\n") == 1 and "iconv" in said.stderr
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO("비가 온다.\n".encode())))
    assert here("concepts").stderr == ""


@pytest.mark.parametrize("rule", ["paper", "exact", "noun-verb", "free-morpheme"])
def test_concepts_by_another_rule(rule: str) -> None:
    texts = plain_sentences()[:20]
    said = finished_cli("concepts", "--rule", rule, stdin="\n".join(texts))
    assert [json.loads(line)["concepts"] for line in said.stdout.splitlines()] == concepts_of(texts, rule)


@pytest.mark.parametrize("option", ["--rule=any", "--tagger=any", "--language=fr"])
def test_concepts_by_an_unknown_name(option: str) -> None:
    said = cli("concepts", option, stdin="비가 온다.\n")
    assert said.returncode == 1
    assert said.stderr.splitlines()[-1].startswith("error: ") and "there are: " in said.stderr


def _splits(directory: Path, folder: str, ending: str) -> list[str]:
    return [f"--{split}={directory / folder / f'{split}-*.{ending}'}" for split in ("train", "validation", "test")]


@pytest.mark.parametrize(("folder", "ending"), [("published", "jsonl"), ("published", "txt"), ("data", "parquet")])
def test_stats_of_a_build_are_those_of_its_report(sample: Path, folder: str, ending: str) -> None:
    found: dict[str, Any] = json.loads(done("stats", *_splits(sample, folder, ending), "--json"))
    expected = report(sample)["statistics"]
    if ending != "parquet":
        for column in expected.values():
            column["source_rates"] = {}
    assert found == expected


def test_stats_of_the_directory_of_a_build(tmp_path: Path, sample: Path) -> None:
    assert json.loads(done("stats", sample, "--json")) == report(sample)["statistics"]
    assert done("stats", sample) == done("stats", *_splits(sample, "data", "parquet"))
    english = json.loads(done("stats", sample, "--table=commongen", "--json"))
    assert english["train"]["sets"] == len(data_rows(sample)["train"])
    assert here("stats", sample, f"--test={sample}").returncode == 2
    assert here("stats").returncode == 2
    assert here("stats", *_splits(sample, "data", "parquet"), "--", "--no_auth").returncode == 0
    assert "no finished build" in here("stats", tmp_path).stderr


def test_stats_as_a_table(sample: Path) -> None:
    lines = done("stats", *_splits(sample, "published", "jsonl")).splitlines()
    assert lines[0].split() == ["train", "validation", "test"]
    sizes = [len(found) for found in data_rows(sample).values()]
    assert lines[1].split() == ["concept", "sets", *map(str, sizes)]


@pytest.mark.skipif(not SHARED.is_dir(), reason="the real data is not in ../shared/data")
def test_stats_of_the_published_data() -> None:
    """The numbers of the paper's table 1 that depend on the test set alone."""
    captions = f"--train=captions={SHARED / 'published' / 'captions.jsonl'}"
    dialogues = f"--train=dialogues={SHARED / 'published' / 'dialogue_summaries.jsonl'}"
    arguments = ["stats", captions, dialogues, f"--test={SHARED / 'outputs' / 'references.jsonl'}"]
    found = json.loads(done(*arguments, "--json"))
    assert (found["train"]["sets"], found["test"]["sets"]) == (9_842 + 11_751, 2_040)
    assert list(found["test"]["sizes"].values()) == [334, 604, 577, 513, 12]
    assert found["test"]["unique_concepts"] == 3_270
    assert found["test"]["additional_morphemes"]["published"] == 4_682
    table = {line[:26].strip(): line.split()[-1] for line in done(*arguments).splitlines()}
    assert (table["concept sets"], table["unique concepts"]) == ("2,040", "3,270")
    assert (table["size <=3"], table["size >=7"]) == ("334", "12")
    assert table["additional morphemes"] == "4,682"
    bare = json.loads(done(*arguments, "--json", "--no-additional"))
    assert bare["test"]["additional_morphemes"] is None


@pytest.mark.parametrize("content", [None, "no example\n", '{"concept-set": "a#b"}\n'])
def test_stats_of_wrong_files(tmp_path: Path, content: str | None) -> None:
    path = tmp_path / "set.jsonl"
    if content is not None:
        path.write_text(content)
    said = here("stats", f"--train={path}", f"--test={path}")
    assert said.returncode == 1
    assert said.stderr.startswith(f"error: {path}: ") and said.stderr.count("\n") == 1


def _variant(sample: Path, output: Path, *arguments: object) -> dict[str, list[dict[str, Any]]]:
    """The rows of a variant; its published files must say the same."""
    text = done("variant", sample, "--output", output, *arguments)
    found = data_rows(output)
    for split, members in found.items():
        assert not members or f"{split:<11}{len(members):>9,} rows" in text
        for ending in ("jsonl", "txt"):
            paths = sorted((output / "published").glob(f"{split}-*.{ending}"))
            examples = [example for path in paths for example in read_examples(str(path))]
            assert [list(one.concepts) for one in examples] == [row["concepts"] for row in members]
            assert [list(one.sentences) for one in examples] == [row["references"] for row in members]
    return found


def test_variant_high_level(sample: Path, tmp_path: Path) -> None:
    """Each set loses one concept, which one depends on the seed."""
    chosen = {seed: _variant(sample, tmp_path / str(seed), "--kind=high-level", "--seed", seed) for seed in (42, 52)}
    for split, before in data_rows(sample).items():
        for row, one, other in zip(before, chosen[42][split], chosen[52][split], strict=True):
            assert len(one["concepts"]) == len(row["concepts"]) - 1
            assert [concept for concept in row["concepts"] if concept in one["concepts"]] == one["concepts"]
            assert {**one, "concepts": 0} == {**row, "concepts": 0} == {**other, "concepts": 0}
    assert chosen[42]["train"] != chosen[52]["train"]
    _variant(sample, tmp_path / "again", "--kind=high-level", "--seed=42")
    again, first = (
        {name: path.read_bytes() for name, path in files_of(tmp_path / place).items()} for place in ("again", "42")
    )
    assert again == first


def _card(directory: Path) -> tuple[dict[str, Any], str]:
    """The header and the text of a data card."""
    _, header, text = (directory / "README.md").read_text(encoding="utf-8").split("---\n", 2)
    return yaml.safe_load(header), text


def test_the_card_of_a_variant_says_what_it_is_and_holds_its_own_numbers(sample: Path, tmp_path: Path) -> None:
    _variant(sample, tmp_path / "out", "--kind=free-morpheme")
    header, text = _card(tmp_path / "out")
    assert "variant `free-morpheme` of that data set: the sets are made again by rule `free-morpheme`" in text
    left_out = (tmp_path / "out" / "rejected").exists()
    assert [one["config_name"] for one in header["configs"]] == ["default", *(["rejected"] if left_out else [])]
    found = data_rows(tmp_path / "out")
    assert f"| concept sets | {' | '.join(f'{len(members):,}' for members in found.values())} |" in text
    unique = [len({concept for row in members for concept in row["concepts"]}) for members in found.values()]
    assert f"| unique concepts | {' | '.join(f'{number:,}' for number in unique)} |" in text
    for card in (text, _card(sample)[1]):
        assert "named-entity filter" in card and "unethical sentences" in card and "not part of conceptloom yet" in card
    _variant(sample, tmp_path / "first", "--kind=source-only", "--source=captions")
    assert "variant `source-only` of that data set: the rows of source captions alone" in _card(tmp_path / "first")[1]
    _variant(sample, tmp_path / "order", "--kind=curriculum")
    table = "## Splits" + _card(sample)[1].split("## Splits")[1].split("## What")[0]
    assert table.strip() in _card(tmp_path / "order")[1]


def test_variant_source_only(sample: Path, tmp_path: Path) -> None:
    found = _variant(sample, tmp_path / "out", "--kind=source-only", "--source=captions")
    for split, before in data_rows(sample).items():
        assert found[split] == [row for row in before if row["source"] == "captions"]


@pytest.mark.parametrize("kind", ["noun-verb", "free-morpheme"])
def test_variant_of_another_rule(sample: Path, tmp_path: Path, kind: str) -> None:
    found = _variant(sample, tmp_path / "out", "--kind", kind)
    left_out = {row["id"] for row in rows(tmp_path / "out", "rejected/*.parquet")}
    for split, before in data_rows(sample).items():
        kept = {row["id"]: row for row in found[split]}
        for row, concepts in zip(before, concepts_of([row["target"] for row in before], kind), strict=True):
            assert (row["id"] in kept, row["id"] in left_out) == (bool(concepts), not concepts)
            if concepts:
                assert sorted(kept[row["id"]]["concepts"]) == sorted(concepts)


def test_variant_curriculum(sample: Path, tmp_path: Path) -> None:
    found = _variant(sample, tmp_path / "out", "--kind=curriculum")
    for split, before in data_rows(sample).items():
        assert found[split] == sorted(before, key=lambda row: row["source"])


@pytest.mark.parametrize(
    ("arguments", "parts"),
    [
        (["--kind=any"], ["'any'", "high-level", "source-only"]),
        (["--kind=source-only"], ["--source"]),
        (["--kind=source-only", "--source=films"], ["'films'"]),
    ],
)
def test_variant_of_what_there_is_not(sample: Path, tmp_path: Path, arguments: list[str], parts: list[str]) -> None:
    said = here("variant", sample, "--output", tmp_path / "out", *arguments)
    assert said.returncode == 1
    assert said.stderr.startswith("error: ") and said.stderr.count("\n") == 1
    assert all(part in said.stderr for part in parts)
    assert not (tmp_path / "out").exists()


def test_variant_of_no_build_and_into_a_full_directory(sample: Path, tmp_path: Path) -> None:
    said = here("variant", tmp_path, "--kind=high-level", "--output", tmp_path / "out")
    assert said.returncode == 1 and str(tmp_path) in said.stderr
    write_lines(tmp_path / "full" / "mine.txt", ["mine"])
    said = here("variant", sample, "--kind=high-level", "--output", tmp_path / "full")
    assert said.returncode == 1 and "not empty" in said.stderr
    assert list(files_of(tmp_path / "full")) == ["mine.txt"]


def _explained(directory: Path, what: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(done("explain", directory, what, "--json"))
    return found


def test_explain_a_sentence_by_id_and_by_text(sample: Path) -> None:
    index = rows(sample, "index/*.parquet")
    for split, members in data_rows(sample).items():
        row = members[3]
        (history,) = _explained(sample, row["id"])
        assert _explained(sample, row["target"]) == _explained(sample, f"  {row['target']}\n") == [history]
        assert (history["split"], history["source"], history["locator"]) == (split, row["source"], row["locator"])
        assert sorted(history["concepts"]) == sorted(row["concepts"])
        assert history["stored"] == row["concepts"]
        assert history["rejected"] == []
        assert all(verdict["keep"] for verdict in history["verdicts"])
        mine = {one["concept"]: one for one in index if one["sentence_id"] == row["id"]}
        sizes = Counter((one["concept"], one["source"]) for one in index)
        assert sorted(posting["concept"] for posting in history["postings"]) == sorted(row["concepts"])
        for posting in history["postings"]:
            assert posting["posting_size"] == sizes[posting["concept"], row["source"]]
            names = ("centrality", "rank", "selected")
            assert [posting[name] for name in names] == [mine[posting["concept"]][name] for name in names]


def test_explain_as_text(sample: Path) -> None:
    row = data_rows(sample)["test"][0]
    text = done("explain", sample, row["id"])
    lines = text.splitlines()
    assert lines[0] == row["target"] and lines[-1].split() == ["split", "test"]
    assert f"source    {row['source']}, {row['locator']}" in lines
    assert f"stored    {'#'.join(row['concepts'])}" in lines
    assert sum(line.startswith("posting ") for line in lines) == len(row["concepts"])
    assert sum(line.startswith("filter ") and line.endswith(": keep") for line in lines) == 10


def test_explain_a_concept_set_in_any_order(sample: Path) -> None:
    row = data_rows(sample)["train"][5]
    for concepts in (row["concepts"], row["concepts"][::-1]):
        assert row["id"] in [history["id"] for history in _explained(sample, "#".join(concepts))]


def test_explain_a_record(sample: Path) -> None:
    """A record's locator stands for all its texts, kept and rejected, and for no record whose number begins so."""
    every = [*rows(sample, "stages/1-ingest/sentences-*"), *rows(sample, "stages/1-ingest/rejected-*")]
    for record in ("captions_ko.json#1", "captions_ko.json#12", "dialogues_ko.json#3"):
        wanted = {row["id"] for row in every if re.split(r"[/.](?!json)", row["locator"])[0] == record}
        assert wanted
        assert {history["id"] for history in _explained(sample, record)} == wanted
    assert here("explain", sample, "captions_ko.json#9999").returncode == 1


def test_explain_a_part_of_a_sentence(sample: Path) -> None:
    every = [*rows(sample, "stages/1-ingest/sentences-*"), *rows(sample, "stages/1-ingest/rejected-*")]
    for part in ("악대가  북을 치며", "공원 벤치"):
        wanted = {row["id"] for row in every if " ".join(part.split()) in row["text"]}
        assert 0 < len(wanted) <= 10
        assert {history["id"] for history in _explained(sample, part)} == wanted
    said = here("explain", sample, "있다")
    assert said.stdout.count("\nid ") == 10
    assert said.stderr == "these are the first 10 texts that hold this: give a longer part\n"
    row = next(row for row in data_rows(sample)["train"] if row["target"].endswith("있다."))
    assert row["id"] in [history["id"] for history in _explained(sample, row["target"].removesuffix("."))]


def test_explain_every_kind_of_rejected_sentence(sample: Path) -> None:
    rejected = {row["reason"]: row for row in rows(sample, "rejected/*.parquet")}
    for reason in sorted(rejected.keys() - {"malformed", "duplicate", "empty"}):
        row = rejected[reason]
        (history,) = _explained(sample, row["text"])
        assert history["id"] == row["id"]
        assert history["rejected"] == [{name: row[name] for name in ("stage", "reason", "detail")}]
        assert history["split"] is None
        assert f"rejected  in stage {row['stage']}: {reason}" in done("explain", sample, row["id"])
        objections = [verdict["filter"] for verdict in history["verdicts"] if not verdict["keep"]]
        assert objections[:1] == ([reason] if row["stage"] == "ingest" else [])


def test_explain_names_the_copies(sample: Path) -> None:
    copies = [row for row in rows(sample, "rejected/*.parquet") if row["reason"] == "duplicate"]
    for row in copies:
        (history,) = _explained(sample, row["id"])
        assert row["locator"] in history["copies_at"]
        assert row["detail"] == f"first at {history['locator']}"


@pytest.mark.parametrize("what", ["0" * 20, "이런 문장은 없다.", "없는#묶음", "", "#"])
def test_explain_what_is_not_there(sample: Path, what: str) -> None:
    if what == "":
        (history,) = _explained(sample, what)
        assert history["rejected"][0]["reason"] == "empty"
        return
    said = here("explain", sample, what)
    assert said.returncode == 1
    assert said.stderr == f"error: {sample} has no sentence with this id or text, and no such concept set: {what}\n"


def test_explain_a_directory_without_a_build(tmp_path: Path) -> None:
    said = here("explain", tmp_path, "비가 온다.")
    assert said.returncode == 1 and str(tmp_path) in said.stderr and "no build" in said.stderr


def test_explain_a_build_that_is_not_finished(tmp_path: Path, sample: Path) -> None:
    build(tmp_path, only="ingest")
    row = data_rows(sample)["train"][0]
    text = done("explain", tmp_path, row["id"])
    assert text.count("stage select is not done") == len(row["concepts"])
    assert "split " not in text


def test_explain_in_a_build_of_several_buckets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Few sentences in many buckets: every row is still found, also where a bucket of concepts is empty."""
    path = write_lines(tmp_path / "raw.txt", plain_sentences()[:60])
    monkeypatch.setattr("conceptloom.pipelines.build.inputs.BUCKET_BYTES", 60)
    context = build(tmp_path / "out", {"s": lines_input(path)}, split={"test": 2, "validation": 1})
    assert context.plan.buckets > 50
    for members in data_rows(tmp_path / "out").values():
        for row in members[:8]:
            (history,) = _explained(tmp_path / "out", row["id"])
            assert all(posting["rank"] >= 1 for posting in history["postings"])


def test_dry_run_writes_nothing(tmp_path: Path) -> None:
    output = tmp_path / "out"
    arguments = ["build", RECIPE, *SAMPLE_ARGUMENTS, "--output", output, "--dry-run", "--set", "split.test=0.1"]
    text = done(*arguments)
    assert "captions_ko.json, format aihub-captions (found), utf-8" in text
    assert "ingest, select, split, publish" in text and "test: 0.1" in text and str(output) in text
    plan = json.loads(done(*arguments, "--json"))
    assert plan["stages"] == list(STAGES)
    assert plan["settings"]["split"]["test"] == 0.1 and plan["settings"]["select"]["posting_limit"] == 100
    assert list(tmp_path.iterdir()) == []


def test_dry_run_of_a_finished_build_touches_nothing(tmp_path: Path, sample: Path) -> None:
    shutil.copytree(sample, tmp_path / "out")
    before = {name: path.stat().st_mtime_ns for name, path in files_of(tmp_path / "out").items()}
    for extra in ([], ["--overwrite"], ["--set=select.top_k=9", "--update"]):
        done("build", RECIPE, *SAMPLE_ARGUMENTS, "--output", tmp_path / "out", "--dry-run", *extra)
    assert {name: path.stat().st_mtime_ns for name, path in files_of(tmp_path / "out").items()} == before


def test_json_of_a_build_and_of_one_stage(tmp_path: Path, sample: Path) -> None:
    arguments = ["build", RECIPE, *SAMPLE_ARGUMENTS, "--output", tmp_path / "out", "--json", "--workers=1"]
    one = json.loads(finished_cli(*arguments, "--only=ingest").stdout)
    assert one == {"ingest": report(sample)["stages"]["ingest"]}
    found = json.loads(finished_cli(*arguments).stdout)
    assert found["stages"] == report(sample)["stages"]


def test_settings_from_a_file_and_from_the_command_line(tmp_path: Path) -> None:
    """What is set on the command line comes over what the file says."""
    config = tmp_path / "config.yaml"
    captions = f"inputs: {{captions: {{patterns: [{SAMPLES / 'captions_ko.json'}]}}}}"
    config.write_text(f"{captions}\nseed: 7\nsplit: {{test: 9, validation: 3}}\n")
    arguments = ["build", RECIPE, "--config", config, "--output", tmp_path / "out", "--set=split.validation=4"]
    plan = json.loads(done(*arguments, SAMPLE_ARGUMENTS[1], "--limit=50", "--dry-run", "--json"))
    assert list(plan["settings"]["inputs"]) == ["captions", "dialogues"]
    assert (plan["settings"]["seed"], plan["settings"]["limit"]) == (7, 50)
    assert (plan["settings"]["split"]["test"], plan["settings"]["split"]["validation"]) == (9, 4)
    finished_cli(*arguments, "--workers=1")
    data = data_rows(tmp_path / "out")
    assert (len(data["test"]), len(data["validation"])) == (9, 4)
    assert {row["source"] for row in stage_rows(tmp_path / "out", "ingest", "sentences")} == {"captions"}


def test_beam_options_are_taken_behind_two_dashes(tmp_path: Path, sample: Path) -> None:
    arguments = ["build", RECIPE, *SAMPLE_ARGUMENTS, "--output", tmp_path / "out", "--workers=1"]
    finished_cli(*arguments, "--", "--job_name=one", "--direct_num_workers=1")
    assert differing(tmp_path / "out", sample) == []


def test_an_output_path_with_spaces_and_signs(tmp_path: Path, sample: Path) -> None:
    output = tmp_path / "내 결과 [1] *?%d{}"
    finished_cli("build", RECIPE, *SAMPLE_ARGUMENTS, "--output", output, "--workers=1")
    assert differing(output, sample) == []
    assert done("explain", output, data_rows(output)["train"][0]["id"])

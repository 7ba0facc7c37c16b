"""The recipe `commongen`: what a build holds, against plain loops over its own sentences and over real captions."""

import json
import math
import shutil
from collections import Counter
from itertools import combinations
from pathlib import Path

import pytest
from builds import Row, change_a_byte, here, report, rows, stage_rows, write_lines
from english_builds import (
    DEMO,
    ENGLISH,
    NAMES,
    SIZES,
    SPLITS,
    assert_tuples_counted,
    build_english,
    coco_captions,
    data_of,
    pairs,
    sample_english,
    scores,
    sentences_of,
    sets_of,
    supported,
)

import conceptloom.pipelines.build.inputs
from conceptloom.annotation import make_tasks
from conceptloom.annotation.importing import Import, import_answers
from conceptloom.errors import ConceptloomError, OutputError
from conceptloom.languages.english.stop_concepts import stop_concepts
from conceptloom.statistics.files import load_examples

REAL = pytest.mark.skipif(not NAMES.exists(), reason="the real captions are not here")
CAPTIONS = 250
QUOTAS = {"dev": {3: 20, 4: 0.002, 5: 5}, "test": {4: 12, 5: 0.003}, "rank": "score"}


@pytest.fixture(scope="module")
def sample() -> Path:
    return sample_english()


@pytest.fixture(scope="module")
def real(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A build of some hundred real captions in which every set is drawn."""
    folder = tmp_path_factory.mktemp("captions")
    path = write_lines(folder / "captions.txt", coco_captions(CAPTIONS))
    source = {"coco": {"patterns": [str(path)], "format": "lines"}}
    build_english(folder / "out", inputs=source, conceptnet=str(NAMES), quotas=QUOTAS, mine={"max_concepts": 40})
    return folder / "out"


@pytest.fixture(params=["sample", pytest.param("real", marks=REAL)])
def built(request: pytest.FixtureRequest) -> Path:
    directory: Path = request.getfixturevalue(request.param)
    return directory


def by_set(found: list[Row]) -> dict[frozenset[str], Row]:
    return {frozenset(row["concepts"]): row for row in found}


def test_every_candidate_has_the_numbers_of_plain_loops(built: Path) -> None:
    sets = sets_of(built)
    index, exact = by_set(rows(built, "index/*.parquet")), scores(sets)
    assert index.keys() == sets.keys()
    for concepts, one in sets.items():
        row = index[concepts]
        assert (row["support"], row["words"], row["length"]) == (len(one.captions), one.words, one.length)
        assert row["score"] == pytest.approx(float(exact[concepts]), abs=2e-6)
    assert report(built)["mined"]["sum_of_supports"] == sum(len(one.captions) for one in sets.values())
    assert sum(report(built)["mined"]["sets"].values()) == len(sets)


def test_dev_and_test_are_the_first_of_their_sizes(built: Path) -> None:
    """By score in one build; in the other those of at least three captions, as far as there are any."""
    index, data = rows(built, "index/*.parquet"), data_of(built)
    settings = DEMO["quotas"] if report(built)["records"]["records"].keys() > {"scenes"} else QUOTAS
    for size in SIZES:
        ranked = sorted((row for row in index if len(row["concepts"]) == size), key=lambda row: row["rank"])
        assert [row["rank"] for row in ranked] == list(range(1, len(ranked) + 1))
        if settings is QUOTAS:
            assert [row["score"] for row in ranked] == sorted((row["score"] for row in ranked), reverse=True)
        else:
            enough = [min(row["support"], 3) for row in ranked]
            assert enough == sorted(enough, reverse=True)
        asked = [settings[split].get(size, 0) for split in ("dev", "test")]
        wanted = [round(amount * len(ranked)) if isinstance(amount, float) else amount for amount in asked]
        held = [{row["id"] for row in data[name] if len(row["concepts"]) == size} for name in SPLITS[1:]]
        assert [len(members) for members in held] == wanted and sum(wanted)
        assert held[0] | held[1] == {row["id"] for row in ranked[: sum(wanted)]}


def test_final_overlap_policy(built: Path) -> None:
    data, index = data_of(built), rows(built, "index/*.parquet")
    train, dev, test = ([row["concepts"] for row in data[split]] for split in SPLITS)
    assert not pairs(train) & pairs(test)
    dev_pairs = pairs(dev)
    assert len(dev_pairs - pairs(train)) >= math.ceil(0.9631 * len(dev_pairs))
    dropped = {row["id"]: row for row in stage_rows(built, "split", "rejected")}
    assert dropped.keys() == {row["id"] for row in index if not row["split"]}
    for row in dropped.values():
        own = {tuple(sorted(pair)) for pair in combinations(row["text"].split("#"), 2)}
        with_test, with_dev = own & set(map(_pair, pairs(test))), own & set(map(_pair, dev_pairs))
        if with_test:
            assert (row["reason"], row["detail"]) == ("shares_test_pair", _listed(with_test))
        elif row["reason"] != "only_held_out_captions":
            assert (row["reason"], row["detail"]) == ("shares_dev_pair", _listed(with_dev)) and with_dev
    assert {row["reason"] for row in dropped.values()} == {
        "shares_test_pair",
        "shares_dev_pair",
        "only_held_out_captions",
    }


def _pair(concepts: frozenset[str]) -> tuple[str, ...]:
    return tuple(sorted(concepts))


def _listed(found: set[tuple[str, ...]]) -> str:
    return ", ".join("#".join(pair) for pair in sorted(found))


def test_sentences_of_the_sets(built: Path) -> None:
    """Train has all captions of a set but those that dev and test have, and these at most five a set."""
    sets, data = sets_of(built), data_of(built)
    held = {split: {text for row in data[split] for text in row["references"]} for split in SPLITS[1:]}
    assert not held["validation"] & held["test"] and held["validation"] and held["test"]
    for row in data["train"]:
        captions = sets[frozenset(row["concepts"])].captions
        assert sorted(row["references"]) == sorted(captions - held["validation"] - held["test"])
    for split, other in (SPLITS[1:], SPLITS[:0:-1]):
        for row in data[split]:
            captions = sets[frozenset(row["concepts"])].captions - held[other]
            assert set(row["references"]) <= captions and len(row["references"]) == min(5, len(captions))


def test_rows(built: Path) -> None:
    """Ids, targets and places; the order of the concepts is not the sorted one."""
    data = data_of(built)
    known = {row["text"]: row for row in sentences_of(built)}
    every = [row for split in SPLITS for row in data[split]]
    assert len({row["id"] for row in every}) == len(every)
    for row in every:
        assert row["target"] == (row["references"] or [""])[0]
        place = known.get(row["target"], {"source": "", "locator": ""})
        assert (row["source"], row["locator"]) == (place["source"], place["locator"])
    ordered = sum(row["concepts"] == sorted(row["concepts"]) for row in every)
    assert ordered == pytest.approx(sum(1 / math.factorial(len(row["concepts"])) for row in every), rel=0.2)
    for split in SPLITS:
        assert [row["id"] for row in data[split]] == sorted(row["id"] for row in data[split])


def test_published_files(built: Path) -> None:
    for split, members in data_of(built).items():
        lines = _texts(built, f"published/{split}-*.jsonl")
        assert [json.loads(line) for line in lines] == [
            {"concept_set": "#".join(row["concepts"]), "scene": row["references"], "reason": []} for row in members
        ]
        flat = [(" ".join(row["concepts"]), text) for row in members for text in row["references"] or [""]]
        source, target = (_texts(built, f"published/{split}-*_{end}.txt") for end in ("src", "trg"))
        assert list(zip(source, target, strict=True)) == flat
        tasks = [json.loads(line) for line in _texts(built, f"annotation/{split}-*.jsonl")]
        empty = {"sentence": "", "rationale": "", "worker": ""}
        expected = [{"id": row["id"], "concepts": row["concepts"], **empty} for row in members]
        assert tasks == (expected if split != "train" else [])


def _texts(directory: Path, pattern: str) -> list[str]:
    return [line for path in sorted(directory.glob(pattern)) for line in path.read_text("utf-8").splitlines()]


def test_tasks_come_back_as_references(built: Path, tmp_path: Path) -> None:
    """The tasks of a build, filled in, are taken as they are; an export of the same sets has the same ids."""
    (tasks,) = built.glob("annotation/test-*.jsonl")
    written = [json.loads(line) for line in tasks.read_text("utf-8").splitlines()]
    for task in written:
        task |= {"sentence": f"See {' '.join(task['concepts'])}.", "rationale": "they go together", "worker": "ann"}
    filled = write_lines(tmp_path / "filled.jsonl", map(json.dumps, written))
    done = import_answers([str(filled)], Import(str(tasks)), str(tmp_path / "references"))
    assert done["answers"] == {"read": len(written), "taken": len(written), "rejected": {}}
    examples = load_examples(str(built / "data" / "test-*.parquet"))
    assert {task.id for task in make_tasks(examples, 0)} == {task["id"] for task in written}


def test_sets_without_captions_are_sets_to_every_command(sample: Path, tmp_path: Path) -> None:
    """Sets whose references people are still to write, beside those of test, which have captions here."""
    (file,), (test,) = (sorted((sample / "published").glob(f"{name}-*.jsonl")) for name in ("validation", "test"))
    sets = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    bare = [{**one, "scene": []} for one in sets[::2]]
    mixed = write_lines(tmp_path / "mixed.jsonl", [*test.read_text("utf-8").splitlines(), *map(json.dumps, bare)])
    count = len(mixed.read_text("utf-8").splitlines())
    table = json.loads(here("stats", "--table", "commongen", "--train", mixed, "--json").stdout)
    assert table["train"]["sets"] == count
    said = here("annotation", "export", file, "--output", tmp_path / "tasks")
    assert said.stdout.startswith(f"{len(sets):,} tasks, {len(sets):,} references to be written")
    predictions = write_lines(tmp_path / "p.txt", ["a dog runs"] * count)
    arguments = ["evaluate", "--preset=sound", f"--references={mixed}", f"--predictions={predictions}", "--json"]
    (system,) = json.loads(here(*arguments, "--option=language=en").stdout)["systems"]
    assert system["items"] == count - len(bare)
    for command in (["annotation", "order", mixed], ["adequacy", mixed]):
        said = here(*command)
        assert said.returncode == 0 or "no set has 2 references" in said.stderr, said.stderr


def test_ledger_and_rejected(built: Path) -> None:
    """Read is kept and rejected in each stage, every rejected row is there, and sets are read as they were made."""
    stages = report(built)["stages"]
    assert list(stages) == ["ingest", "mine", "sample", "split", "publish"]
    for name, sources in stages.items():
        left_out = Counter((row["source"], row["reason"]) for row in rows(built, f"rejected/{name}-*.parquet"))
        for source, counts in sources.items():
            assert counts["read"] == counts["kept"] + sum(counts["rejected"].values())
            assert counts["rejected"] == {reason: n for (of, reason), n in sorted(left_out.items()) if of == source}
        assert left_out.total() == sum(counts["read"] - counts["kept"] for counts in sources.values())
    made = report(built)["mined"]["sets"]
    assert {name: counts["read"] for name, counts in stages["sample"].items()} == made
    few = Counter(row["source"] for row in sentences_of(built) if len({*row["concepts"]} - stop_concepts()) < 3)
    assert {n: c["rejected"].get("few_concepts", 0) for n, c in stages["mine"].items()} == {
        n: few[n] for n in stages["mine"]
    }


def test_statistics(built: Path) -> None:
    """The table of the final paper, counted again, and what people have still to write."""
    data = data_of(built)
    bare = {split: sum(not row["references"] for row in data[split]) for split in SPLITS[1:]}
    assert report(built)["without_references"] == bare
    card = (built / "README.md").read_text("utf-8")
    assert f"{bare['validation']:,} sets of validation and {bare['test']:,} of test have none." in card
    assert f"single words of `{report(built)['conceptnet']['file']}`" in card
    for split, column in report(built)["statistics"].items():
        sets = [row["concepts"] for row in data[split]]
        texts = [text for row in data[split] for text in row["references"]]
        assert (column["sets"], column["sentences"]) == (len(sets), len(texts))
        assert column["sizes"] == {str(k): n for k, n in sorted(Counter(map(len, sets)).items())}
        assert column["average_length"] == pytest.approx(sum(len(t.split()) for t in texts) / len(texts), abs=0.006)
        assert_tuples_counted(column, split, data)


def test_defects_of_the_samples(sample: Path) -> None:
    """Each is where the samples' README says, and in the ledger."""
    assert {name: c["rejected"] for name, c in report(sample)["stages"]["ingest"].items()} == {
        "captions": {"duplicate": 3},
        "scenes": {"duplicate": 2, "malformed": 1, "no_concepts": 1, "no_words": 1},
    }
    texts = {row["text"] for row in sentences_of(sample)}
    assert "A man doesn't open the door of the bus." in texts


@pytest.mark.parametrize(
    ("name", "reader"),
    [
        ("1-ingest/sentences-00000.parquet", "2-mine"),
        ("2-mine/mined-00000.parquet", "3-sample"),
        ("2-mine/terms.parquet", "3-sample"),
        ("3-sample/sets.parquet", "4-split"),
        ("2-mine/coded-00000.parquet", "4-split"),
        ("4-split/sets-00000.parquet", "5-publish"),
    ],
)
def test_a_changed_byte_is_found_by_the_stage_that_reads_it(tmp_path: Path, name: str, reader: str) -> None:
    output = Path(shutil.copytree(sample_english(), tmp_path / "out"))
    changed = output / "stages" / name
    change_a_byte(changed)
    (output / "stages" / reader / "MANIFEST.json").unlink()
    with pytest.raises(OutputError, match="its content has changed: delete it") as raised:
        build_english(output)
    assert str(raised.value).startswith(f"{changed} ")


def test_the_cap_on_concepts(tmp_path: Path) -> None:
    """A list that passes for a sentence keeps its rarest concepts; the ledger has a line of it."""
    names = [f"thing{chr(97 + at)}" for at in range(12)]
    common = [f"{names[0]} {names[1]} {names[2]} number {word}" for word in ("one", "two", "three")]
    lines = write_lines(tmp_path / "list.txt", [" ".join(names), *common])
    concepts = write_lines(tmp_path / "concepts.txt", names)
    inputs = {"list": {"patterns": [str(lines)], "format": "lines"}}
    quotas = {"dev": {3: 1}, "test": {4: 1}}
    mine = {"max_concepts": 9}
    settings = {"quotas": quotas, "mine": mine, "overlap": {"policy": "none", "references": 0}}
    build_english(tmp_path / "out", inputs=inputs, conceptnet=str(concepts), **settings)
    made = report(tmp_path / "out")
    assert made["capped"] == {"sentences": {"list": 1}, "concepts": {"list": 3}}
    assert made["mined"]["sets"] == {f"{k} concepts": math.comb(9, k) + (k == 3) for k in SIZES}
    assert "1 sentences had more concepts" in (tmp_path / "out" / "README.md").read_text("utf-8")


def test_the_cap_on_captions_of_train(sample: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A set has the first of the captions that it has without the cap; each other one is a row that names the set."""
    monkeypatch.setattr(conceptloom.pipelines.build.inputs, "BUCKET_BYTES", 3000)
    build_english(tmp_path / "out", overlap={"train_references": 1})
    data, free = data_of(tmp_path / "out"), data_of(sample)
    left_out = rows(tmp_path / "out", "rejected/split-captions-*.parquet")
    expected = Counter[tuple[str, str]]()
    for row, full in zip(data["train"], free["train"], strict=True):
        assert row == {**full, "references": full["references"][:1]}
        expected.update((text, "#".join(sorted(row["concepts"]))) for text in full["references"][1:])
    assert Counter((row["text"], row["detail"]) for row in left_out) == expected and expected.total() > 5
    assert data["validation"] == free["validation"] and data["test"] == free["test"]
    known = {row["text"]: (row["id"], row["source"], row["locator"]) for row in sentences_of(tmp_path / "out")}
    assert all(known[row["text"]] == (row["id"], row["source"], row["locator"]) for row in left_out)
    assert {(row["stage"], row["reason"]) for row in left_out} == {("split", "over_train_references")}
    cut = len({row["detail"] for row in left_out})
    counted = {"captions": dict(Counter(row["source"] for row in left_out)), "sets": cut}
    assert report(tmp_path / "out")["over_train_references"] == counted
    assert f"{cut:,} sets of train have more than `overlap" in (tmp_path / "out" / "README.md").read_text("utf-8")
    told = json.loads(here("explain", tmp_path / "out", left_out[0]["text"], "--json").stdout)[0]
    why = {"stage": "split", "reason": "over_train_references", "detail": left_out[0]["detail"]}
    assert why in told["rejected"]
    changed = json.loads(here("diff", sample, tmp_path / "out", "--json").stdout)
    assert changed["kinds"] == {"added": 0, "gone": 0, "changed": cut, "moved": 0}


def test_no_cap_is_no_file(sample: Path) -> None:
    assert report(sample)["over_train_references"] == {"captions": {}, "sets": 0}
    assert not list(sample.glob("rejected/split-captions-*")) and not list(sample.glob("stages/4-split/*captions*"))


@pytest.mark.parametrize(
    ("overlap", "reasons"),
    [({"policy": "none", "references": 0}, set()), ({"policy": "preprint", "max_shared": 1}, {"test", "dev"})],
)
def test_other_policies(tmp_path: Path, overlap: dict[str, object], reasons: set[str]) -> None:
    build_english(tmp_path / "out", overlap=overlap, limit=90)
    data, dropped = data_of(tmp_path / "out"), stage_rows(tmp_path / "out", "split", "rejected")
    held = [frozenset(row["concepts"]) for split in SPLITS[1:] for row in data[split]]
    most = overlap.get("max_shared", 5)
    near = [row for row in data["train"] if any(len(one & set(row["concepts"])) > most for one in held)]
    assert not near
    assert {row["reason"] for row in dropped} - {"only_held_out_captions"} == {f"shares_{n}_concepts" for n in reasons}
    for row in dropped:
        if row["reason"] != "only_held_out_captions":
            shared, other = (set(part.split("#")) for part in row["detail"].split(" of "))
            assert shared == other & set(row["text"].split("#")) and len(shared) > 1 and other in held
    if overlap.get("references") == 0:
        assert all(row["target"] == "" and row["references"] == [] for s in SPLITS[1:] for row in data[s])
        assert report(tmp_path / "out")["statistics"]["test"]["sentences"] == 0


def test_a_small_sample_is_drawn(tmp_path: Path) -> None:
    build_english(tmp_path / "out", limit=90, sample={"size": 500})
    candidates, left = (rows(tmp_path / "out", f"{kind}/*.parquet") for kind in ("index", "rejected"))
    not_drawn = [row for row in left if row["reason"] == "not_drawn"]
    sets = sets_of(tmp_path / "out")
    assert 500 < len(candidates) < 560
    drawn = {frozenset(row["concepts"]) for row in candidates}
    assert {frozenset(row["text"].split("#")) for row in not_drawn} == sets.keys() - drawn
    exact = scores(sets)
    assert sum(map(exact.__getitem__, drawn)) / len(drawn) > 1.2 * sum(exact.values()) / len(exact)
    for row in not_drawn[:50]:
        assert float(row["detail"].removeprefix("score ")) == pytest.approx(
            float(exact[frozenset(row["text"].split("#"))]), abs=2e-6
        )


def test_a_preset_fills_what_is_not_given(tmp_path: Path) -> None:
    """Every lemma is a concept again, copies that differ in case are captions, and what is given wins."""
    lines = ["A red dog runs in a big park", "a red dog runs in a big park!", "A dog and a cat run in the park"]
    texts = write_lines(tmp_path / "a.txt", lines)
    names = write_lines(tmp_path / "names.txt", ["red", "dog", "run", "big", "park", "cat"])
    found = {}
    for preset, more in {"default": {}, "every-lemma": {}, "mixed": {"mine": {"stop_concepts": ["red"]}}}.items():
        build_english(
            tmp_path / preset,
            inputs={"a": {"patterns": [str(texts)], "format": "lines"}},
            conceptnet=str(names),
            preset="default" if preset == "default" else "every-lemma",
            quotas={"dev": {3: 1}, "test": {}},
            overlap={"policy": "none", "references": 0},
            **more,
        )
        found[preset] = {
            frozenset(row["concepts"]): row["support"] for row in rows(tmp_path / preset, "index/*.parquet")
        }
    dog = frozenset({"dog", "run", "park"})
    assert (found["default"][dog], found["every-lemma"][dog], found["mixed"][dog]) == (2, 3, 3)
    concepts = {preset: frozenset().union(*sets) for preset, sets in found.items()}
    assert concepts["default"] == dog | {"cat"} and concepts["every-lemma"] == dog | {"cat", "red", "big"}
    assert concepts["mixed"] == dog | {"cat", "big"}


@REAL
def test_published_train_captions(tmp_path: Path) -> None:
    """All sets of the published train captions, and the sum of their supports, as a plain program counts them."""
    path = ENGLISH / "commongen" / "train_trg.txt"
    inputs = {"train": {"patterns": [str(path)], "format": "lines"}}
    for stage in ("ingest", "mine"):
        build_english(tmp_path / "out", only=stage, inputs=inputs, conceptnet=str(NAMES), mine={"max_concepts": 40})
    sentences = sentences_of(tmp_path / "out")
    assert len({row["text"] for row in sentences}) == len(sentences) > 28_000
    supports = Counter(concepts for _, concepts in supported(sentences, stopped=stop_concepts()))
    mined = json.loads(next(tmp_path.glob("out/stages/2-mine/MANIFEST.json")).read_text("utf-8"))["summary"]["numbers"]
    assert sum(mined["made"].values()) == len(supports) > 300_000
    assert mined["supports"]["all"] == supports.total() > 350_000


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"conceptnet": None}, "give --conceptnet FILE"),
        ({"conceptnet": "/nowhere/names.txt"}, "--conceptnet /nowhere/names.txt: no such file"),
        ({"quotas": {"dev": {3: 100_000}}}, "lower quotas.dev.3"),
        ({"quotas": {"dev": {7: 1}}}, "mine.sizes does not include 7"),
        ({"quotas": {"dev": {3: 1.5}}}, "quotas.dev.3 must be a number of sets or a fraction below 1, not 1.5"),
        ({"quotas": {"test": {4: -1}}}, "quotas.test.4 must be a number of sets or a fraction below 1, not -1"),
        ({"mine": {"sizes": [5, 3]}}, "ascending"),
        ({"ingest": {"analyser": "stanza"}}, "there are: lemma, lemma:published, lemma:every, spacy:MODEL"),
        ({"overlap": {"policy": "unseen-pairs"}}, "there are: final, none, preprint"),
        ({"select": {"scorer": "tfidf"}}, "unknown key select"),
        ({"mine": {"min_support": 50}}, "mine.min_support"),
        ({"mine": {"stop_concepts": "man"}}, "must be published or a list"),
        ({"preset": "every"}, "preset: Input should be 'default', 'published' or 'every-lemma'"),
        ({"quotas": {"rank": "best"}}, "quotas.rank: Input should be 'published', 'draw' or 'score'"),
        ({"overlap": {"policy": "preprint", "max_shared": 0}, "quotas": {"test": {3: 0.9}, "dev": {4: 0.9}}}, "train"),
    ],
)
def test_what_cannot_be_built_is_said(tmp_path: Path, settings: dict[str, object], said: str) -> None:
    with pytest.raises(ConceptloomError, match=said):
        build_english(tmp_path / "out", limit=30, **settings)
    assert not (tmp_path / "out" / "MANIFEST.json").exists()


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "empty"),
        (b'{"a": 1}\n', "no single-word concept"),
        (b"A dog runs in the park.\n", "no single-word concept"),
        (b"\x00\xd0\xff\x01", "of ConceptNet's files"),
        (b"IsA\tdog\n", "no single-word concept"),
        (b"IsA\tdog\tanimal\nIsA\tcat\n", "of ConceptNet's files"),
    ],
)
def test_a_wrong_conceptnet_file_is_said(tmp_path: Path, content: bytes, said: str) -> None:
    path = tmp_path / "names"
    path.write_bytes(content)
    with pytest.raises(ConceptloomError, match=said) as caught:
        build_english(tmp_path / "out", conceptnet=str(path))
    assert str(path) in str(caught.value) and not (tmp_path / "out").exists()

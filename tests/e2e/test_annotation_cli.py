"""The commands for references, transfer and ConceptNet, as a user runs them."""

import json
from itertools import combinations
from pathlib import Path

import pytest
from builds import data_rows, here, rows
from english_builds import ENGLISH, NAMES, sample_english

from conceptloom.readers.published import read_examples

SETS = [
    ("a#dog#park#run#stick", ["A dog runs in a park with a stick.", "Dogs run."]),
    ("ball#dog#run#stick#throw", ["He throws a stick and a ball; the dog runs."]),
    ("cat#eat#fish", ["The cat eats a fish.", "Cats eat fish.", "A fish is eaten by cats."]),
]
EDGES = [
    ("AtLocation", "dog", "park"),
    ("UsedFor", "stick", "throw"),
    ("IsA", "dog", "animal"),
    ("IsA", "cat", "animal"),
    ("Desires", "cat", "fish"),
]


@pytest.fixture
def published(tmp_path: Path) -> Path:
    path = tmp_path / "sets.jsonl"
    path.write_text("".join(json.dumps({"concept_set": name, "scene": scene}) + "\n" for name, scene in SETS))
    return path


def done(*arguments: object) -> str:
    said = here(*arguments)
    assert said.returncode == 0, said.stderr
    return said.stdout


def failed(*arguments: object) -> str:
    said = here(*arguments)
    assert said.returncode == 1, said.stderr
    assert len(said.stderr.splitlines()) == 1
    return said.stderr


def test_annotation_from_export_to_order(published: Path, tmp_path: Path) -> None:
    said = done("annotation", "export", published, "--output", tmp_path / "out", "--references", 2)
    assert said.startswith("3 tasks, 6 references to be written: ")
    assert "byte-order mark" in said and 'encoding="utf-8-sig"' in said
    lines = [json.loads(line) for line in (tmp_path / "out" / "tasks.jsonl").open()]
    filled = tmp_path / "filled.csv"
    rows = [f"{task['id']},See {' '.join(task['concepts'])}.,because,ann" for task in lines]
    filled.write_text("\n".join(["HIT,Answer,why,WorkerId", *rows, "nothing,A dog.,,bob"]))
    columns = ["id=HIT", "sentence=Answer", "rationale=why", "worker=WorkerId"]
    given = ("annotation", "import", filled, "--tasks", tmp_path / "out" / "tasks.jsonl", "--references", 2)
    asked = (*given, *(f"--column={column}" for column in columns))
    said = done(*asked, "--output", tmp_path / "result")
    assert "answers   4 read, 3 taken" in said and "1  unknown_id" in said
    assert "sets      3 of 3 have references\n          3 want 3 more: see open.csv" in said
    assert "spearman  1.0000 on average" in said and "changed   0.00 %" in said
    order = json.loads(done("annotation", "order", tmp_path / "result" / "references.jsonl", "--json"))
    assert (order["compared"], order["mean_spearman"]) == (3, 1.0)
    report = json.loads(done(*asked, "--output", tmp_path / "again", "--json"))
    assert report == json.loads((tmp_path / "result" / "report.json").read_text())
    assert all(
        (tmp_path / "again" / path.name).read_bytes() == path.read_bytes() for path in (tmp_path / "result").iterdir()
    )
    assert "exists already" in failed(*asked, "--output", tmp_path / "result")
    assert "wrong_columns 4" in failed(*given, "--output", tmp_path / "third")
    assert "needs --perplexity" in failed(*asked, "--output", tmp_path / "third", "--max-perplexity", 9)
    assert "no such file" in failed("annotation", "order", tmp_path / "nothing.jsonl")
    assert "this file exists already" in failed("annotation", "export", published, "--output", tmp_path / "out")


@pytest.fixture
def rejected(tmp_path: Path) -> tuple[Path, Path, list[str]]:
    """A build, the import of answers for its test sets, and the ids of the three sets that have no good answer."""
    build = sample_english()
    tasks = build / "annotation" / "test-00000-of-00001.jsonl"
    lines = [json.loads(line) for line in tasks.open()]
    failed = sorted(line["id"] for line in lines)[:3]
    for line in lines:
        line["worker"] = "ann"
        line["sentence"] = "I cannot say." if line["id"] in failed else f"See {' '.join(line['concepts'])}."
    filled = tmp_path / "filled.jsonl"
    filled.write_text("".join(json.dumps(line) + "\n" for line in lines))
    done("annotation", "import", filled, "--tasks", tasks, "--output", tmp_path / "references")
    return build, tmp_path / "references", failed


def _pairs(sets: list[list[str]]) -> set[tuple[str, ...]]:
    return {pair for each in sets for pair in combinations(sorted(each), 2)}


def test_sets_without_good_references_are_replaced(rejected: tuple[Path, Path, list[str]], tmp_path: Path) -> None:
    build, references, failed = rejected
    data = {split: {row["id"]: row["concepts"] for row in found} for split, found in data_rows(build).items()}
    index = {row["id"]: row for row in rows(build, "index/*.parquet")}
    asked = ("annotation", "replace", build, "--result", references)
    said = done(*asked, "--output", tmp_path / "kept", "--references", 2)
    assert f"test       3 of {len(data['test'])} sets are to be replaced\nvalidation 0 of" in said
    assert f"train      gives up 0 of {len(data['train']):,} sets" in said
    record = [json.loads(line) for line in (tmp_path / "kept" / "replaced.jsonl").open()]
    assert [line["id"] for line in record] == failed
    shown = _pairs(list(data["train"].values()))
    for size in (4, 5):
        free = [row for row in index.values() if len(row["concepts"]) == size and row["split"] in ("train", "")
                and not _pairs([row["concepts"]]) & shown]  # fmt: skip
        best = [row["id"] for row in sorted(free, key=lambda row: (row["rank"], row["id"]))]
        found = [line["replacement"]["id"] for line in record if line["concept_set"].count("#") + 1 == size]
        assert found == best[: len(found)]
    tasks = [json.loads(line)["id"] for line in (tmp_path / "kept" / "test.jsonl").open()]
    assert tasks == sorted(line["replacement"]["id"] for line in record)
    assert len((tmp_path / "kept" / "test.csv").read_text().splitlines()) == 7
    done(*asked, "--output", tmp_path / "again", "--references", 2)
    assert [path.read_bytes() for path in sorted((tmp_path / "again").iterdir())] == [
        path.read_bytes() for path in sorted((tmp_path / "kept").iterdir())
    ]


def test_train_gives_way_and_a_second_round_follows(rejected: tuple[Path, Path, list[str]], tmp_path: Path) -> None:
    build, references, wrong = rejected
    asked = ("annotation", "replace", build, "--result", references, "--train", "yield")
    first, second, reviewed = tmp_path / "first", tmp_path / "second", tmp_path / "reviewed.txt"
    report = json.loads(done(*asked, "--output", first, "--json"))
    record = [json.loads(line) for line in (first / "replaced.jsonl").open()]
    index = {row["id"]: row for row in rows(build, "index/*.parquet")}
    sizes = [len(index[one]["concepts"]) for one in wrong]
    taken = [line["replacement"] for line in record]
    held = {row["id"] for split in ("validation", "test") for row in data_rows(build)[split]}
    for size in set(sizes):
        free = [row for one, row in index.items() if one not in held and len(row["concepts"]) == size]
        best = [row["id"] for row in sorted(free, key=lambda row: (row["rank"], row["id"]))]
        found = [one["id"] for one in taken if one["concept_set"].count("#") + 1 == size]
        assert found == best[: len(found)]
    # The import was about test; a set of dev that nobody was asked about does not fail.
    everything = (*asked, "--rejections", 0, "--output", tmp_path / "everything", "--json")
    assert json.loads(done(*everything))["failed"] == {"test": 3, "validation": 0}
    reviewed.write_text(f"{taken[0]['concept_set']}\n\n{taken[1]['id']}\n")
    more = ("--reviewed", reviewed, "--earlier", first, "--output", second)
    again = json.loads(done("annotation", "replace", build, "--train", "yield", *more, "--json"))
    assert (again["failed"], again["replaced"]) == ({"test": 2, "validation": 0}, 2)
    assert again["sets"]["train"] == report["sets"]["train"] - sum(report["leaving_train"].values())
    last = [json.loads(line) for line in (second / "replaced.jsonl").open()]
    assert {line["id"] for line in last} == {taken[0]["id"], taken[1]["id"]} and all(
        line["by_reviewers"] for line in last
    )
    test = {row["id"]: row["concepts"] for row in data_rows(build)["test"] if row["id"] not in wrong}
    kept = {taken[2]["id"], *(line["replacement"]["id"] for line in last)}
    assert len(kept) == 3 and not kept & {*wrong, taken[0]["id"], taken[1]["id"]}
    gone = {json.loads(line)["id"] for path in (first, second) for line in (path / "leaving_train.jsonl").open()}
    train = [row["concepts"] for row in data_rows(build)["train"] if row["id"] not in gone]
    assert not _pairs(train) & _pairs([*test.values(), *(index[one]["concepts"] for one in kept)])


def test_what_cannot_be_replaced_is_said(rejected: tuple[Path, Path, list[str]], tmp_path: Path) -> None:
    build, references, _ = rejected
    asked = ("annotation", "replace", build, "--result", references)
    assert "exists already" in failed(*asked, "--output", references)
    output = ("--output", tmp_path / "out")
    assert "nothing says which sets failed" in failed("annotation", "replace", build, *output)
    assert "there are: keep, yield" in failed(*asked, *output, "--train", "drop")
    assert "contains no finished build" in failed("annotation", "replace", tmp_path, *asked[3:], *output)
    lines = tmp_path / "lines.txt"
    lines.write_text("no#such#set\n")
    assert "lines.txt: line 1: no#such#set is no dev or test set" in failed(*asked, *output, "--reviewed", lines)
    other = tmp_path / "other"
    other.mkdir()
    (other / "answers.jsonl").write_text('{"id": "x", "place": "f#1"}\n')
    (other / "rejected.jsonl").write_text('{"id": "x", "place": "f#2"}\n')
    said = failed("annotation", "replace", build, "--result", other, *output)
    assert "rejected.jsonl: line 1 is not as it was written" in said
    (other / "rejected.jsonl").write_text("")
    assert "no answer is for a dev or test set" in failed("annotation", "replace", build, "--result", other, *output)
    (other / "replaced.jsonl").write_text('{"id": "x", "split": "test", "replacement": null}\n')
    assert "replaced.jsonl: line 1: no such set is in" in failed(*asked, *output, "--earlier", other)
    assert not (tmp_path / "out").exists()


def test_adequacy(published: Path) -> None:
    found = json.loads(done("adequacy", published, "--json"))
    assert [(one["references"], one["sets"]) for one in found["agreement"]] == [(2, 2), (3, 1)]
    assert found["encoder"].startswith("tfidf over English lemmas") and found["encoder"].endswith("of 6 sentences")
    other = json.loads(done("adequacy", published, "--corpus", published, "--corpus", published, "--json"))
    assert other["encoder"].endswith("of 12 sentences")
    assert "references  sets" in done("adequacy", published, "--least", 3, "--most", 2)
    assert "no set has 4 references" in failed("adequacy", published, "--least", 4)
    assert "no encoder is called 'x'" in failed("adequacy", published, "--encoder", "x")


@pytest.mark.skipif(not NAMES.exists(), reason="the published files are not here")
def test_the_table_of_the_published_files() -> None:
    """Dev has the published numbers; compared with only half of train it can only have more unseen."""
    files = ENGLISH / "commongen"
    given = ("stats", "--table", "commongen", "--train", files / "train_src.txt")
    found = json.loads(done(*given, "--validation", files / "commongen.dev.jsonl", "--json"))
    dev = found["validation"]
    assert (dev["sets"], dev["sizes"], dev["sentences"]) == (993, {"3": 493, "4": 250, "5": 250}, 4018)
    assert dev["distinct"] == {"concepts": 766, "pairs": 3926, "triples": 3766}
    assert dev["unseen_percent"]["pairs"] >= 96.31 and dev["unseen_percent"]["triples"] >= 99.6
    assert found["train"]["sentences"] == 33_694 and found["train"]["unseen"] is None
    table = {line[:17].strip(): line.split()[-1] for line in done(*given).splitlines()[1:] if line}
    assert (table["sentences"], table["unique concepts"]) == ("33,694", f"{found['train']['distinct']['concepts']:,}")
    assert "give --test FILE" in failed("stats", "--train", files / "train_src.txt")
    assert "there are: commongen, korean-commongen" in failed(*given, "--table", "english")


def test_conceptnet(published: Path, tmp_path: Path) -> None:
    graph = tmp_path / "graph.tsv"
    graph.write_text("".join(f"{relation}\t{left}\t{right}\n" for relation, left, right in EDGES))
    found = json.loads(done("conceptnet", published, "--graph", graph, "--json"))
    linked = {frozenset(edge[1:]) for edge in EDGES}
    sets = [one.concepts for one in read_examples(str(published)) if len(one.concepts) == 5]
    pairs = [sum(frozenset(pair) in linked for pair in combinations(each, 2)) for each in sets]
    assert found["one_hop"] == [pairs.count(number) for number in range(11)]
    assert (found["sets"], found["concepts"], found["concepts_in_graph"]) == (2, 7, 4)
    assert found["relations_percent"]["spatial"] == {"one_hop": 50.0, "two_hops": 0.0}
    single = found["single_relations"]
    assert single["AtLocation"] == {
        "category": "spatial", "links": 1, "path_edges": 0, "one_hop_percent": 50.0, "two_hops_percent": 0.0,
    }  # fmt: skip
    assert list(single) == ["AtLocation", "UsedFor"]
    everything = done("conceptnet", published, "--graph", graph, "--all-sizes")
    assert "relations, all sizes, %" in everything
    rows = {line.split()[0]: line.split()[1:4] for line in everything.splitlines() if line.strip()}
    assert rows["Desires"] == ["33.33", "0.00", "human"] and rows["UsedFor"] == ["33.33", "0.00", "object"]
    three = done("conceptnet", published, "--graph", graph, "--size", 3)
    assert three.startswith("sets      1 of 3 concepts, 3 pairs each\nconcepts  3, 2 of them in the graph\n")
    said = failed("conceptnet", published, "--graph", graph, "--size", 4)
    assert "no set has 4 concepts; there are 1 of size 3, 2 of size 5; choose with --size" in said
    assert "neither ConceptNet's assertions nor triples" in failed("conceptnet", published, "--graph", published)


def test_transfer(tmp_path: Path) -> None:
    path, generated = tmp_path / "q.jsonl", tmp_path / "generated.txt"
    choices = [{"label": "A", "text": "eating bones"}, {"label": "B", "text": "to sleep"}]
    question = {"id": "q", "answerKey": "B", "question": {"stem": "What do enormous dogs like?", "choices": choices}}
    path.write_text(json.dumps(question) + "\n")
    assert done("transfer", "csqa", path).splitlines() == [
        "generate a sentence with: dog like eat bone", "generate a sentence with: dog like sleep",
    ]  # fmt: skip
    found = [json.loads(line) for line in done("transfer", "csqa", path, "--style", "gpt2", "--json").splitlines()]
    assert [(one["label"], one["prompt"], one["right"]) for one in found] == [
        ("A", "dog like eat bone =", False), ("B", "dog like sleep =", True),
    ]  # fmt: skip
    generated.write_text("A dog likes to eat a bone.\nThe dog likes sleep.\n")
    assert done("transfer", "csqa", path, "--generated", generated).splitlines()[1] == (
        "<s>G: The dog likes sleep. | Q: What do enormous dogs like? </s> C: to sleep </s>"
    )
    generated.write_text("One.\n")
    assert "there are 1 generated sentences for 2 choices" in failed("transfer", "csqa", path, "--generated", generated)
    official = ("transfer", "csqa", path, "--mode", "official")
    assert "there are 1 generated sentences for 2 choices" in failed(*official, "--generated", generated)
    generated.write_text("A dog likes to eat a bone.\nThe dog likes sleep.\n")
    packed = json.loads(done(*official, "--generated", generated))
    assert [choice["CG"] for choice in packed["question"]["choices"]] == generated.read_text().splitlines()
    assert "the official rules need a tagger, 'lemma' is none" in failed(*official, "--analyser", "lemma")
    assert "takes no vocabulary" in failed(*official, "--conceptnet", path)
    assert "no mode is called 'x'; there are: paper, official" in failed("transfer", "csqa", path, "--mode", "x")
    assert "not a CommonsenseQA question" in failed("transfer", "csqa", _changed(path))
    assert here("transfer", "csqa").returncode == 2


def _changed(path: Path) -> Path:
    path.write_text("{}\n")
    return path

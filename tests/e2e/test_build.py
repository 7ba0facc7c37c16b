"""A build of the sample corpora against a slow oracle: plain dictionaries and loops, no Beam, no Arrow, no numpy."""

import json
import math
import re
from collections import Counter, defaultdict
from hashlib import blake2b
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pytest
import yaml
from builds import (
    SAMPLES,
    SPLITS,
    STAGES,
    Row,
    build,
    concept_sets,
    data_rows,
    files_of,
    report,
    rows,
    sample_build,
    stage_rows,
)

from conceptloom.filters import PRESETS, make_filter, preset_options
from conceptloom.languages.korean.normalise import normalise
from conceptloom.languages.korean.rules import RULES
from conceptloom.languages.korean.taggers import tagger
from conceptloom.readers.published import read_examples
from conceptloom.similarity import StaticScorer, load_table

FILES = {"captions": "captions_ko.json", "dialogues": "dialogues_ko.json"}
WORD = 2**64
LOCATOR = re.compile(r"(?P<file>.+)#(?P<record>\d+)/(?:caption_ko\[(?P<item>\d+)\]|body\.summary)(?:\.(?P<n>\d+))?")


class Sentence(NamedTuple):
    """A sentence as the oracle sees it."""

    id: str
    text: str
    source: str
    concepts: list[str]
    morphemes: list[str]


def load(source: str) -> Any:
    return json.loads((SAMPLES / FILES[source]).read_text(encoding="utf-8"))


def raw_texts() -> list[tuple[str, str | None]]:
    """(source, text) of every field, None for a record that has none."""
    captions = [("captions", text) for record in load("captions") for text in record["caption_ko"] or (None,)]
    return captions + [("dialogues", item["body"].get("summary")) for item in load("dialogues")["data"]]


def pieces(text: str) -> list[str]:
    """The text cut behind every word that ends in a full stop, an exclamation or a question mark.

    What ends in 다 without a full stop gets it: all such samples are declaratives (conceptloom/samples/README.md).
    """
    text += "." if text.endswith("다") else ""
    found: list[list[str]] = [[]]
    for word in text.split(" "):
        found[-1].append(word)
        if word.rstrip("\"'").endswith((".", "!", "?")):
            found.append([])
    return [" ".join(words) for words in found if words]


def hashed(text: str, size: int) -> str:
    return blake2b(text.encode(), digest_size=size).hexdigest()


def objection(sentence: str, tokens: list[Any], concepts: list[str]) -> str:
    """The reason of the first filter that leaves the sentence out, or an empty text."""
    subjects = {"text": sentence, "tokens": tokens, "concepts": concepts}
    filters = (make_filter(name, preset_options("published", name)) for name in PRESETS["published"])
    verdicts = (one.check(subjects[one.subject]) for one in filters)
    return next((verdict.reason for verdict in verdicts if not verdict.keep), "")


class Oracle:
    """What stage ingest should keep, and why it should leave out the rest."""

    def __init__(self) -> None:
        self.kept: dict[str, Sentence] = {}
        self.rejected: list[tuple[str, str, str]] = []
        self.read = Counter[str]()
        seen: set[str] = set()
        for source, raw in raw_texts():
            for text in [None] if raw is None else pieces(normalise(raw)):
                self.read[source] += 1
                if text is None or text in seen:
                    self.rejected.append((source, text or "", "malformed" if text is None else "duplicate"))
                    continue
                seen.add(text)
                self._add(source, text)

    def _add(self, source: str, text: str) -> None:
        mecab = tagger("mecab")
        tokens = mecab.tokens([text])[0]
        concepts = RULES["published"].concepts([text], [tokens], mecab)[0]
        reason = objection(text, tokens, concepts)
        if reason:
            self.rejected.append((source, text, reason))
            return
        morphemes = [morpheme for token in tokens for morpheme in token.morphemes]
        key = hashed(text, 10)
        self.kept[key] = Sentence(key, text, source, concepts, morphemes)


def mixed(value: int) -> int:
    """splitmix64."""
    value = (value + 0x9E3779B97F4A7C15) % WORD
    value = (value ^ value >> 30) * 0xBF58476D1CE4E5B9 % WORD
    value = (value ^ value >> 27) * 0x94D049BB133111EB % WORD
    return value ^ value >> 31


def concept_hash(concept: str) -> int:
    """splitmix64 chained over the length and the words of eight bytes."""
    data = concept.encode()
    value = mixed(len(data))
    for start in range(0, len(data), 8):
        value = mixed(value ^ int.from_bytes(data[start : start + 8], "little"))
    return value


def capped(concept: str, members: list[str], limit: int) -> list[str]:
    """The members of a posting with the smallest seeded priority."""
    seed = mixed(concept_hash(concept) ^ int(hashed("posting:0", 8), 16))
    return sorted(members, key=lambda key: (mixed(int(key[:16], 16) ^ seed), key))[:limit]


def static_vectors(sentences: dict[str, Sentence]) -> dict[str, list[float]]:
    scorer = StaticScorer(load_table())
    batch = pa.record_batch({"morphemes": pa.array([one.morphemes for one in sentences.values()])})
    features = scorer.encode(batch)
    lengths = features.value_lengths().to_numpy()
    offsets = [0, *lengths.cumsum().tolist()]
    import numpy as np

    vectors = scorer.sentence_vectors(features.flatten().to_numpy(), np.array(offsets))
    return dict(zip(sentences, vectors.tolist(), strict=True))


def tfidf_vectors(sentences: dict[str, Sentence]) -> dict[str, dict[str, float]]:
    counts = Counter(morpheme for one in sentences.values() for morpheme in set(one.morphemes))
    idf = {morpheme: math.log((1 + len(sentences)) / (1 + count)) + 1 for morpheme, count in counts.items()}
    vectors = {}
    for key, one in sentences.items():
        weights = {morpheme: idf[morpheme] for morpheme in set(one.morphemes)}
        length = math.sqrt(sum(weight**2 for weight in weights.values()))
        vectors[key] = {morpheme: weight / length for morpheme, weight in weights.items()}
    return vectors


def cosine(one: Any, other: Any) -> float:
    if isinstance(one, dict):
        return sum(weight * other.get(morpheme, 0.0) for morpheme, weight in one.items())
    return sum(left * right for left, right in zip(one, other, strict=True))


Postings = dict[tuple[str, str], list[tuple[float, str]]]


def scored_postings(sentences: dict[str, Sentence], settings: dict[str, Any]) -> Postings:
    """(score, id) of each posting in the order of the ranks: every pair is compared."""
    members: dict[tuple[str, str], list[str]] = defaultdict(list)
    for one in sentences.values():
        units = one.concepts if settings.get("unit", "concept") == "concept" else sorted(set(one.morphemes))
        for concept in units:
            members[concept, one.source if settings.get("per_source", True) else ""].append(one.id)
    vectors: Any = (tfidf_vectors if settings.get("scorer") == "tfidf" else static_vectors)(sentences)
    postings = {}
    for (concept, source), ids in members.items():
        ids = capped(concept, ids, settings.get("posting_limit", 100))
        scores = {a: sum(cosine(vectors[a], vectors[b]) for b in ids if a != b) for a in ids}
        postings[concept, source] = sorted((-round(score, 5), key) for key, score in scores.items())
    return postings


@pytest.fixture(scope="module")
def oracle() -> Oracle:
    return Oracle()


@pytest.fixture(scope="module")
def sample() -> Path:
    return sample_build()


VARIANTS: list[dict[str, Any]] = [
    {},
    {"posting_limit": 7, "top_k": 3},
    {"scorer": "tfidf", "per_source": False, "posting_limit": 40},
    {"unit": "morpheme", "top_k": 1, "posting_limit": 12},
]


@pytest.fixture(scope="module", params=VARIANTS, ids=["default", "capped", "tfidf", "morpheme"])
def variant(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, Any], Path]:
    """Settings of stage select, and a build with them."""
    if not request.param:
        return request.param, sample_build()
    directory = tmp_path_factory.mktemp("variant") / "out"
    build(directory, select=request.param)
    return request.param, directory


def test_ingest_keeps_what_the_oracle_keeps(sample: Path, oracle: Oracle) -> None:
    kept = stage_rows(sample, "ingest", "sentences")
    assert len(kept) == len(oracle.kept) > 900
    for row in kept:
        expected = oracle.kept[row["id"]]
        assert (row["text"], row["source"], row["morphemes"]) == (expected.text, expected.source, expected.morphemes)
        assert sorted(row["concepts"]) == sorted(expected.concepts)
    assert any(row["concepts"] != oracle.kept[row["id"]].concepts for row in kept), "the sets were not shuffled"
    assert [row["id"] for row in kept] == sorted(oracle.kept)


def test_ingest_rejects_what_the_oracle_rejects(sample: Path, oracle: Oracle) -> None:
    found = stage_rows(sample, "ingest", "rejected")
    assert {row["reason"] for row in found} >= {"malformed", "duplicate", "empty", "digits", "proper_noun", "pronoun"}
    texts = [(row["source"], row["text"] if row["reason"] != "malformed" else "", row["reason"]) for row in found]
    assert Counter(texts) == Counter(oracle.rejected)
    assert all(row["stage"] == "ingest" for row in found)


def test_copies_are_counted(sample: Path) -> None:
    copies = Counter(row["text"] for row in stage_rows(sample, "ingest", "rejected") if row["reason"] == "duplicate")
    kept = {row["text"]: row["copies"] for row in stage_rows(sample, "ingest", "sentences")}
    assert {text: count for text, count in kept.items() if count > 1} == {
        text: count + 1 for text, count in copies.items() if text in kept
    }


def test_selection_is_the_oracles(variant: tuple[dict[str, Any], Path], oracle: Oracle) -> None:
    settings, directory = variant
    postings = scored_postings(oracle.kept, settings)
    top = settings.get("top_k", 2)
    expected = {key for ranked in postings.values() for _, key in ranked[:top]}
    selected = {row["id"] for row in stage_rows(directory, "select", "sentences")}
    assert selected == expected
    rejected = {row["id"]: row["reason"] for row in stage_rows(directory, "select", "rejected")}
    assert rejected == dict.fromkeys(oracle.kept.keys() - expected, "not_selected")


def test_index_is_the_oracles(variant: tuple[dict[str, Any], Path], oracle: Oracle) -> None:
    settings, directory = variant
    postings = scored_postings(oracle.kept, settings)
    found: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for row in rows(directory, "index/*.parquet"):
        found[row["concept"], row["source"] if settings.get("per_source", True) else ""].append(row)
    assert found.keys() == postings.keys()
    top = settings.get("top_k", 2)
    for key, ranked in postings.items():
        assert [row["sentence_id"] for row in found[key]] == [sentence for _, sentence in ranked]
        assert [row["rank"] for row in found[key]] == list(range(1, len(ranked) + 1))
        assert [row["selected"] for row in found[key]] == [rank <= top for rank in range(1, len(ranked) + 1)]
        assert [row["centrality"] for row in found[key]] == pytest.approx([-score for score, _ in ranked], abs=1.1e-5)
        assert all(row["source"] == oracle.kept[row["sentence_id"]].source for row in found[key])


def test_a_selected_sentence_has_a_selected_row_and_no_other_has(sample: Path) -> None:
    chosen = {row["sentence_id"] for row in rows(sample, "index/*.parquet") if row["selected"]}
    assert chosen == {row["id"] for row in stage_rows(sample, "select", "sentences")}


def test_the_cap_was_tried(variant: tuple[dict[str, Any], Path]) -> None:
    settings, directory = variant
    sizes = Counter((row["concept"], row["source"]) for row in rows(directory, "index/*.parquet"))
    limit = settings.get("posting_limit", 100)
    assert max(sizes.values()) <= limit
    assert limit == 100 or max(sizes.values()) > limit // 2


def test_split_sizes_and_disjointness(sample: Path) -> None:
    data = data_rows(sample)
    selected = {row["id"] for row in stage_rows(sample, "select", "sentences")}
    assert len(data["validation"]) == round(0.02 * len(selected))
    assert len(data["test"]) == round(0.04 * len(selected))
    ids = [row["id"] for split in SPLITS for row in data[split]]
    dropped = [row["id"] for row in stage_rows(sample, "split", "rejected")]
    assert sorted(ids + dropped) == sorted(selected)
    sets = {split: set(concept_sets(data[split])) for split in SPLITS}
    assert all(sets[one].isdisjoint(sets[other]) for one, other in combinations(SPLITS, 2))


@pytest.mark.parametrize("least", [1, 2])
def test_every_held_out_set_has_pairs_that_train_never_shows(sample: Path, tmp_path: Path, least: int) -> None:
    if least > 1:
        build(tmp_path, split={"min_pairs": least, "validation": 11, "test": 23})
        sample = tmp_path
    data = data_rows(sample)
    seen = {frozenset(pair) for concepts in concept_sets(data["train"]) for pair in combinations(sorted(concepts), 2)}
    for split in ("validation", "test"):
        assert data[split]
        for concepts in concept_sets(data[split]):
            assert sum(frozenset(pair) not in seen for pair in combinations(sorted(concepts), 2)) >= least


@pytest.mark.parametrize(("policy", "most"), [("all-pairs-unseen", 1), ("max-shared", 0), ("random", 99)])
def test_the_other_policies_keep_their_word(tmp_path: Path, policy: str, most: int) -> None:
    build(tmp_path, split={"policy": policy, "max_shared": most, "validation": 3, "test": 5})
    data = data_rows(tmp_path)
    held = concept_sets(data["validation"] + data["test"])
    assert len(held) == 8
    train = concept_sets(data["train"])
    assert all(len(one & other) <= most and one != other for one in train for other in held)
    dropped = stage_rows(tmp_path, "split", "rejected")
    assert bool(dropped) == (policy != "random")
    by_id = {row["id"]: frozenset(row["concepts"]) for row in stage_rows(tmp_path, "select", "sentences")}
    for row in dropped:
        assert len(by_id[row["id"]] & by_id[row["detail"]]) > most or by_id[row["id"]] == by_id[row["detail"]]
    assert len(train) + len(held) + len(dropped) == len(by_id)


def test_ledger_is_that_of_the_files(variant: tuple[dict[str, Any], Path], oracle: Oracle) -> None:
    _, directory = variant
    stages = report(directory)["stages"]
    assert list(stages) == list(STAGES)
    for stage in STAGES[:3]:
        kept = Counter(row["source"] for row in stage_rows(directory, stage, "sentences"))
        reasons = Counter((row["source"], row["reason"]) for row in stage_rows(directory, stage, "rejected"))
        for source, counts in stages[stage].items():
            assert counts["kept"] == kept.pop(source, 0)
            assert counts["rejected"] == {reason: number for (of, reason), number in reasons.items() if of == source}
            assert counts["read"] == counts["kept"] + sum(counts["rejected"].values())
        assert not kept
    assert {source: counts["read"] for source, counts in stages["ingest"].items()} == oracle.read
    for before, after in pairwise(STAGES):
        kept_before = {source: counts["kept"] for source, counts in stages[before].items()}
        assert {source: counts["read"] for source, counts in stages[after].items()} == kept_before
    published = Counter(row["source"] for split in data_rows(directory).values() for row in split)
    assert published == {source: counts["kept"] for source, counts in stages["publish"].items()}


def test_records_are_those_of_the_files(sample: Path) -> None:
    records = report(sample)["records"]
    assert records["records"] == {"captions": len(load("captions")), "dialogues": len(load("dialogues")["data"])}
    assert records["malformed"] == {"captions": 1, "dialogues": 1}


def test_rejected_holds_the_rejected_of_every_stage(sample: Path) -> None:
    published = rows(sample, "rejected/*.parquet")
    staged = [row for stage in STAGES[:3] for row in stage_rows(sample, stage, "rejected")]
    assert sorted(published, key=str) == sorted(staged, key=str)
    assert {row["stage"] for row in published} == {"ingest", "select"}


def test_data_rows(sample: Path) -> None:
    kept = {row["id"]: row for row in stage_rows(sample, "ingest", "sentences")}
    for split, found in data_rows(sample).items():
        assert [row["id"] for row in found] == sorted(row["id"] for row in found), split
        for row in found:
            of = kept[row["id"]]
            assert list(row) == ["id", "concepts", "target", "references", "source", "locator"]
            assert row["id"] == hashed(row["target"], 10)
            assert row["references"] == [row["target"]] == [of["text"]]
            assert (row["concepts"], row["source"], row["locator"]) == (of["concepts"], of["source"], of["locator"])
            assert len(row["concepts"]) == len(set(row["concepts"])) >= 3


@pytest.mark.parametrize("ending", ["jsonl", "txt"])
def test_both_published_formats_read_back_as_the_data(sample: Path, ending: str) -> None:
    for split, found in data_rows(sample).items():
        path = sample / "published" / f"{split}-00000-of-00001.{ending}"
        examples = [(list(one.concepts), list(one.sentences)) for one in read_examples(str(path))]
        assert examples == [(row["concepts"], row["references"]) for row in found]
    scenes = {split: _first_scene(sample / "published" / f"{split}-00000-of-00001.jsonl") for split in SPLITS}
    assert [type(scenes[split]) for split in SPLITS] == [str, list, list]


def _first_scene(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8").splitlines()[0])["scene"]


def found_again(locator: str) -> str | None:
    """The sentence that a locator names, looked up in the raw file."""
    match = LOCATOR.fullmatch(locator)
    assert match, locator
    source = next(source for source, name in FILES.items() if name == match["file"])
    if source == "captions":
        text = load_cached(source)[int(match["record"]) - 1]["caption_ko"][int(match["item"])]
    else:
        text = load_cached(source)["data"][int(match["record"]) - 1]["body"]["summary"]
    parts = pieces(normalise(text)) or [""]
    assert (len(parts) > 1) == (match["n"] is not None)
    return parts[int(match["n"] or 1) - 1]


_loaded: dict[str, Any] = {}


def load_cached(source: str) -> Any:
    if source not in _loaded:
        _loaded[source] = load(source)
    return _loaded[source]


def test_locators_find_the_sentence_again(sample: Path) -> None:
    found = [row for row in rows(sample, "rejected/*.parquet") if row["reason"] != "malformed"]
    found += stage_rows(sample, "ingest", "sentences")
    assert sum(row["locator"].endswith(".2") for row in found) >= 3
    for row in found:
        assert found_again(row["locator"]) == row["text"]


def test_locators_of_malformed_records(sample: Path) -> None:
    malformed = [row for row in rows(sample, "rejected/*.parquet") if row["reason"] == "malformed"]
    places = {row["source"]: int(re.findall(r"#(\d+)", row["locator"])[0]) for row in malformed}
    assert load("captions")[places["captions"] - 1]["caption_ko"] is None
    assert "summary" not in load("dialogues")["data"][places["dialogues"] - 1]["body"]
    assert {row["id"] for row in malformed} == {""}


def test_duplicates_say_where_the_first_copy_stands(sample: Path) -> None:
    for row in rows(sample, "rejected/*.parquet"):
        if row["reason"] == "duplicate":
            assert found_again(row["detail"].removeprefix("first at ")) == row["text"]
            assert row["detail"] != f"first at {row['locator']}"


def test_statistics_of_the_report_are_those_of_the_data(sample: Path) -> None:
    statistics = report(sample)["statistics"]
    data = data_rows(sample)
    for split, found in data.items():
        column = statistics[split]
        assert column["sets"] == column["sentences"] == len(found)
        assert column["unique_concepts"] == len({concept for row in found for concept in row["concepts"]})
        assert column["average_length"] == round(sum(len(row["target"]) for row in found) / len(found), 2)
    train = {frozenset(pair) for one in concept_sets(data["train"]) for pair in combinations(sorted(one), 2)}
    for split in ("validation", "test"):
        pairs = {frozenset(pair) for one in concept_sets(data[split]) for pair in combinations(sorted(one), 2)}
        assert statistics[split]["unseen"]["sound"]["pairs"] == len(pairs - train)


def test_what_a_build_leaves(sample: Path) -> None:
    assert sorted(path.name for path in sample.iterdir()) == sorted(
        ["MANIFEST.json", "README.md", "config.yaml", "data", "index", "published", "rejected", "report.json", "stages"]
    )
    assert not [name for name in files_of(sample) if ".writing-" in name or "receipts" in name]
    assert sorted(path.name for path in (sample / "stages").iterdir()) == [
        "1-ingest", "2-select", "3-split", "4-publish", "BUILD"
    ]  # fmt: skip
    assert all((sample / "stages" / f"{n}-{name}" / "MANIFEST.json").exists() for n, name in enumerate(STAGES, 1))


def test_manifests_have_the_hash_of_every_file(sample: Path) -> None:
    for path in sample.rglob("MANIFEST.json"):
        manifest = json.loads(path.read_text(encoding="utf-8"))
        base = sample if manifest["name"] == "publish" else path.parent
        assert manifest["files"]
        for file in manifest["files"]:
            data = (base / file["path"]).read_bytes()
            assert (len(data), blake2b(data, digest_size=16).hexdigest()) == (file["bytes"], file["blake2b"])


def test_the_resolved_configuration_builds_the_same(sample: Path, tmp_path: Path) -> None:
    settings = yaml.safe_load((sample / "config.yaml").read_text(encoding="utf-8"))
    build(tmp_path, **settings)
    assert data_rows(tmp_path) == data_rows(sample)


def test_report_names_scorer_and_tagger(sample: Path) -> None:
    found = report(sample)
    assert found["scorer"]["name"] == "static-ko" and len(found["scorer"]["sha256"]) == 64
    assert found["tagger"]["name"] == "mecab" and found["tagger"]["mecab-python3"]
    assert set(found["seconds"]) == set(STAGES)


def test_other_options_of_publish(sample: Path, tmp_path: Path) -> None:
    build(tmp_path, publish={"train_order": "curriculum"})
    train = data_rows(tmp_path)["train"]
    sources = [row["source"] for row in train]
    assert sources == sorted(sources) and len(set(sources)) == 2
    assert sorted(row["id"] for row in train) == sorted(row["id"] for row in data_rows(sample)["train"])


def test_no_held_out_sets_at_all(tmp_path: Path) -> None:
    build(tmp_path, split={"validation": 0, "test": 0})
    data = data_rows(tmp_path)
    assert data["train"] and not data["validation"] and not data["test"]
    assert not list((tmp_path / "data").glob("test-*"))


def test_limit_reads_the_first_records_of_each_file(tmp_path: Path) -> None:
    build(tmp_path, limit=20, split={"test": 2, "validation": 1})
    assert report(tmp_path)["records"]["records"] == {"captions": 20, "dialogues": 20}
    found = stage_rows(tmp_path, "ingest", "sentences") + stage_rows(tmp_path, "ingest", "rejected")
    assert {int(re.findall(r"#(\d+)", row["locator"])[0]) for row in found} == set(range(1, 21))

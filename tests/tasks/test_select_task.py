"""Stage select: scores, ranks and choices against a program that compares every pair of a posting's sentences."""

import json
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from conceptloom.arrays.ids import pack_ids
from conceptloom.hashing import bucket_of, id_heads, string_hashes, text_id
from conceptloom.languages.korean.extract import concepts_of
from conceptloom.languages.korean.taggers import tagger
from conceptloom.ledger import Ledger
from conceptloom.schemas import INDEX, REJECTED, SENTENCES
from conceptloom.selection.postings import posting_schema
from conceptloom.selection.routes import Routes
from conceptloom.similarity import Frequencies, StaticScorer, load_table, make_scorer
from conceptloom.tables import from_ipc, read_table, write_table
from conceptloom.tasks.korean_commongen.select import (
    CHOSEN,
    CountMorphemes,
    KeepSelected,
    ScorePostings,
    Selection,
    SendPostings,
    decode_frequencies,
    encode_frequencies,
    keep_selected,
    score_postings,
    send_postings,
)

ROOT = Path(__file__).parents[2]
DATA = ROOT.parent / "shared" / "data" / "ko" / "published"
FEATURES = pa.list_(pa.int32())
Index = list[dict[str, Any]]


def texts() -> list[tuple[str, str]]:
    """(source, sentence): published ones, or those of the sample captions where there are none."""
    if not DATA.is_dir():
        records = json.loads((ROOT / "conceptloom" / "samples" / "captions_ko.json").read_text(encoding="utf-8"))
        captions = dict.fromkeys(text for record in records for text in record["caption_ko"] or ())
        return [(("captions", "dialogues")[at % 2], text) for at, text in enumerate(captions)]
    names = {"captions": "captions.jsonl", "dialogues": "dialogue_summaries.jsonl"}
    lines = [(source, (DATA / name).read_text(encoding="utf-8").splitlines()[:200]) for source, name in names.items()]
    return [(source, json.loads(line)["scene"]) for source, part in lines for line in part]


@pytest.fixture(scope="module")
def sentences() -> pa.Table:
    rows = texts()
    plain = [text for _, text in rows]
    records = [
        {"id": text_id(text), "text": text, "source": source, "locator": f"{source}#{number}", "copies": 1}
        | {"concepts": concepts, "morphemes": [form for token in tokens for form in token.morphemes]}
        for number, ((source, text), concepts, tokens) in enumerate(
            zip(rows, concepts_of(plain), tagger("mecab").tokens(plain), strict=True)
        )
    ]
    return pa.Table.from_pylist(sorted(records, key=lambda record: record["id"]), schema=SENTENCES)


def sent(sentences: pa.Table, selection: Selection) -> pa.Table:
    blocks = [block for _, block in send_postings(sentences, selection, selection.open_scorer(None), Routes(3))]
    return from_ipc(blocks, posting_schema(FEATURES))


def scored(sentences: pa.Table, selection: Selection) -> Index:
    index = score_postings(sent(sentences, selection), selection, selection.open_scorer(None))
    assert index.schema == INDEX
    rows: Index = index.to_pylist()
    return rows


def vector(morphemes: list[str]) -> np.ndarray:  # type: ignore[type-arg]
    """The unit vector of a sentence, added up morpheme by morpheme."""
    table = load_table()
    rows = {int(row) for morpheme in set(morphemes) for row in table.lookup([morpheme])[1]}
    total = sum((table.vectors[row].astype(np.float64) for row in sorted(rows)), np.zeros(table.vectors.shape[1]))
    length = float(np.sqrt(total @ total))
    return np.asarray(total / length if length else total)


def postings_of(sentences: pa.Table, column: str, per_source: bool) -> dict[tuple[str, ...], dict[str, np.ndarray]]:  # type: ignore[type-arg]
    postings: dict[tuple[str, ...], dict[str, Any]] = defaultdict(dict)
    for row in sentences.to_pylist():
        for concept in set(row[column]):
            key = (concept, row["source"]) if per_source else (concept,)
            postings[key][row["id"]] = vector(row["morphemes"])
    return postings


@pytest.mark.parametrize(
    "selection",
    [Selection(), Selection(unit="morpheme"), Selection(per_source=False), Selection(top=1)],
    ids=["concepts", "morphemes", "all sources", "top 1"],
)
def test_the_index_is_that_of_a_plain_program(sentences: pa.Table, selection: Selection) -> None:
    index = scored(sentences, selection)
    column = "concepts" if selection.unit == "concept" else "morphemes"
    postings = postings_of(sentences, column, selection.per_source)
    assert len(index) == sum(map(len, postings.values()))
    assert max(map(len, postings.values())) <= selection.limit
    found = defaultdict(list)
    for row in index:
        found[(row["concept"], row["source"]) if selection.per_source else (row["concept"],)].append(row)
    assert list(found) == sorted(postings, key=lambda name: [part.encode() for part in name])
    for name, vectors in postings.items():
        scores = {
            one: sum(float(mine @ other) for theirs, other in vectors.items() if theirs != one)
            for one, mine in vectors.items()
        }
        rows = found[name]
        assert {row["sentence_id"] for row in rows} == set(scores)
        for row in rows:
            assert row["centrality"] == pytest.approx(scores[row["sentence_id"]], abs=1e-5)
            assert row["centrality"] == round(row["centrality"], 5)
        assert rows == sorted(rows, key=lambda row: (-row["centrality"], row["sentence_id"]))
        assert [row["rank"] for row in rows] == list(range(1, len(rows) + 1))
        assert [row["selected"] for row in rows] == [rank < selection.top for rank in range(len(rows))]


def test_there_is_something_to_choose_from(sentences: pa.Table) -> None:
    assert len(sentences) >= 400
    assert 0 < sum(not row["selected"] for row in scored(sentences, Selection())) < len(scored(sentences, Selection()))


def test_the_order_of_the_posting_rows_does_not_matter(sentences: pa.Table) -> None:
    selection = Selection(limit=4)
    postings = sent(sentences, Selection())
    mixed = postings.take(pa.array(np.random.default_rng(0).permutation(len(postings))))
    scorer = selection.open_scorer(None)
    assert score_postings(mixed, selection, scorer).equals(score_postings(postings, selection, scorer))


def test_shards_capped_one_by_one_give_the_same_index(sentences: pa.Table) -> None:
    selection = Selection(limit=3)
    shards = [sent(sentences.slice(start, 90), selection) for start in range(0, len(sentences), 90)]
    scorer = selection.open_scorer(None)
    parts = score_postings(pa.concat_tables(shards), selection, scorer)
    assert parts.equals(score_postings(sent(sentences, Selection()), selection, scorer))
    assert len(parts) < len(pa.concat_tables(shards)) < len(sent(sentences, Selection()))


def alike(count: int) -> pa.Table:
    records = [
        {"id": text_id(str(number)), "text": str(number), "source": "captions", "locator": f"f#{number}", "copies": 1}
        | {"concepts": ["같은 개", "같은 공"], "morphemes": ["개/NNG", "공/NNG"]}
        for number in range(count)
    ]
    return pa.Table.from_pylist(records, schema=SENTENCES)


def test_of_equal_scores_the_smallest_ids_are_taken() -> None:
    table = alike(7)
    index = scored(table, Selection())
    assert {row["centrality"] for row in index} == {6.0}
    assert [row["sentence_id"] for row in index if row["concept"] == "같은 공"] == sorted(table["id"].to_pylist())
    assert {row["sentence_id"] for row in index if row["selected"]} == set(sorted(table["id"].to_pylist())[:2])


def test_sentences_without_a_known_morpheme_score_nothing() -> None:
    unknown = alike(3).set_column(6, SENTENCES.field("morphemes"), pa.array([[]] * 3, pa.list_(pa.string())))
    assert {str(row["centrality"]) for row in scored(unknown, Selection())} == {"0.0"}


def test_no_postings() -> None:
    assert scored(SENTENCES.empty_table(), Selection()) == []


def test_postings_go_to_the_bucket_of_their_concept(sentences: pa.Table) -> None:
    selection = Selection()
    for bucket, block in send_postings(sentences, selection, selection.open_scorer(None), Routes(5)):
        concepts = from_ipc([block], posting_schema(FEATURES))["concept"]
        hashes = string_hashes(concepts.combine_chunks())
        assert set(bucket_of(hashes, 5).tolist()) == {bucket}


def test_sentences_are_kept_or_left_out(sentences: pa.Table) -> None:
    ids = sentences["id"].to_pylist()
    chosen = pa.array([*ids[::3], ids[0], "f" * 20])
    kept, rejected = keep_selected(sentences, chosen)
    assert kept.schema == SENTENCES
    assert rejected.schema == REJECTED
    assert kept.to_pylist() == sentences.to_pylist()[::3]
    assert rejected["id"].to_pylist() == [one for at, one in enumerate(ids) if at % 3]
    assert set(rejected["reason"].to_pylist()) == {"not_selected"}
    assert set(rejected["stage"].to_pylist()) == {"select"}
    assert len(keep_selected(sentences, chosen[:0])[0]) == 0
    assert [len(part) for part in keep_selected(SENTENCES.empty_table(), chosen)] == [0, 0]


def test_frequencies_come_back() -> None:
    frequencies = Frequencies(12, pa.array(["개/NNG", "공/NNG"]), np.array([3, 12]))
    back = decode_frequencies(encode_frequencies(frequencies))
    assert (back.sentences, back.morphemes.to_pylist(), back.counts.tolist()) == (12, ["개/NNG", "공/NNG"], [3, 12])
    nothing = decode_frequencies(encode_frequencies(Frequencies(0, pa.array([], pa.string()), np.zeros(0, np.int64))))
    assert (nothing.sentences, len(nothing.morphemes), len(nothing.counts)) == (0, 0, 0)


@pytest.mark.parametrize("scorer", ["static-ko", "tfidf"])
def test_the_tasks_of_the_stage_keep_what_the_index_selects(sentences: pa.Table, tmp_path: Path, scorer: str) -> None:
    """Two shards of sentences, three buckets of concepts; of 20 sentences that are alike 18 are left out."""
    source, target = str(tmp_path / "in"), str(tmp_path / "out")
    sentences = pa.concat_tables([sentences, alike(20)]).sort_by("id")
    buckets = bucket_of(id_heads(np.array(sentences["id"].to_pylist(), dtype="S20")), 2)
    for bucket in range(2):
        write_table(f"{source}/sentences-{bucket:05d}.parquet", sentences.filter(pa.array(buckets == bucket)))
    selection = Selection(make_scorer(scorer))
    side = None
    if scorer == "tfidf":
        parts = [decode_frequencies(one.data) for b in range(2) for one in CountMorphemes(source).run(b, [], None)]
        counts: dict[str, int] = defaultdict(int)
        for part in parts:
            for morpheme, count in zip(part.morphemes.to_pylist(), part.counts.tolist(), strict=True):
                counts[morpheme] += count
        assert counts["있/VV"] == sum("있/VV" in row for row in sentences["morphemes"].to_pylist())
        total = sum(part.sentences for part in parts)
        names = sorted(counts)
        side = encode_frequencies(Frequencies(total, pa.array(names), np.array([counts[name] for name in names])))
    postings, chosen = defaultdict(list), defaultdict(list)
    for bucket in range(2):
        for output in SendPostings(selection, source, Routes(3)).run(bucket, [], side):
            postings[output.bucket].append(output.data)
    ledger = Ledger()
    for bucket, blocks in postings.items():
        for output in ScorePostings(selection, target, 2).run(bucket, blocks, side):
            if output.tag == "chosen":
                chosen[output.bucket].append(output.data)
    for bucket in range(2):
        (output,) = KeepSelected(source, target).run(bucket, chosen[bucket], None)
        ledger.add(Ledger.from_json(json.loads(output.data)["ledger"]))
    ledger.check("select")
    index = [row for bucket in postings for row in read_table(f"{target}/index-{bucket:05d}.parquet").to_pylist()]
    kept = [row for bucket in range(2) for row in read_table(f"{target}/sentences-{bucket:05d}.parquet").to_pylist()]
    assert {row["id"] for row in kept} == {row["sentence_id"] for row in index if row["selected"]}
    lost = set(sentences["id"].to_pylist()) - {row["id"] for row in kept}
    assert len(lost & set(alike(20)["id"].to_pylist())) == 18
    assert len(lost) == 18 or not DATA.is_dir()
    assert sum(counts.read for counts in ledger.sources.values()) == len(sentences)
    assert sum(counts.kept for counts in ledger.sources.values()) == len(kept)


def test_what_is_chosen_travels_as_packed_ids() -> None:
    assert pa.table([pack_ids(pa.array([text_id("가")]))], schema=CHOSEN).schema == CHOSEN


def test_the_default_scorer_is_the_static_one() -> None:
    assert isinstance(Selection().open_scorer(None), StaticScorer)

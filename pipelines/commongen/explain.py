"""The history of one sentence or concept set in a build of the recipe `commongen`."""

from collections.abc import Iterator
from itertools import chain
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from conceptloom import storage
from conceptloom.arrays.columns import one_array
from conceptloom.arrays.ids import ids_of_sets, pack_ids
from conceptloom.hashing import text_id
from conceptloom.languages.english.normalise import normalise
from conceptloom.pipelines.korean_commongen.explain import ID, Finished, History, split_line
from conceptloom.tables import read_table
from conceptloom.tasks.base import shard_name
from conceptloom.tasks.commongen.frozen import frozen_sets
from conceptloom.tasks.commongen.mine import TERMS

SHOWN = 5
"""Sentences of a set, or sets of a sentence, that are shown."""


def histories(build: Finished, what: str) -> list[History]:
    """The histories of what an id, a text, a concept set `a#b#c`, or a locator names (tried so); empty for none."""
    sentence = what if ID.fullmatch(what) else text_id(normalise(what))
    concept_set = what if ID.fullmatch(what) else ids_of_sets([what.split("#")])[0]
    found = _sentence(build, sentence) or _set(build, concept_set)
    return [found] if found else list(_at_place(build, what))


def _tables(build: Finished, stage: str, kind: str) -> Iterator[pa.Table]:
    for shard in range(build.shards(stage, kind) if stage in build.manifests else 0):
        yield read_table(storage.join(build.directories[stage], shard_name(kind, shard)))


def _rows(build: Finished, stage: str, kind: str, column: str, value: str) -> list[dict[str, Any]]:
    """The rows of all shards of a kind with a value in a column."""
    return [
        row for table in _tables(build, stage, kind) for row in table.filter(pc.equal(table[column], value)).to_pylist()
    ]


def _at_place(build: Finished, locator: str) -> Iterator[History]:
    for kind in ("sentences", "rejected"):
        for row in _rows(build, "ingest", kind, "locator", locator):
            yield (_sentence(build, row["id"]) if row["id"] else None) or {**_head(row), "rejected": [_why(row)]}


def _head(row: dict[str, Any]) -> History:
    return {name: row[name] for name in ("id", "text", "source", "locator")}


def _why(row: dict[str, Any]) -> dict[str, Any]:
    return {name: row[name] for name in ("stage", "reason", "detail")}


def _sentence(build: Finished, sentence: str) -> History | None:
    bucket = build.bucket(sentence)
    kept = build.rows("ingest", "sentences", bucket, "id", sentence)
    rejected = [
        row
        for stage in ("ingest", "mine")
        if stage in build.manifests
        for row in build.rejected(stage, bucket, sentence)
    ]
    if not kept and not rejected:
        return _frozen_sentence(build, sentence)
    copies = [row["locator"] for row in rejected if row["reason"] == "duplicate"]
    others = [row for row in rejected if row["reason"] != "duplicate"]
    history = {**_head((kept or others or rejected)[0]), "copies_at": copies}
    history["concepts"] = kept[0]["concepts"] if kept else []
    history["passed_over"] = _passed_over(build, bucket, sentence, history["concepts"])
    history["rejected"] = list(map(_why, others))
    history["sets"] = list(_sets_with(build, history["text"]))
    return history


def _frozen_sentence(build: Finished, sentence: str) -> History | None:
    """The history of a caption of the frozen sets that the build's own corpora do not hold."""
    rows = _frozen_rows(build)
    text = next((text for row in rows for text in row["references"] if text_id(text) == sentence), None)
    if text is None:
        return None
    # A row says where its target stands, and nothing of its other references.
    place = next((row for row in rows if row["target"] == text), {"source": "", "locator": ""})
    head = _head({**place, "id": sentence, "text": text})
    unknown: History = {"copies_at": [], "concepts": [], "passed_over": [], "rejected": []}
    return {**head, **unknown, "sets": list(_sets_with(build, text))}


def _passed_over(build: Finished, bucket: int, sentence: str, concepts: list[str]) -> list[str]:
    """The concepts that the cap on a sentence's concepts took away."""
    if "mine" not in build.manifests:
        return []
    coded = read_table(storage.join(build.directories["mine"], shard_name("coded", bucket)))
    mine = coded.filter(pc.equal(coded["id"], pack_ids(pa.array([sentence]))[0]))
    if not len(mine):
        return []
    terms = read_table(storage.join(build.directories["mine"], TERMS))["term"]
    mined = set(terms.take(one_array(mine["concepts"]).flatten()).to_pylist())
    return [concept for concept in concepts if concept not in mined]


def _sets_with(build: Finished, text: str) -> Iterator[dict[str, Any]]:
    """The concept sets of the data set that a sentence stands for."""
    kept = (frozen_sets(file, data) for file, data in build.frozen())
    for table in chain(_tables(build, "split", "sets"), kept):
        references = one_array(table["references"])
        holds = pc.equal(references.flatten(), text)
        rows = pc.list_parent_indices(references).filter(holds)
        yield from table.select(["id", "concepts", "split"]).take(rows).to_pylist()


def _frozen_rows(build: Finished) -> list[dict[str, Any]]:
    """The rows of validation and test, where these were kept from an earlier build."""
    return [row for file, data in build.frozen() for row in frozen_sets(file, data).to_pylist()]


def _set(build: Finished, concept_set: str) -> History | None:
    index = _rows(build, "split", "index", "id", concept_set)
    rejected = [row for stage in ("sample", "split") for row in _rows(build, stage, "rejected", "id", concept_set)]
    data = _rows(build, "split", "sets", "id", concept_set)
    kept = [] if data else [row for row in _frozen_rows(build) if row["id"] == concept_set]
    frozen, data = bool(kept), data or kept
    if not index and not rejected and not data:
        return None
    concepts = index[0]["concepts"] if index else rejected[0]["text"].split("#") if rejected else data[0]["concepts"]
    numbers = ("support", "words", "length", "degree", "score", "rank")
    return {
        "id": concept_set,
        "concepts": concepts,
        **({name: index[0][name] for name in numbers} if index else {}),
        "split": data[0]["split"] if data else None,
        "frozen": frozen,
        "references": data[0]["references"] if data else [],
        "rejected": list(map(_why, rejected)),
    }


def history_text(history: History) -> str:
    """A history as lines of text."""
    lines = _sentence_lines(history) if "text" in history else _set_lines(history)
    for row in history["rejected"]:
        detail = f" ({row['detail']})" if row["detail"] else ""
        lines.append(f"rejected  in stage {row['stage']}: {row['reason']}{detail}")
    return "\n".join(lines)


def _sentence_lines(history: History) -> list[str]:
    lines = [history["text"], f"id        {history['id']}"]
    lines += [f"source    {history['source']}, {history['locator']}"] if history["source"] else []
    lines += [f"copy      {locator}" for locator in history.get("copies_at", ())]
    lines += [f"concepts  {'#'.join(history['concepts'])}"] if history.get("concepts") else []
    lines += [f"passed    {'#'.join(history['passed_over'])}: over the cap"] if history.get("passed_over") else []
    sets = history.get("sets", [])
    lines += [f"stands    for {len(sets):,} of the concept sets"] if sets else []
    return lines + [f"  {one['split']:<10}  {'#'.join(one['concepts'])}" for one in sets[:SHOWN]]


def _set_lines(history: History) -> list[str]:
    lines = ["#".join(history["concepts"]), f"id        {history['id']}"]
    if "score" in history:
        lines += [
            f"sentences {history['support']:,}, of {history['length']:,} words together, {history['words']:,} distinct",
            f"score     {history['score']:.6f}; a concept of it stands in {history['degree']:,} sets",
            f"rank      {history['rank']:,} of the candidates of {len(history['concepts'])} concepts",
        ]
    lines += [split_line(history)] if history["split"] else []
    return lines + [f"  {text}" for text in history["references"][:SHOWN]]

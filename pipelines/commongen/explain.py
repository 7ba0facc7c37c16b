"""The history of one sentence or concept set in a build of the recipe `commongen`."""

from collections.abc import Iterator
from itertools import chain

import pyarrow as pa
import pyarrow.compute as pc

from conceptloom import storage
from conceptloom.arrays.columns import one_array
from conceptloom.arrays.ids import ids_of_sets, pack_ids
from conceptloom.corpus.captions import caption_ids
from conceptloom.json_values import JsonObject
from conceptloom.pipelines.build.recipe import Explainer, History
from conceptloom.pipelines.builds.explain import (
    DUPLICATE,
    ID,
    head,
    place_lines,
    rejected_lines,
    split_line,
    why,
)
from conceptloom.pipelines.builds.finished import FinishedBuild, with_value
from conceptloom.tables import read_table
from conceptloom.tasks.commongen.frozen import frozen_sets
from conceptloom.tasks.commongen.mine import TERMS
from conceptloom.tasks.commongen.split.train import LEFT_OUT

SHOWN = 5
"""The number of sentences of a set, or sets of a sentence, that are shown."""


def histories(build: FinishedBuild, what: str) -> list[History]:
    """Returns the histories for an id, text, concept set `a#b#c` or locator (tried in this order); may be empty."""
    sentences = [what] if ID.fullmatch(what) else caption_ids(what)
    concept_set = what if ID.fullmatch(what) else ids_of_sets([what.split("#")])[0]
    of_sentences = (_sentence(build, sentence) for sentence in dict.fromkeys(sentences))
    found = next(filter(None, of_sentences), None) or _set(build, concept_set)
    return [found] if found else list(_at_place(build, what))


def _rows(build: FinishedBuild, stage: str, kind: str, column: str, value: str) -> list[JsonObject]:
    """Returns the rows of all shards of a kind with a value in a column; empty if the stage is not finished."""
    tables = build.stages[stage].tables(kind) if stage in build.stages else ()
    return [row for table in tables for row in with_value(table, column, value)]


def _at_place(build: FinishedBuild, locator: str) -> Iterator[History]:
    for kind in ("sentences", "rejected"):
        for row in _rows(build, "ingest", kind, "locator", locator):
            yield (_sentence(build, row["id"]) if row["id"] else None) or {**head(row), "rejected": [why(row)]}


def _sentence(build: FinishedBuild, sentence: str) -> History | None:
    bucket = build.bucket(sentence)
    kept = build.rows_with("ingest", "sentences", bucket, "id", sentence)
    rejected = build.rejected(bucket, sentence, "ingest", "mine")
    if not kept and not rejected:
        return _frozen_sentence(build, sentence)
    copies = [row["locator"] for row in rejected if row["reason"] == DUPLICATE]
    others = [row for row in rejected if row["reason"] != DUPLICATE]
    history = {**head((kept or others or rejected)[0]), "copies_at": copies}
    history["concepts"] = kept[0]["concepts"] if kept else []
    history["passed_over"] = _passed_over(build, bucket, sentence, history["concepts"])
    over = build.rows_with("split", LEFT_OUT, bucket, "id", sentence)
    history["rejected"] = list(map(why, [*others, *over]))
    history["sets"] = list(_sets_with(build, history["text"]))
    return history


def _frozen_sentence(build: FinishedBuild, sentence: str) -> History | None:
    """Returns the history of a caption that occurs only in the frozen sets, not in the build's own corpora."""
    rows = _frozen_rows(build)
    text = next((text for row in rows for text in row["references"] if sentence in caption_ids(text)), None)
    if text is None:
        return None
    # A row has the locator of its target, but not of its other references.
    place = next((row for row in rows if row["target"] == text), {"source": "", "locator": ""})
    place_of = head({**place, "id": sentence, "text": text})
    unknown: History = {"copies_at": [], "concepts": [], "passed_over": [], "rejected": []}
    return {**place_of, **unknown, "sets": list(_sets_with(build, text))}


def _passed_over(build: FinishedBuild, bucket: int, sentence: str, concepts: list[str]) -> list[str]:
    """Returns the concepts that were dropped by the cap on a sentence's concepts."""
    mined_stage = build.stages.get("mine")
    if mined_stage is None:
        return []
    coded = mined_stage.shard("coded", bucket)
    mine = coded.filter(pc.equal(coded["id"], pack_ids(pa.array([sentence]))[0]))
    if not len(mine):
        return []
    terms = read_table(storage.join(mined_stage.directory, TERMS))["term"]
    mined = set(terms.take(one_array(mine["concepts"]).flatten()).to_pylist())
    return [concept for concept in concepts if concept not in mined]


def _sets_with(build: FinishedBuild, text: str) -> Iterator[JsonObject]:
    """Yields the concept sets of the data set that have a sentence as a reference."""
    kept = (frozen_sets(file, data) for file, data in build.frozen())
    for table in chain(build.stages["split"].tables("sets") if "split" in build.stages else (), kept):
        references = one_array(table["references"])
        holds = pc.equal(references.flatten(), text)
        rows = pc.list_parent_indices(references).filter(holds)
        yield from table.select(["id", "concepts", "split"]).take(rows).to_pylist()


def _frozen_rows(build: FinishedBuild) -> list[JsonObject]:
    """Returns the frozen rows of validation and test."""
    return [row for file, data in build.frozen() for row in frozen_sets(file, data).to_pylist()]


def _set(build: FinishedBuild, concept_set: str) -> History | None:
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
        "rejected": list(map(why, rejected)),
    }


def history_text(history: History) -> str:
    """Formats a history as lines of text."""
    lines = _sentence_lines(history) if "text" in history else _set_lines(history)
    return "\n".join([*lines, *rejected_lines(history["rejected"])])


def _sentence_lines(history: History) -> list[str]:
    lines = list(place_lines(history))
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


EXPLAINER = Explainer(histories, history_text)

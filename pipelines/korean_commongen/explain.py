"""The history of one sentence in a build: the result of every stage, and why it was kept or rejected."""

from collections.abc import Iterator

import pyarrow as pa
import pyarrow.compute as pc

from conceptloom.filters import verdict_of
from conceptloom.hashing import bucket_of, string_hashes, text_id
from conceptloom.json_values import JsonObject
from conceptloom.languages.korean.normalise import normalise
from conceptloom.languages.korean.rules import RULES
from conceptloom.languages.korean.taggers import tagger
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
from conceptloom.pipelines.builds.finished import FinishedBuild
from conceptloom.pipelines.korean_commongen.settings import KoreanIngestSettings
from conceptloom.tasks.korean_commongen.frozen import frozen_rows


def histories(build: FinishedBuild, what: str) -> list[History]:
    """Returns the histories for an id, text, concept set `a#b#c` or locator (tried in this order); may be empty."""
    single = _history(build, what if ID.fullmatch(what) else text_id(normalise(what)))
    if single:
        return [single]
    sets = (_history(build, one) for one in _with_set(build, frozenset(what.split("#"))))
    return list(filter(None, sets)) or list(_at_place(build, what))


def _at_place(build: FinishedBuild, locator: str) -> Iterator[History]:
    """Yields the histories for a locator; a malformed record has only its rejection."""
    for bucket in range(build.first.shards("sentences")):
        for row in build.rows_with("ingest", "sentences", bucket, "locator", locator):
            yield from filter(None, [_history(build, row["id"])])
        for row in build.rows_with("ingest", "rejected", bucket, "locator", locator):
            yield (_history(build, row["id"]) if row["id"] else None) or _malformed(row)


def _malformed(row: JsonObject) -> History:
    unknown: History = {"copies_at": [], "tokens": [], "concepts": [], "stored": [], "verdicts": [], "postings": []}
    return {**head(row), **unknown, "split": None, "frozen": False, "rejected": [why(row)]}


def _with_set(build: FinishedBuild, concepts: frozenset[str]) -> Iterator[str]:
    frozen = (row["id"] for row in _frozen_rows(build) if frozenset(row["concepts"]) == concepts)
    return iter(dict.fromkeys([*_read_with_set(build, concepts), *frozen]))


def _frozen_rows(build: FinishedBuild) -> Iterator[JsonObject]:
    for file, data in build.frozen():
        yield from frozen_rows(file, data).to_pylist()


def _read_with_set(build: FinishedBuild, concepts: frozenset[str]) -> Iterator[str]:
    for table in build.first.tables("sentences", ["id", "concepts"]):
        rows = table.filter(pc.equal(pc.list_value_length(table["concepts"]), len(concepts))).to_pylist()
        yield from (row["id"] for row in rows if frozenset(row["concepts"]) == concepts)


def _history(build: FinishedBuild, sentence: str) -> History | None:
    bucket = build.bucket(sentence)
    kept = build.rows_with("ingest", "sentences", bucket, "id", sentence)
    rejected = build.rejected(bucket, sentence)
    frozen = [row for row in _frozen_rows(build) if row["id"] == sentence]
    if not kept and not rejected and not frozen:
        return None
    # Copies are rejected rows too; the sentence itself is the row that is not a duplicate.
    others = [row for row in rejected if row["reason"] != DUPLICATE]
    main = (kept or others or rejected or frozen)[0]
    history = head(main)
    history["copies_at"] = [row["locator"] for row in rejected if row["reason"] == DUPLICATE]
    history.update(_analysis(build, main["text"]))
    history["postings"] = [_posting(build, one, main) for one in _units(build, kept[0])] if kept else []
    split = frozen or build.rows_with("split", "sentences", bucket, "id", sentence)
    history["stored"] = (frozen or kept or [{"concepts": []}])[0]["concepts"]
    history["split"] = split[0]["split"] if split else None
    history["frozen"] = bool(frozen)
    history["rejected"] = [why(row) for row in others]
    return history


def _settings(build: FinishedBuild) -> KoreanIngestSettings:
    """Returns the settings of stage ingest; a setting that is newer than the build has its default."""
    recorded = build.first.manifest.settings
    known = {name: recorded[name] for name in KoreanIngestSettings.model_fields if name in recorded}
    return KoreanIngestSettings(**{**known, "tagger": recorded["tagger"]["name"]})


def _analysis(build: FinishedBuild, text: str) -> History:
    settings = _settings(build)
    backend = tagger(settings.tagger)
    tokens = backend.tokens([text.replace("\0", " ")])
    concepts = RULES[settings.rule].concepts([text], tokens, backend)[0]
    subjects = {"text": text, "tokens": tokens[0], "concepts": concepts}
    verdicts = []
    for name, one in zip(settings.filters.names(), settings.filters.chosen(), strict=True):
        verdict = verdict_of(one, subjects[one.subject])
        verdicts.append({"filter": name, "keep": verdict.keep, "detail": verdict.detail})
    return {"tokens": [str(token) for token in tokens[0]], "concepts": concepts, "verdicts": verdicts}


def _units(build: FinishedBuild, sentence: JsonObject) -> list[str]:
    """Returns the units that the sentence has postings for."""
    selected = build.stages.get("select")
    morphemes = selected is not None and selected.manifest.settings.get("unit") == "morpheme"
    return list(dict.fromkeys(sentence["morphemes" if morphemes else "concepts"]))


def _posting(build: FinishedBuild, concept: str, sentence: JsonObject) -> History:
    selected = build.stages.get("select")
    if selected is None:
        return {"concept": concept}
    bucket = int(bucket_of(string_hashes(pa.array([concept])), selected.shards("index"))[0])
    rows = build.rows_with("select", "index", bucket, "concept", concept)
    if selected.manifest.settings.get("per_source", True):
        rows = [row for row in rows if row["source"] == sentence["source"]]
    mine = next((row for row in rows if row["sentence_id"] == sentence["id"]), None)
    known = {name: mine[name] for name in ("centrality", "rank", "selected")} if mine else {}
    return {"concept": concept, "posting_size": len(rows), **known}


def history_text(history: History) -> str:
    """Formats a history as lines of text."""
    lines = list(place_lines(history))
    lines += [f"tokens    {' '.join(history['tokens'])}", f"concepts  {'#'.join(history['concepts'])}"]
    lines += [f"stored    {'#'.join(history['stored'])}"] if history["stored"] else []
    lines += [_verdict_line(verdict) for verdict in history["verdicts"]]
    lines += [_posting_line(posting) for posting in history["postings"]]
    lines += rejected_lines(history["rejected"])
    return "\n".join([*lines, split_line(history)] if history["split"] else lines)


def _verdict_line(verdict: JsonObject) -> str:
    detail = f" ({verdict['detail']})" if verdict["detail"] else ""
    return f"filter    {verdict['filter']}: {'keep' if verdict['keep'] else 'leave out'}{detail}"


def _posting_line(posting: JsonObject) -> str:
    place = f"posting   {posting['concept']}: "
    if "posting_size" not in posting:
        return place + "stage select is not done"
    if "rank" not in posting:
        return place + f"not among the {posting['posting_size']} sentences drawn"
    chosen = ", selected" if posting["selected"] else ""
    return (
        place + f"rank {posting['rank']} of {posting['posting_size']}, centrality {posting['centrality']:.5f}{chosen}"
    )


EXPLAINER = Explainer(histories, history_text)

"""The history of one sentence in a build: what every stage saw in it, and why it is in or out."""

import re
from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from conceptloom import storage
from conceptloom.errors import InputError
from conceptloom.filters import verdict_of
from conceptloom.hashing import ID_LENGTH, bucket_of, id_heads, string_hashes, text_id
from conceptloom.languages.korean.normalise import normalise
from conceptloom.languages.korean.rules import RULES
from conceptloom.languages.korean.taggers import tagger
from conceptloom.manifest import Manifest, read_manifest
from conceptloom.pipelines.build.settings import KoreanIngestSettings
from conceptloom.tables import read_table, strings
from conceptloom.tasks.base import shard_name
from conceptloom.tasks.frozen import FOLDER, FrozenFile
from conceptloom.tasks.korean_commongen.frozen import frozen_rows

ID = re.compile(rf"[0-9a-f]{{{ID_LENGTH}}}")
History = dict[str, Any]


class Finished:
    """The finished stages of a build, by name."""

    def __init__(self, directory: str) -> None:
        self.directory = directory
        self.directories: dict[str, str] = {}
        self.manifests: dict[str, Manifest] = {}
        for info in storage.list_files(storage.join(directory, "stages")):
            base, _, name = info.path.rpartition("/")
            manifest = read_manifest(base) if name == "MANIFEST.json" else None
            if manifest:
                self.directories[manifest.name], self.manifests[manifest.name] = base, manifest
        if "ingest" not in self.manifests:
            raise InputError(f"{directory} holds no build with a finished stage ingest: check the path")

    def shards(self, stage: str, kind: str) -> int:
        """How many shards of one kind a stage has."""
        return sum(file["path"].startswith(f"{kind}-") for file in self.manifests[stage].files)

    def rows(self, stage: str, kind: str, bucket: int, column: str, value: str) -> list[dict[str, Any]]:
        """The rows of one shard with a value in a column; none where the stage is not done."""
        if stage not in self.manifests:
            return []
        table = read_table(storage.join(self.directories[stage], shard_name(kind, bucket)))
        found: list[dict[str, Any]] = table.filter(pc.equal(table[column], value)).to_pylist()
        return found

    def frozen(self) -> Iterator[tuple[FrozenFile, bytes]]:
        """The data files of validation and test, where these were kept from an earlier build, with their bytes."""
        entries = self.manifests["split"].files if "split" in self.manifests else ()
        for entry in (one for one in entries if one["path"].startswith(f"{FOLDER}/data/")):
            file = FrozenFile(entry["path"].removeprefix(f"{FOLDER}/"), entry["rows"], entry["blake2b"])
            yield file, storage.read_bytes(storage.join(self.directories["split"], entry["path"]))

    def rejected(self, stage: str, bucket: int, sentence: str) -> list[dict[str, Any]]:
        """The rejected rows of a sentence in one stage."""
        if not self.shards(stage, "rejected"):
            return []
        return self.rows(stage, "rejected", bucket, "id", sentence)

    def bucket(self, sentence: str) -> int:
        """The bucket of a sentence's id."""
        heads = id_heads(strings(pa.array([sentence]), ID_LENGTH))
        return int(bucket_of(heads, self.shards("ingest", "sentences"))[0])


def histories(build: Finished, what: str) -> list[History]:
    """The histories of what an id, a text, a concept set `a#b#c`, or a locator names (tried so); empty for none."""
    single = _history(build, what if ID.fullmatch(what) else text_id(normalise(what)))
    if single:
        return [single]
    sets = (_history(build, one) for one in _with_set(build, frozenset(what.split("#"))))
    return list(filter(None, sets)) or list(_at_place(build, what))


def _at_place(build: Finished, locator: str) -> Iterator[History]:
    """The histories of what stands at a locator; of a malformed record there is only what was rejected."""
    for bucket in range(build.shards("ingest", "sentences")):
        for row in build.rows("ingest", "sentences", bucket, "locator", locator):
            yield from filter(None, [_history(build, row["id"])])
        for row in build.rows("ingest", "rejected", bucket, "locator", locator):
            yield (_history(build, row["id"]) if row["id"] else None) or _malformed(row)


def _malformed(row: dict[str, Any]) -> History:
    history: History = {name: row[name] for name in ("id", "text", "source", "locator")}
    history.update(copies_at=[], tokens=[], concepts=[], verdicts=[], postings=[], split=None, frozen=False)
    history["rejected"] = [{name: row[name] for name in ("stage", "reason", "detail")}]
    return history


def _with_set(build: Finished, concepts: frozenset[str]) -> Iterator[str]:
    frozen = (row["id"] for row in _frozen_rows(build) if frozenset(row["concepts"]) == concepts)
    return iter(dict.fromkeys([*_read_with_set(build, concepts), *frozen]))


def _frozen_rows(build: Finished) -> Iterator[dict[str, Any]]:
    for file, data in build.frozen():
        yield from frozen_rows(file, data).to_pylist()


def _read_with_set(build: Finished, concepts: frozenset[str]) -> Iterator[str]:
    for bucket in range(build.shards("ingest", "sentences")):
        table = read_table(
            storage.join(build.directories["ingest"], shard_name("sentences", bucket)), ["id", "concepts"]
        )
        rows = table.filter(pc.equal(pc.list_value_length(table["concepts"]), len(concepts))).to_pylist()
        yield from (row["id"] for row in rows if frozenset(row["concepts"]) == concepts)


def _history(build: Finished, sentence: str) -> History | None:
    bucket = build.bucket(sentence)
    kept = build.rows("ingest", "sentences", bucket, "id", sentence)
    rejected = [row for stage in build.manifests for row in build.rejected(stage, bucket, sentence)]
    frozen = [row for row in _frozen_rows(build) if row["id"] == sentence]
    if not kept and not rejected and not frozen:
        return None
    # The places of further copies are rejected rows too; the sentence itself is the one that is no duplicate.
    main = (kept or [row for row in rejected if row["reason"] != "duplicate"] or rejected or frozen)[0]
    history: History = {name: main[name] for name in ("id", "text", "source", "locator")}
    history["copies_at"] = [row["locator"] for row in rejected if row["reason"] == "duplicate"]
    history.update(_analysis(build, main["text"]))
    history["postings"] = [_posting(build, one, main) for one in _units(build, kept[0])] if kept else []
    split = frozen or build.rows("split", "sentences", bucket, "id", sentence)
    history["split"] = split[0]["split"] if split else None
    history["frozen"] = bool(frozen)
    history["rejected"] = [
        {name: row[name] for name in ("stage", "reason", "detail")} for row in rejected if row["reason"] != "duplicate"
    ]
    return history


def _analysis(build: Finished, text: str) -> History:
    names = set(KoreanIngestSettings.model_fields) - {"tagger"}
    recorded = build.manifests["ingest"].settings
    settings = KoreanIngestSettings(**{name: recorded[name] for name in names}, tagger=recorded["tagger"]["name"])
    backend = tagger(settings.tagger)
    tokens = backend.tag([text.replace("\0", " ")])
    concepts = RULES[settings.rule].extract([text], tokens, backend)[0]
    subjects = {"text": text, "tokens": tokens[0], "concepts": concepts}
    verdicts = []
    for name, one in zip(settings.filters.names(), settings.filters.chosen(), strict=True):
        verdict = verdict_of(one, subjects[one.subject])
        verdicts.append({"filter": name, "keep": verdict.keep, "detail": verdict.detail})
    return {"tokens": [str(token) for token in tokens[0]], "concepts": concepts, "verdicts": verdicts}


def _units(build: Finished, sentence: dict[str, Any]) -> list[str]:
    """What the sentence has postings for."""
    selected = build.manifests.get("select")
    morphemes = selected is not None and selected.settings["unit"] == "morpheme"
    return list(dict.fromkeys(sentence["morphemes" if morphemes else "concepts"]))


def _posting(build: Finished, concept: str, sentence: dict[str, Any]) -> History:
    if "select" not in build.manifests:
        return {"concept": concept}
    bucket = int(bucket_of(string_hashes(pa.array([concept])), build.shards("select", "index"))[0])
    rows = build.rows("select", "index", bucket, "concept", concept)
    if build.manifests["select"].settings["per_source"]:
        rows = [row for row in rows if row["source"] == sentence["source"]]
    mine = next((row for row in rows if row["sentence_id"] == sentence["id"]), None)
    known = {name: mine[name] for name in ("centrality", "rank", "selected")} if mine else {}
    return {"concept": concept, "posting_size": len(rows), **known}


def history_text(history: History) -> str:
    """A history as lines of text."""
    lines = [history["text"], f"id        {history['id']}", f"source    {history['source']}, {history['locator']}"]
    lines += [f"copy      {locator}" for locator in history["copies_at"]]
    lines += [f"tokens    {' '.join(history['tokens'])}", f"concepts  {'#'.join(history['concepts'])}"]
    lines += [_verdict_line(verdict) for verdict in history["verdicts"]]
    lines += [_posting_line(posting) for posting in history["postings"]]
    for row in history["rejected"]:
        lines.append(
            f"rejected  in stage {row['stage']}: {row['reason']}" + (f" ({row['detail']})" if row["detail"] else "")
        )
    if history["split"]:
        lines.append(split_line(history))
    return "\n".join(lines)


def _verdict_line(verdict: dict[str, Any]) -> str:
    detail = f" ({verdict['detail']})" if verdict["detail"] else ""
    return f"filter    {verdict['filter']}: {'keep' if verdict['keep'] else 'leave out'}{detail}"


def _posting_line(posting: dict[str, Any]) -> str:
    place = f"posting   {posting['concept']}: "
    if "posting_size" not in posting:
        return place + "stage select is not done"
    if "rank" not in posting:
        return place + f"not among the {posting['posting_size']} sentences drawn"
    chosen = ", selected" if posting["selected"] else ""
    return (
        place + f"rank {posting['rank']} of {posting['posting_size']}, centrality {posting['centrality']:.5f}{chosen}"
    )


def split_line(history: History) -> str:
    """Which split something is in, and whether that is so because it was in an earlier build."""
    frozen = ", as in the build whose validation and test are frozen" if history["frozen"] else ""
    return f"split     {history['split']}{frozen}"

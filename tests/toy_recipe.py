"""A third recipe in one module, as another package would define it: pairs of sentences with a label.

Other code knows only its registration. Its rows are whole records (columns premise, hypothesis and label of a table, or
keys of JSON lines); pairs are split by their ids.
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import ClassVar, Literal

import apache_beam as beam
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pydantic import Field

from conceptloom import storage
from conceptloom.arrays.columns import strings
from conceptloom.corpus.units import RecordUnit, Unit, fields_of
from conceptloom.hashing import ID_LENGTH, id_heads, seed_for, splitmix64
from conceptloom.json_values import JsonObject
from conceptloom.ledger import Ledger, count_read, count_written, reject
from conceptloom.pipelines.build.card import Card
from conceptloom.pipelines.build.context import Context, Receipts
from conceptloom.pipelines.build.ingest_stage import check_ingest, reading_settings
from conceptloom.pipelines.build.publish_stage import check_train, data_files, stage_copies
from conceptloom.pipelines.build.recipe import DataRows, Recipe, Stage
from conceptloom.pipelines.build.settings import RecipeSettings, Settings
from conceptloom.tables import from_ipc, read_table, to_ipc, write_file, write_table
from conceptloom.tasks.base import RECEIPTS, STATISTICS, Output, receipt, shard_name
from conceptloom.tasks.publish import DataFile, shard_rows
from conceptloom.transforms.blocks import EachBucket, GroupBlocks, MapBlocks
from conceptloom.transforms.ingest import Ingest
from conceptloom.transforms.publish import Publish
from conceptloom.transforms.receipts import CollectReceipts

FIELDS = ("premise", "hypothesis", "label")
PAIRS = pa.schema(
    [(name, pa.string()) for name in ("id", "text", "source", "locator")]
    + [("copies", pa.int32())]
    + [(name, pa.string()) for name in FIELDS]
)
DIVIDED = PAIRS.append(pa.field("split", pa.string()))
ROWS = pa.schema([(name, pa.string()) for name in ("id", *FIELDS, "source", "locator")])
COUNTS = pa.schema([("split", pa.string()), ("label", pa.string()), ("rows", pa.int64())])


class PairSplitSettings(Settings):
    """The shares of the pairs that are held out."""

    validation: float = Field(default=0.1, ge=0, lt=0.5)
    test: float = Field(default=0.2, ge=0, lt=0.5)


class PairSettings(RecipeSettings):
    """The settings of the toy recipe."""

    recipe: Literal["toy-pairs"] = "toy-pairs"
    labels: tuple[str, ...] = ("same", "other")
    split: PairSplitSettings = PairSplitSettings()


@dataclass(frozen=True)
class PairAnalyser:
    """Keeps records with a known label and two different sentences."""

    labels: tuple[str, ...]
    unit: ClassVar[Unit] = RecordUnit(str.strip, FIELDS)
    schema: ClassVar[pa.Schema] = PAIRS

    def open(self, side: bytes | None) -> "PairAnalyser":
        return self

    def rows(self, block: pa.Table, seed: int) -> tuple[pa.Table, pa.Table]:
        found = [fields_of(text) for text in block["text"].to_pylist()]
        for name in FIELDS:
            block = block.append_column(name, pa.array([fields[name] for fields in found], pa.string()))
        reasons = pa.array([self._objection(fields) for fields in found], pa.string())
        left_out = pc.not_equal(reasons, "")
        kept = block.filter(pc.invert(left_out)).select(PAIRS.names).cast(PAIRS)
        return kept, reject(block.filter(left_out), "ingest", reasons.filter(left_out), "")

    def _objection(self, fields: dict[str, str]) -> str:
        if fields["label"] not in self.labels:
            return "unknown_label"
        return "twins" if fields["premise"] == fields["hypothesis"] else ""


@dataclass(frozen=True)
class DividePairs:
    """Assigns each pair of a shard to a split by its id."""

    shares: tuple[float, float]
    seed: int
    source: str
    directory: str
    outputs: ClassVar[tuple[str, ...]] = ("statistics", RECEIPTS)

    def run(self, bucket: int, blocks: Iterable[bytes], side: bytes | None) -> Iterator[Output]:
        pairs = read_table(storage.join(self.source, shard_name("sentences", bucket)))
        heads = id_heads(strings(pairs["id"], ID_LENGTH))
        places = splitmix64(heads ^ seed_for("pairs", self.seed)) / 2.0**64
        names = np.array(["test", "validation", "train"])
        split = names[np.searchsorted(np.cumsum(self.shares), places, "right")] if len(pairs) else []
        divided = pairs.append_column("split", pa.array(split, pa.string())).cast(DIVIDED)
        counts = divided.group_by(["split", "label"]).aggregate([([], "count_all")]).rename_columns(COUNTS.names)
        yield Output("statistics", 0, to_ipc(counts.cast(COUNTS)))
        file = write_table(storage.join(self.directory, shard_name("sentences", bucket)), divided)
        sources: JsonObject = {}
        for row in divided.group_by(["split", "source"]).aggregate([([], "count_all")]).to_pylist():
            sources.setdefault(row["split"], {})[row["source"]] = row["count_all"]
        ledger = count_read(pairs["source"])
        ledger.add(count_written(divided, pa.table({"source": [], "reason": []}, PAIRS_LEFT_OUT)))
        yield receipt(bucket, ledger, [{**file, "splits": sources}])


PAIRS_LEFT_OUT = pa.schema([("source", pa.string()), ("reason", pa.string())])


@dataclass(frozen=True)
class CountLabels:
    """Writes the statistics: the counts of labels by split."""

    directory: str
    outputs: ClassVar[tuple[str, ...]] = (RECEIPTS,)

    def run(self, bucket: int, blocks: Iterable[bytes], side: bytes | None) -> Iterator[Output]:
        found: dict[str, Counter[str]] = {split: Counter() for split in ("train", "validation", "test")}
        for row in from_ipc(blocks, COUNTS).to_pylist():
            found[row["split"]][row["label"]] += row["rows"]
        counts = {split: {"pairs": labels.total(), **dict(sorted(labels.items()))} for split, labels in found.items()}
        path = storage.join(self.directory, STATISTICS)
        yield receipt(bucket, Ledger(), [write_file(path, json.dumps(counts).encode(), len(counts))])


@dataclass(frozen=True)
class PairShape:
    """Turns rows of a shard into rows of the data set and publishes them as JSON lines."""

    def rows(self, file: DataFile) -> pa.Table:
        return shard_rows(file).select(ROWS.names)

    def write(self, output: str, file: DataFile, rows: pa.Table) -> list[JsonObject]:
        lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows.select(FIELDS).to_pylist())
        path = storage.join(output, "published", f"{file.name}.jsonl")
        return [write_file(path, lines.encode(), len(rows))]

    def read(self, rows: pa.Table) -> Ledger:
        return count_read(rows["source"])


class SplitPairs(beam.PTransform):
    """Splits the pairs of every shard and counts labels."""

    def __init__(self, divide: DividePairs, buckets: int) -> None:
        super().__init__()
        self._divide = divide
        self._buckets = buckets

    def expand(self, begin: beam.pvalue.PBegin) -> beam.PCollection[str]:
        divided = begin | "Shards" >> EachBucket(self._buckets) | "Divide" >> MapBlocks(self._divide)
        counted = divided["statistics"] | GroupBlocks() | "Count" >> MapBlocks(CountLabels(self._divide.directory))
        receipts = (divided["receipts"], counted["receipts"])
        return receipts | "Receipts" >> CollectReceipts("split", self._divide.directory)


PairContext = Context[PairSettings]


def _ingest_settings(settings: PairSettings) -> JsonObject:
    return {**reading_settings(settings), "labels": list(settings.labels)}


def _ingest(context: PairContext, pipeline: beam.Pipeline) -> object:
    settings = context.settings
    return pipeline | Ingest(
        files=context.plan.files,
        spans=list(context.plan.spans),
        buckets=context.buckets,
        analyser=PairAnalyser(settings.labels),
        seed=settings.seed,
        limit=settings.limit,
        directory=context.directory("ingest"),
    )


def _split_settings(settings: PairSettings) -> JsonObject:
    return {"seed": settings.seed, **settings.split.model_dump(mode="json")}


def _split(context: PairContext, pipeline: beam.Pipeline) -> object:
    split, directories = context.settings.split, (context.directory("ingest"), context.directory("split"))
    shares = (split.test, split.validation)
    return pipeline | SplitPairs(DividePairs(shares, context.settings.seed, *directories), context.buckets)


def _check_split(context: PairContext, receipts: Receipts) -> JsonObject:
    return check_train(context, receipts, "no pair is left for train: lower split.validation and split.test")


def _publish(context: PairContext, pipeline: beam.Pipeline) -> object:
    jobs = [*data_files(context), *stage_copies(context, {"rejected": ["ingest"]})]
    return pipeline | Publish(jobs, context.output, context.directory("publish"), PairShape())


def _labels(column: JsonObject) -> str:
    return ", ".join(f"{label} {number}" for label, number in column.items())


CARD = Card(
    language="en",
    rows=(("pairs", lambda column: f"{column['pairs']:,}"), ("labels", _labels)),
    about_splits=lambda report: f"\n\nLabels: {', '.join(report['labels'])}.",
    files="`data/` pairs with their label · `published/` the same as JSON lines · `rejected/` what was left out.",
    about="# Pairs of sentences\n\nSay whether two sentences mean the same. ",
    tasks=("text-classification",),
)


def _report(context: PairContext) -> JsonObject:
    return {"labels": list(context.settings.labels)}


RECIPE: Recipe[PairSettings] = Recipe(
    name="toy-pairs",
    summary="pairs of sentences with a label",
    settings=PairSettings,
    stages=(
        Stage("ingest", _ingest_settings, _ingest, check_ingest),
        Stage("split", _split_settings, _split, _check_split),
        Stage("publish", lambda settings: {}, _publish, into_output=True),
    ),
    products=("data", "published", "rejected", "report.json", "README.md", "config.yaml"),
    rows=DataRows(ROWS, "premise", _labels, lambda row: f"{row['premise']} / {row['hypothesis']}: {row['label']}"),
    card=CARD,
    report=_report,
    made_by=("labels",),
)

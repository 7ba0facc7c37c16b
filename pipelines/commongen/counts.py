"""What must be counted in a build of recipe `commongen` to say what a larger one takes."""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from conceptloom.arrays.runs import gather
from conceptloom.concepts import CODED, supporters
from conceptloom.concepts.lexicon import Lists
from conceptloom.estimation.growth import Counts, incidence
from conceptloom.hashing import id_heads, seed_for, splitmix64
from conceptloom.pipelines.build.context import Context
from conceptloom.pipelines.commongen.settings import CommonGenSettings
from conceptloom.pipelines.estimation.model import Drawn
from conceptloom.selection.postings import unpack_ids
from conceptloom.tasks.commongen.mine import TERMS
from conceptloom.tasks.commongen.sample import TOGETHER

SETS_SEEN = 250_000
"""Of so many concept sets of the largest sample it is looked at in how many drawn units each stands."""


class SetCounts(NamedTuple):
    """What the stages made of a sample, besides what their ledgers say."""

    occurrences: float
    """Concept sets in captions: the sum of the supports."""
    leads: npt.NDArray[Any]
    """How many captions have 0, 1, … concepts that may lead a set there."""
    terms: float
    """Distinct concepts."""
    drawn: float
    """Sets that leave their shards as candidates."""
    merged: float
    """Sets that leave their groups of shards."""
    holders: float
    """Captions that hold the lead concept of a candidate, over all candidates."""
    train: float
    """Sets of train."""
    references: float
    """Their captions, each counted for each of them."""
    shards: int
    """Shards of lead concepts."""


def count_sets(context: Context[CommonGenSettings]) -> SetCounts:
    """The counts of one finished build."""
    size = context.settings.sample.size
    mined = [file["rows"] for file in context.manifests["mine"].files if file["path"].startswith("mined-")]
    groups = [sum(mined[start : start + TOGETHER]) for start in range(0, len(mined), TOGETHER)]
    return SetCounts(
        context.manifests["mine"].summary["numbers"]["supports"]["all"],
        _leads(context),
        _rows_of(context, "mine", TERMS),
        sum(min(rows, size) for rows in mined),
        sum(min(rows, size) for rows in groups),
        _holders(context),
        _rows_of(context, "publish", "data/train-"),
        _rows_of(context, "publish", "published/train-", "_trg.txt"),
        len(mined),
    )


def units_of_sets(context: Context[CommonGenSettings], drawn: Drawn) -> Counts:
    """In how many of the drawn units each of about SETS_SEEN mined sets stands, in no order; shape (sets,)."""
    chosen = _some_sets(context)
    coded = context.shards("mine", "coded", CODED.names)
    held = pa.concat_tables(supporters(table.cast(CODED).to_batches(), chosen) for table in coded)
    order = np.argsort(drawn.heads, kind="stable")
    heads = id_heads(unpack_ids(held["id"]))
    first, last = (np.searchsorted(drawn.heads[order], heads, side) for side in ("left", "right"))
    units = drawn.units[order[gather(first, last - first)]]
    return incidence(units, np.repeat(held["set"].to_numpy(), last - first))


def routed(leads: npt.NDArray[Any], shards: int) -> float:
    """How many captions leave for the shards: a copy for each that has one of its possible leads, dealt by chance.

    `leads` says how many captions have 0, 1, … of them.
    """
    return float(leads @ (shards * (1 - (1 - 1 / shards) ** np.arange(len(leads)))))


def _rows_of(context: Context[CommonGenSettings], stage: str, start: str, end: str = "") -> int:
    files = context.manifests[stage].files
    return sum(file["rows"] for file in files if file["path"].startswith(start) and file["path"].endswith(end))


def _leads(context: Context[CommonGenSettings]) -> npt.NDArray[np.int64]:
    fewest = min(context.settings.mine.sizes) - 1
    sizes = [Lists.from_arrow(table["concepts"]).sizes for table in context.shards("mine", "coded", ["concepts"])]
    return np.bincount(np.maximum(np.concatenate(sizes) - fewest, 0))


def _holders(context: Context[CommonGenSettings]) -> int:
    """Concepts are numbered by rarity: the first of a candidate is its lead."""
    held = [Lists.from_arrow(table["concepts"]).values for table in context.shards("mine", "coded", ["concepts"])]
    captions = np.bincount(np.concatenate(held))
    (table,) = context.shards("sample", "sets", ["numbers"])
    numbers = Lists.from_arrow(table["numbers"])
    return int(captions[numbers.values[numbers.offsets[:-1]]].sum())


def _some_sets(context: Context[CommonGenSettings]) -> pa.Table:
    """About SETS_SEEN of the mined sets, each with the same chance, as `supporters` takes them."""
    share, parts, before = min(1.0, SETS_SEEN / sum(context.handed_on("mine").values())), [], 0
    for table in context.shards("mine", "mined", ["concepts"]):
        places = np.arange(before, before + len(table), dtype=np.uint64)
        chosen = splitmix64(places ^ seed_for("estimate sets", context.settings.seed)) < share * 2.0**64
        parts.append(table.filter(pa.array(chosen)))
        before += len(table)
    concepts = pa.concat_tables(parts)["concepts"]
    return pa.table({"set": pa.array(np.arange(len(concepts), dtype=np.uint64)), "concepts": concepts})

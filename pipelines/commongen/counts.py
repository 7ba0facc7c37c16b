"""The counts in a build of recipe `commongen` that its cost model extrapolates."""

from typing import NamedTuple

import numpy as np
import pyarrow as pa

from conceptloom.arrays.ids import unpack_ids
from conceptloom.arrays.lists import Lists
from conceptloom.arrays.runs import gather
from conceptloom.arrays.types import Float64
from conceptloom.concepts import from_stored, supporters
from conceptloom.estimation.growth import Counts, incidence
from conceptloom.hashing import id_heads, seed_for, splitmix64
from conceptloom.pipelines.build.context import Context
from conceptloom.pipelines.commongen.settings import CommonGenSettings
from conceptloom.pipelines.estimation.model import Drawn
from conceptloom.tasks.commongen.mine import TERMS, stored_schema
from conceptloom.tasks.commongen.sample import shards_ahead
from conceptloom.tasks.merging import TOGETHER, blocks_by_level, levels

SETS_SEEN = 250_000
"""The number of concept sets of the largest sample whose drawn units are counted."""


class SetCounts(NamedTuple):
    """What the stages produced from a sample, besides the counts in their ledgers."""

    occurrences: float
    """Concept sets in captions: the sum of the supports."""
    leads: Float64
    """The number of captions with 0, 1, … concepts that may lead a set; shape (most such concepts + 1,)."""
    terms: float
    """Distinct concepts."""
    drawn: float
    """Sets that are drawn as candidates within their shards."""
    merged: float
    """Sets that remain after merging groups of shards, summed over the levels of the tree."""
    holders: float
    """Captions that contain the lead concept of a candidate, summed over all candidates."""
    train: float
    """Sets of train."""
    references: float
    """Captions of the sets of train, summed over the sets."""
    shards: int
    """Shards of lead concepts."""


def count_sets(context: Context[CommonGenSettings]) -> SetCounts:
    """Returns the counts of a finished build."""
    size = context.settings.sample.size
    mined = [file["rows"] for file in context.manifests["mine"].files if file["path"].startswith("mined-")]
    at_once = shards_ahead(len(mined)) == len(mined)
    return SetCounts(
        occurrences=context.manifests["mine"].summary["numbers"]["supports"]["all"],
        leads=_leads(context),
        terms=_rows_of(context, "mine", TERMS),
        drawn=sum(min(rows, size) for rows in mined) if at_once else drawn_sets(sum(mined), len(mined), size),
        merged=_merged(mined, size) if at_once else merged_sets(sum(mined), len(mined), size),
        holders=_holders(context),
        train=_rows_of(context, "publish", "data/train-"),
        references=_rows_of(context, "publish", "published/train-", "_trg.txt"),
        shards=len(mined),
    )


def _merged(sets: list[int], size: int) -> int:
    merged = 0
    for _ in range(max(1, levels(len(sets)))):
        sets = [min(size, sum(sets[start : start + TOGETHER])) for start in range(0, len(sets), TOGETHER)]
        merged += sum(sets)
    return merged


def drawn_sets(sets: float, shards: int, size: int) -> float:
    """Returns the expected number of sets that equal shards draw, of `sets` in all."""
    ahead = shards_ahead(shards)
    return ahead * min(sets / shards, size) + (shards - ahead) * _of_another(sets, shards, size)


def merged_sets(sets: float, shards: int, size: int) -> float:
    """Returns the expected number of sets that leave the levels of both trees, of `sets` in all."""
    ahead, each = shards_ahead(shards), _of_another(sets, shards, size)
    first = sum(min(sets, blocks * size) for blocks in blocks_by_level(ahead, least=0)) if ahead < shards else 0
    every = enumerate(blocks_by_level(shards), 1)
    return first + sum(min(sets, blocks * min(size, each * TOGETHER**level)) for level, blocks in every)


def _of_another(sets: float, shards: int, size: int) -> float:
    """What a shard draws that is not drawn first: its share of the sets that arrive before the last of those ahead."""
    ahead = shards_ahead(shards)
    return min(sets / shards, size / ahead if ahead < shards else size)


def units_of_sets(context: Context[CommonGenSettings], drawn: Drawn) -> Counts:
    """Returns the number of drawn units that contain each of about SETS_SEEN mined sets, unordered; shape (sets,)."""
    chosen = _some_sets(context)
    coded = context.shards("mine", "coded", stored_schema(context.settings.mine.distinct_words).names)
    held = pa.concat_tables(supporters(from_stored(table).to_batches(), chosen) for table in coded)
    order = np.argsort(drawn.heads, kind="stable")
    heads = id_heads(unpack_ids(held["id"]))
    first, last = (np.searchsorted(drawn.heads[order], heads, side) for side in ("left", "right"))
    units = drawn.units[order[gather(first, last - first)]]
    return incidence(units, np.repeat(held["set"].to_numpy(), last - first))


def routed(leads: Float64, shards: int) -> float:
    """Returns the expected number of caption copies sent to the shards: one to each shard of a possible lead concept.

    `leads` is the number of captions with 0, 1, … possible lead concepts.
    """
    return float(leads @ (shards * (1 - (1 - 1 / shards) ** np.arange(len(leads)))))


def _rows_of(context: Context[CommonGenSettings], stage: str, start: str, end: str = "") -> int:
    files = context.manifests[stage].files
    return sum(file["rows"] for file in files if file["path"].startswith(start) and file["path"].endswith(end))


def _leads(context: Context[CommonGenSettings]) -> Float64:
    fewest = min(context.settings.mine.sizes) - 1
    sizes = [Lists.from_arrow(table["concepts"]).sizes for table in context.shards("mine", "coded", ["concepts"])]
    return np.bincount(np.maximum(np.concatenate(sizes) - fewest, 0)).astype(np.float64)


def _holders(context: Context[CommonGenSettings]) -> int:
    # Concepts are numbered by rarity: the first of a candidate is its lead.
    held = [Lists.from_arrow(table["concepts"]).values for table in context.shards("mine", "coded", ["concepts"])]
    captions = np.bincount(np.concatenate(held))
    (table,) = context.shards("sample", "sets", ["numbers"])
    numbers = Lists.from_arrow(table["numbers"])
    return int(captions[numbers.values[numbers.offsets[:-1]]].sum())


def _some_sets(context: Context[CommonGenSettings]) -> pa.Table:
    """Returns a uniform random sample of about SETS_SEEN mined sets, as `supporters` takes them."""
    share, parts, before = min(1.0, SETS_SEEN / sum(context.handed_on("mine").values())), [], 0
    for table in context.shards("mine", "mined", ["concepts"]):
        places = np.arange(before, before + len(table), dtype=np.uint64)
        chosen = splitmix64(places ^ seed_for("estimate sets", context.settings.seed)) < share * 2.0**64
        parts.append(table.filter(pa.array(chosen)))
        before += len(table)
    concepts = pa.concat_tables(parts)["concepts"]
    return pa.table({"set": pa.array(np.arange(len(concepts), dtype=np.uint64)), "concepts": concepts})

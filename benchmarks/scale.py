"""Prints the estimate for a corpus that is like CORPUS, but has many more sentences.

    python benchmarks/scale.py CORPUS [--sentences 1e9] [--workers 64 256] [--set split.test=2040 …] [--sample BYTES]
    python benchmarks/scale.py CORPUS --recipe commongen --conceptnet FILE …

Samples are drawn from CORPUS (a file of lines) and built, as by `conceptloom estimate`, and their costs extrapolated to
that many sentences. Prints the stages, a worker's memory, and the files and lists that grow with the number of shards.
"""

import argparse
import os
from dataclasses import replace

from conceptloom.estimation.machine import resident
from conceptloom.json_values import JsonObject
from conceptloom.pipelines import RECIPES
from conceptloom.pipelines.build.configuration import make_settings, set_key
from conceptloom.pipelines.build.inputs import bucket_count
from conceptloom.pipelines.estimation.estimate import SAMPLE_BYTES, build_samples, stage_estimates
from conceptloom.pipelines.estimation.extrapolate import Whole
from conceptloom.runners import DirectRunner
from conceptloom.tables import COMPRESSED

KINDS = {
    "korean-commongen": {"ingest": 2, "select": 3, "split": 2},
    "commongen": {"ingest": 2, "mine": 2, "split": 3},
}
"""The number of kinds of shards of each stage that are as many as buckets."""
OF_LEADS = {"mine": 1, "sample": 1}
"""The number of kinds that are as many as the shards of lead concepts."""
COPIED = {"korean-commongen": (4, 0), "commongen": (4, 1)}
"""The number of both that publish copies: index and rejected."""
ONE_WORKER = {
    "korean-commongen": {"split": ("candidates", "statistics")},
    "commongen": {"mine": ("terms", "degrees"), "sample": ("drawn", "samples"), "split": ("statistics",)},
}
"""The outputs of which all, or what merging in a tree leaves of them, come to one place."""


def as_large(whole: Whole, sentences: float) -> Whole:
    """Returns the same build for a corpus of that many sentences."""
    times = sentences / whole.rows["read"]
    files = [replace(file, whole=file.whole * times) for file in whole.sample.files]
    size = sum(file.whole for file in files)
    return replace(whole, sample=whole.sample._replace(files=files), buckets=bucket_count(int(size)))


def table(whole: Whole, names: list[str], workers: list[int]) -> None:
    each = [stage_estimates(whole, names, min(number, whole.buckets)) for number in workers]
    print(f"{'':<9}{'read':>15}{'kept':>15}{'GB read':>9}{'shuffled':>9}{'written':>9}{'CPU h':>8}", end="")
    print("".join(f"{f'h on {number}':>11}" for number in workers))
    for place, one in enumerate(each[0]):
        sizes = "".join(f"{size / 1e9:>9,.1f}" for size in (one.bytes_read, one.bytes_shuffled, one.bytes_written))
        # On other engines Beam's own work is spread too: it is done beside the tasks.
        cpu = one.cpu_seconds / 3600
        hours = "".join(f"{cpu / number:>11.2f}" for number in workers)
        print(f"{one.name:<9}{one.read:>15,}{one.kept:>15,}{sizes}{cpu:>8,.1f}{hours}", flush=place == len(names) - 1)


def lists(recipe: str, whole: Whole, names: list[str]) -> None:
    """Prints the sizes of lists that grow with the number of shards and are kept, or come together, in one place."""
    small, buckets, leads = whole.runs[-1], whole.buckets, int(whole.rows.get("shards", 0))
    shards = sum(KINDS[recipe].get(name, 0) * buckets + OF_LEADS.get(name, 0) * leads for name in names)
    copied = sum(kinds * number for kinds, number in zip(COPIED[recipe], (buckets, leads)))
    print(
        f"{buckets:,} buckets, {leads:,} shards of leads: {shards:,} files of shards, {copied:,} published beside data"
    )
    for name in names:
        counters = small.stages[name].counters
        places = (name in KINDS[recipe]) * buckets + (name in OF_LEADS) * leads
        size = counters["shuffled_bytes_receipts"] / counters["shuffled_blocks_receipts"] * places
        flows = [f"{one} {whole.flow(name, one) / 1e9:,.2f} GB" for one in ONE_WORKER[recipe].get(name, ())]
        print(f"to one place from {name}: receipts {size / 1e6:,.1f} MB", *flows, sep=", ")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus")
    parser.add_argument("--recipe", choices=sorted(KINDS), default="korean-commongen")
    parser.add_argument("--conceptnet", help="commongen: a file of ConceptNet")
    parser.add_argument("--sentences", type=float, nargs="+", default=[1e9])
    parser.add_argument("--workers", type=int, nargs="+", default=[64, 256])
    parser.add_argument("--set", dest="assignments", action="append", default=[])
    parser.add_argument("--sample", type=int, default=SAMPLE_BYTES, help="bytes")
    options = parser.parse_args()
    recipe = RECIPES[options.recipe]
    data: JsonObject = {"inputs": {"captions": {"patterns": [os.path.abspath(options.corpus)]}}}
    if options.conceptnet:
        data["conceptnet"] = os.path.abspath(options.conceptnet)
    for assignment in options.assignments:
        set_key(data, assignment)
    names = [stage.name for stage in recipe.stages]
    base = resident()
    assert recipe.costs is not None
    measured = build_samples(
        recipe,
        recipe.costs,
        make_settings(recipe.settings, data, "--set"),
        runner=DirectRunner(compression=COMPRESSED),
        sample_bytes=options.sample,
        base=base,
    )
    for sentences in options.sentences:
        whole = as_large(measured, sentences)
        print(f"\n{sentences:,.0f} sentences, from samples of up to {measured.measured[-1]['read']:,.0f} of them")
        table(whole, names, options.workers)
        lists(options.recipe, whole, names)
    held = max(measured.held(name) for name in names)
    print(f"\na worker: {base / 2**20:,.0f} MiB idle, {held / 2**20:,.0f} more with one bucket of the sample's size")


if __name__ == "__main__":
    main()

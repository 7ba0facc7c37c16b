"""Prints the estimate for a corpus that is like CORPUS, but has many more sentences.

    python benchmarks/scale.py CORPUS [--sentences 1e9] [--workers 64 256] [--set split.test=2040 …] [--sample 16M]

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

KINDS = {"ingest": 2, "select": 3, "split": 2}
"""The number of kinds of shards of each stage; publish copies index and rejected ones."""
COPIED = 4


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


def lists(whole: Whole, names: list[str]) -> None:
    """Prints the sizes of lists that grow with the number of shards and are kept in one place."""
    small, buckets = whole.runs[-1], whole.buckets
    shards = sum(KINDS.get(name, 0) for name in names) * buckets
    print(f"{buckets:,} buckets: {shards:,} files of shards, {COPIED * buckets:,} published beside the data")
    for name in names:
        counted = small.stages[name].counted("shuffled_bytes_")
        each = counted["receipts"] / small.buckets
        print(f"receipts of {name}: {each * buckets / 1e6:,.1f} MB", end="; ")
        if name == "split":
            for flow in ("candidates", "statistics"):
                print(f"{flow}, to one worker: {whole.flow(name, flow) / 1e9:,.2f} GB", end="; ")
    print()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus")
    parser.add_argument("--sentences", type=float, nargs="+", default=[1e9])
    parser.add_argument("--workers", type=int, nargs="+", default=[64, 256])
    parser.add_argument("--set", dest="assignments", action="append", default=[])
    parser.add_argument("--sample", type=int, default=SAMPLE_BYTES, help="bytes")
    options = parser.parse_args()
    recipe = RECIPES["korean-commongen"]
    data: JsonObject = {"inputs": {"captions": {"patterns": [os.path.abspath(options.corpus)]}}}
    for assignment in options.assignments:
        set_key(data, assignment)
    names = [stage.name for stage in recipe.stages]
    base = resident()
    assert recipe.costs is not None
    measured = build_samples(
        recipe,
        recipe.costs,
        make_settings(recipe.settings, data, "--set"),
        runner=DirectRunner(),
        sample_bytes=options.sample,
        base=base,
    )
    for sentences in options.sentences:
        whole = as_large(measured, sentences)
        print(f"\n{sentences:,.0f} sentences, from samples of up to {measured.measured[-1]['read']:,} of them")
        table(whole, names, options.workers)
        lists(whole, names)
    held = max(measured.held(name, 0)[0] for name in names)
    print(f"\na worker: {base / 2**20:,.0f} MiB idle, {held / 2**20:,.0f} more with one bucket of the sample's size")


if __name__ == "__main__":
    main()

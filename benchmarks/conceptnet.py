"""Measures memory and time with ConceptNet at its real size: reads a synthetic dump and analyses 1,500 sets.

Usage: python benchmarks/conceptnet.py [--edges 34000000] [--nodes 28000000] [--directory /tmp]

The synthetic dump has the format of the official one: five columns, gzip, senses, several languages, and names with the
skew of words (few very frequent, most rare). English has a tenth of the edges. The file is deleted afterwards.
"""

import argparse
import gzip
import resource
import tempfile
import time
from pathlib import Path

import numpy as np

from conceptloom.conceptnet import Graph, connectivity, read_graph

BLOCK = 1 << 18
ENGLISH = 10  # every tenth node is English
SETS, SIZE, CONCEPTS = 1_500, 5, 1_248
"""The published test set: its sets, the largest of them, its distinct concepts."""

RELATIONS = ("RelatedTo", "Synonym", "IsA", "FormOf", "HasContext", "AtLocation", "UsedFor", "HasSubevent", "Antonym")
MORE = '{"dataset": "/d/made/up", "license": "cc:by-sa/4.0", "sources": [{"process": "/s/process/x"}], "weight": 1.0}'


def write_dump(path: Path, edges: int, nodes: int) -> None:
    """Writes a dump of `edges` lines over at most `nodes` names."""
    random = np.random.default_rng(5)
    with gzip.open(path, "wb", compresslevel=1) as file:
        for first in range(0, edges, BLOCK):
            size = min(BLOCK, edges - first)
            # Half of the edges join frequent names, half join a rare name to a frequent one. With the fifth power, the
            # 12,480 most frequent of 28 million names have a fifth of the places: a common word has a thousand edges.
            power = np.array([np.where(random.random(size) < 0.5, 5, 1), np.full(size, 5)])
            starts, ends = (random.random((2, size)) ** power * nodes).astype(np.int64).tolist()
            kinds = random.integers(len(RELATIONS), size=size).tolist()
            file.write("".join(map(line, kinds, starts, ends)).encode())


def line(kind: int, start: int, end: int) -> str:
    """Returns one line of the dump; an edge joins nodes of one language, as nearly all real edges do."""
    end += start % ENGLISH - end % ENGLISH
    relation, left, right = RELATIONS[kind], name(start), name(abs(end))
    return f"/a/[/r/{relation}/,{left}/,{right}/]\t/r/{relation}\t{left}\t{right}\t{MORE}\n"


def name(node: int) -> str:
    """Returns a node's URI; every third has a part of speech."""
    language = "en" if node % ENGLISH == 0 else "fr"
    return f"/c/{language}/concept_{node}" + ("/n" if node % 3 == 0 else "")


def frequent_sets(count: int) -> list[list[str]]:
    """Returns sets of the most frequent English names, like the concepts of captions."""
    random = np.random.default_rng(7)
    chosen = (random.choice(CONCEPTS, SIZE, replace=False) * ENGLISH for _ in range(count))
    return [[f"concept_{node}" for node in nodes] for nodes in chosen]


def peak_mib() -> int:
    """Returns the peak memory of this process in MiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10


def analyse(graph: Graph) -> None:
    """Times the analysis and prints what it found."""
    started = time.perf_counter()
    found = connectivity(graph, frequent_sets(SETS))
    print(f"analysis of {SETS} sets: {time.perf_counter() - started:.1f} s, {peak_mib()} MiB at most")
    links, paths = found.relations.links, found.relations.paths
    print(f"  pairs over one hop {links:,} edges, over two {paths:,} paths; by pairs {found.two_hops}")


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description="Measures memory and time with ConceptNet at its real size.")
    parser.add_argument("--edges", type=int, default=34_000_000)
    parser.add_argument("--nodes", type=int, default=28_000_000)
    parser.add_argument("--language", default="", help="only nodes of this language; default: all")
    parser.add_argument("--directory", help="directory for the dump (about 30 bytes per edge)")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=asked.directory) as directory:
        path = Path(directory) / "assertions.csv.gz"
        write_dump(path, asked.edges, asked.nodes)
        print(f"generated {asked.edges:,} edges, {path.stat().st_size >> 20} MiB; {peak_mib()} MiB at most so far")
        started = time.perf_counter()
        graph = read_graph(str(path), asked.language or None)
    held = sum(array.nbytes for array in (graph.nodes, graph.offsets, graph.ends, graph.relations)) >> 20
    print(f"read {len(graph.ends):,} edges of {len(graph.nodes):,} concepts: {time.perf_counter() - started:.1f} s,")
    print(f"  {held} MiB held, {peak_mib()} MiB at most while reading")
    analyse(graph)


if __name__ == "__main__":
    main()

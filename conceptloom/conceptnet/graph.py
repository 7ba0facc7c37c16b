"""A graph of concepts as integer arrays: five bytes an edge, sixteen a node."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from conceptloom.arrays.lists import offsets_of
from conceptloom.arrays.runs import is_first
from conceptloom.arrays.types import Int32, Int64, Integers, UInt8, UInt64
from conceptloom.errors import InputError
from conceptloom.hashing import string_hashes

_RELATION_BITS, _NODE_BITS = 8, 28
_RELATIONS, _NODES = 1 << _RELATION_BITS, 1 << _NODE_BITS


class EdgeBlock(NamedTuple):
    """Some edges: the hashes of their nodes (`string_hashes` of `/c/en/dog`), and each relation's place in `names`."""

    starts: UInt64
    ends: UInt64
    relations: Integers
    names: tuple[str, ...]


@dataclass(frozen=True)
class Graph:
    """The distinct edges of a graph, by start, end and relation: rows of a sparse matrix (CSR).

    `nodes`: the hash of each node, sorted, shape (nodes,); a node is its place here. `offsets`: where the edges of each
    start node begin, shape (nodes + 1,). `ends`, `relations`: of each edge, shape (edges,). `names`: the names
    of the relations, sorted.
    """

    nodes: UInt64
    offsets: Int64
    ends: Int32
    relations: UInt8
    names: tuple[str, ...]

    def places(self, uris: list[str]) -> Int64:
        """Returns the node of each URI, -1 where the graph has none; shape (n,)."""
        hashes = string_hashes(pa.array(uris, pa.string()))
        if not len(self.nodes):
            return np.full(len(hashes), -1)
        found = np.minimum(np.searchsorted(self.nodes, hashes), len(self.nodes) - 1)
        return np.where(self.nodes[found] == hashes, found, -1)


def uri_of(concept: str, language: str = "en") -> str:
    """Returns ConceptNet's name of a concept.

    >>> uri_of("play on ice")
    '/c/en/play_on_ice'
    """
    return f"/c/{language}/{concept.replace(' ', '_')}"


def build_graph(blocks: Iterable[EdgeBlock]) -> Graph:
    """Returns the graph of all edges, in any order; an edge that is given twice counts once.

    Memory: 17 bytes an edge while they are read, three times that while they are sorted; 2.4 GiB for the dump of 34
    million edges in all languages (benchmarks/conceptnet.py). Raises InputError if there are too many nodes or
    relations for the packed form of an edge.
    """
    starts, ends, relations, names = _collect(blocks)
    nodes = np.union1d(_distinct(starts), _distinct(ends))
    if len(nodes) > _NODES:
        raise InputError(f"there are {len(nodes):,} concepts, but only {_NODES:,} fit; choose one language")
    packed = np.concatenate([np.empty(0, np.uint64), *_packed(nodes, starts, ends, relations)])
    packed.sort()
    packed = packed[is_first(packed)]
    counts = np.bincount((packed >> np.uint64(_NODE_BITS + _RELATION_BITS)).astype(np.int32), minlength=len(nodes))
    return Graph(
        nodes,
        offsets_of(counts),
        ((packed >> np.uint64(_RELATION_BITS)) & np.uint64(_NODES - 1)).astype(np.int32),
        (packed & np.uint64(_RELATIONS - 1)).astype(np.uint8),
        names,
    )


def _collect(blocks: Iterable[EdgeBlock]) -> tuple[list[UInt64], list[UInt64], list[UInt8], tuple[str, ...]]:
    """(starts, ends, relations, names) of the blocks; relations are places in the sorted names of all blocks."""
    starts, ends, relations = [], [], []
    known: dict[str, int] = {}
    for block in blocks:
        ids = [known.setdefault(name, len(known)) for name in block.names]
        if len(known) > _RELATIONS:
            raise InputError(f"there are more than {_RELATIONS} relations; is the second column the relation?")
        starts.append(block.starts)
        ends.append(block.ends)
        relations.append(np.array(ids, dtype=np.uint8)[block.relations])
    names = tuple(sorted(known))
    final = np.array([names.index(name) for name in known], dtype=np.uint8)
    return starts, ends, [final[column] for column in relations], names


def _distinct(columns: list[UInt64]) -> UInt64:
    values = np.concatenate([np.empty(0, np.uint64), *columns])
    values.sort()
    return values[is_first(values)]


def _packed(nodes: UInt64, starts: list[UInt64], ends: list[UInt64], relations: list[UInt8]) -> Iterable[UInt64]:
    """Each edge as one integer, so that sorting needs no second array. Empties the lists, to free their memory."""
    while starts:
        start = np.searchsorted(nodes, starts.pop()).astype(np.uint64)
        end = np.searchsorted(nodes, ends.pop()).astype(np.uint64)
        relation = relations.pop().astype(np.uint64)
        yield (((start << np.uint64(_NODE_BITS)) | end) << np.uint64(_RELATION_BITS)) | relation

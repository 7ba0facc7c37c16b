"""How the concepts of sets are connected in ConceptNet (CommonGen, section 3.6: figures 5 and 9, table 2).

An edge connects both ways. The shares of two hops count edges per path, as the published ones do: each path has two
edges, so they add up to nearly 200 per cent. A path of one relation twice counts twice for it.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from types import ModuleType
from typing import TYPE_CHECKING

import numpy as np

from conceptloom.arrays.types import Int64, UInt8
from conceptloom.conceptnet.graph import Graph, uri_of
from conceptloom.conceptnet.relations import CATEGORIES, CATEGORY_OF
from conceptloom.errors import ConfigError

if TYPE_CHECKING:
    from scipy.sparse import csr_array


@dataclass(frozen=True)
class RelationCounts:
    """The relations of the edges that connect the pairs of some sets; a pair counts in each set that holds it."""

    link_edges: dict[str, int]
    """Edges that connect a pair, by relation; both have the same relations, each with an edge of either kind."""
    path_edges: dict[str, int]
    """The edges of the paths of two edges that connect a pair, by relation: 2 x `paths` edges."""

    def __add__(self, other: "RelationCounts") -> "RelationCounts":
        """The counts of the sets of both."""
        names = sorted(self.link_edges.keys() | other.link_edges.keys())
        return RelationCounts(
            {name: self.link_edges.get(name, 0) + other.link_edges.get(name, 0) for name in names},
            {name: self.path_edges.get(name, 0) + other.path_edges.get(name, 0) for name in names},
        )

    @property
    def links(self) -> int:
        """Edges that connect a pair by a relation of any category: what the published shares of one hop add up to."""
        return sum(count for name, count in self.link_edges.items() if name in CATEGORY_OF)

    @property
    def paths(self) -> int:
        """Paths of two edges that connect a pair."""
        return sum(self.path_edges.values()) // 2

    def categories(self) -> dict[str, tuple[float, float]]:
        """Returns for each category (per cent of the links, per cent of the paths): table 2."""
        return {category: self._share(relations) for category, relations in CATEGORIES.items()}

    def shares(self) -> dict[str, tuple[float, float]]:
        """Returns for each relation (per cent of the links, per cent of the paths): figure 9.

        The most frequent of one hop is the first, then by two hops and name. A category's shares are the sums of its
        relations'; a relation of no category is not among the links, so that its share comes on top of 100 per cent.
        """
        order = sorted(self.link_edges, key=lambda name: (-self.link_edges[name], -self.path_edges[name], name))
        return {name: self._share((name,)) for name in order}

    def _share(self, relations: Iterable[str]) -> tuple[float, float]:
        names = [name for name in relations if name in self.link_edges]
        one, two = sum(self.link_edges[name] for name in names), sum(self.path_edges[name] for name in names)
        return 100 * one / max(1, self.links), 100 * two / max(1, self.paths)


@dataclass(frozen=True)
class Connectivity:
    """How the pairs of concepts of sets of one size are connected; a pair counts in each set that holds it."""

    one_hop: tuple[int, ...]
    """How many sets have 0, 1, 2 … pairs (of k(k-1)/2) that an edge connects."""
    two_hops: tuple[int, ...]
    """How many sets have 0, 1, 2 … pairs that two edges through a third concept connect."""
    relations: RelationCounts


def connectivity(graph: Graph, sets: Sequence[Sequence[str]], language: str = "en") -> Connectivity:
    """Returns the analysis of sets of one size.

    A concept that the graph lacks is not connected, and no concept is connected to itself. Memory: 13 bytes for each
    edge of the graph, and 16 bytes for each two of the sets' concepts. Raises ValueError if there are no sets or sets
    of several sizes, ConfigError if scipy is not installed.
    """
    concepts = sorted({concept for each in sets for concept in each})
    if len({len(each) for each in sets}) != 1:
        raise ValueError("there are no sets, or sets of several sizes; pass the sets of one size at a time")
    place = {concept: at for at, concept in enumerate(concepts)}
    members = np.array([[place[concept] for concept in each] for each in sets]).reshape(len(sets), -1)
    pairs = members[:, np.array(list(combinations(range(members.shape[1]), 2)), dtype=np.int64).reshape(-1, 2)]
    nodes = graph.places([uri_of(concept, language) for concept in concepts])
    return _counted(_Neighbours(graph, nodes), pairs[..., 0], pairs[..., 1])


class _Neighbours:
    """The edges of some concepts as sparse matrices: how many edges join each concept to each of its neighbours."""

    def __init__(self, graph: Graph, nodes: Int64) -> None:
        self._sparse = _scipy_sparse()
        rows, neighbours, relations = _edges_of(graph, nodes)
        columns, self._columns = np.unique(neighbours, return_inverse=True)
        self._rows, self._relations = rows, relations
        self._shape = (len(nodes), len(columns))
        self.names = graph.names
        self._concepts = np.flatnonzero(np.isin(nodes, columns))
        self._places = np.searchsorted(columns, nodes[self._concepts])

    def relations(self) -> list[str]:
        """Returns the relations of the edges, sorted."""
        return [self.names[relation] for relation in np.unique(self._relations)]

    def matrix(self, relation: str | None = None) -> "csr_array":
        """Returns all edges, or those of a relation; shape (concepts, neighbours)."""
        every = np.ones(len(self._relations), dtype=np.bool_)
        chosen = every if relation is None else self._relations == self.names.index(relation)
        cells = (self._rows[chosen], self._columns[chosen])
        return self._sparse.csr_array((np.ones(len(cells[0]), dtype=np.int64), cells), shape=self._shape)

    def among(self, matrix: "csr_array") -> "csr_array":
        """Returns the edges between two of the concepts; shape (concepts, concepts)."""
        found = matrix[:, self._places].tocoo()
        cells = (found.row, self._concepts[found.col])
        return self._sparse.csr_array((found.data, cells), shape=(self._shape[0],) * 2)


def _counted(neighbours: _Neighbours, left: Int64, right: Int64) -> Connectivity:
    """`left`, `right`: the concepts of each pair, shape (sets, pairs)."""
    every = neighbours.matrix()
    link_edges, path_edges = {}, {}
    for relation in neighbours.relations():
        some = neighbours.matrix(relation)
        once = some @ every.T
        link_edges[relation] = int(_values(neighbours.among(some), left, right).sum())
        path_edges[relation] = int((_values(once, left, right) + _values(once, right, left)).sum())
    connecting = [name for name in link_edges if link_edges[name] or path_edges[name]]
    return Connectivity(
        one_hop=_distribution(_values(neighbours.among(every), left, right)),
        two_hops=_distribution(_values(every @ every.T, left, right)),
        relations=RelationCounts(
            {name: link_edges[name] for name in connecting}, {name: path_edges[name] for name in connecting}
        ),
    )


def _edges_of(graph: Graph, nodes: Int64) -> tuple[Int64, Int64, UInt8]:
    """(place in `nodes`, neighbour, relation) of every edge at one of the nodes, in both directions."""
    place = np.full(len(graph.nodes) + 1, -1, dtype=np.int32)
    place[nodes] = np.arange(len(nodes))
    place[-1] = -1  # the entry of nodes that are not in the graph (-1)
    starts = np.repeat(np.arange(len(graph.nodes), dtype=np.int32), np.diff(graph.offsets))
    proper = starts != graph.ends
    forth = np.flatnonzero((place[starts] >= 0) & proper)
    back = np.flatnonzero((place[graph.ends] >= 0) & proper)
    return (
        np.concatenate((place[starts[forth]], place[graph.ends[back]])).astype(np.int64),
        np.concatenate((graph.ends[forth], starts[back])).astype(np.int64),
        np.concatenate((graph.relations[forth], graph.relations[back])),
    )


def _values(matrix: "csr_array", rows: Int64, columns: Int64) -> Int64:
    """The matrix at each pair, 0 for a concept with itself (some published sets hold a concept twice)."""
    found = np.asarray(matrix[rows.ravel(), columns.ravel()], dtype=np.int64).reshape(rows.shape)
    return np.where(rows != columns, found, 0)


def _distribution(counts: Int64) -> tuple[int, ...]:
    """How many sets have 0, 1, 2 … connected pairs."""
    connected = (counts > 0).sum(axis=1)
    return tuple(np.bincount(connected, minlength=counts.shape[1] + 1).tolist())


def _scipy_sparse() -> ModuleType:
    try:
        from scipy import sparse
    except ModuleNotFoundError:
        raise ConfigError("the analysis by ConceptNet needs scipy: pip install 'conceptloom[conceptnet]'") from None
    return sparse

"""ConceptNet: its names as a vocabulary, its edges as integer arrays, and how the concepts of a set are connected."""

from conceptloom.conceptnet.graph import Graph, build_graph
from conceptloom.conceptnet.hops import Connectivity, RelationCounts, connectivity
from conceptloom.conceptnet.reading import check_vocabulary, edge_blocks, read_graph, read_vocabulary
from conceptloom.conceptnet.relations import CATEGORIES

__all__ = [
    "CATEGORIES",
    "Connectivity",
    "Graph",
    "RelationCounts",
    "build_graph",
    "check_vocabulary",
    "connectivity",
    "edge_blocks",
    "read_graph",
    "read_vocabulary",
]

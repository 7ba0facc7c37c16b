"""How alike sentences are: scorers by name, centralities of postings, ranks."""

from conceptloom.similarity.base import SCORERS, Frequencies, Scorer, ScorerEntry
from conceptloom.similarity.centrality import linear_centralities, pairwise_centralities, rank_postings
from conceptloom.similarity.frequencies import count_frequencies, merge_frequencies
from conceptloom.similarity.static import NAME as DEFAULT_SCORER
from conceptloom.similarity.static import StaticScorer, load_table
from conceptloom.similarity.tfidf import TfidfScorer

__all__ = [
    "DEFAULT_SCORER",
    "SCORERS",
    "Frequencies",
    "Scorer",
    "ScorerEntry",
    "StaticScorer",
    "TfidfScorer",
    "count_frequencies",
    "linear_centralities",
    "load_table",
    "merge_frequencies",
    "pairwise_centralities",
    "rank_postings",
]

"""How alike sentences are: scorers by name, centralities of postings, ranks."""

from conceptloom.similarity.base import (
    SCORERS,
    Encoder,
    Frequencies,
    Scorer,
    ScorerEntry,
    ScorerOptions,
    TextEncoder,
    make_scorer,
)
from conceptloom.similarity.bi_encoder import BiEncoder
from conceptloom.similarity.centrality import linear_centralities, pairwise_centralities, rank_order
from conceptloom.similarity.frequencies import count_frequencies, merge_frequencies
from conceptloom.similarity.static import NAME as DEFAULT_SCORER
from conceptloom.similarity.static import StaticKo, StaticScorer, load_table
from conceptloom.similarity.tfidf import Tfidf, TfidfScorer

__all__ = [
    "DEFAULT_SCORER",
    "SCORERS",
    "BiEncoder",
    "Encoder",
    "Frequencies",
    "Scorer",
    "ScorerEntry",
    "ScorerOptions",
    "StaticKo",
    "StaticScorer",
    "TextEncoder",
    "Tfidf",
    "TfidfScorer",
    "count_frequencies",
    "linear_centralities",
    "load_table",
    "make_scorer",
    "merge_frequencies",
    "pairwise_centralities",
    "rank_order",
]

"""Concept sets: mining, scoring, sampling and ranking (CommonGen, section 3.1)."""

from conceptloom.concepts.coded_sentences import BARE, CODED, cap_concepts, code_sentences, from_stored
from conceptloom.concepts.degrees import Degrees, count_degrees, merge_degrees
from conceptloom.concepts.draws import CANDIDATES, DRAWN, Draws
from conceptloom.concepts.lexicon import TERM_COUNTS, Lexicon, by_rarity, by_spelling, count_terms, merge_counts
from conceptloom.concepts.mining import MINED, MiningRules, mine
from conceptloom.concepts.ranking import Quotas, Ranked, rank
from conceptloom.concepts.routing import route
from conceptloom.concepts.sampling import SAMPLED, last_arrival, merge_samples, sample
from conceptloom.concepts.scoring import SCORED, score
from conceptloom.concepts.supporters import SUPPORTERS, supporters

__all__ = [
    "BARE",
    "CANDIDATES",
    "CODED",
    "DRAWN",
    "MINED",
    "SAMPLED",
    "SCORED",
    "SUPPORTERS",
    "TERM_COUNTS",
    "Degrees",
    "Draws",
    "Lexicon",
    "MiningRules",
    "Quotas",
    "Ranked",
    "by_rarity",
    "by_spelling",
    "cap_concepts",
    "code_sentences",
    "count_degrees",
    "count_terms",
    "from_stored",
    "last_arrival",
    "merge_counts",
    "merge_degrees",
    "merge_samples",
    "mine",
    "rank",
    "route",
    "sample",
    "score",
    "supporters",
]

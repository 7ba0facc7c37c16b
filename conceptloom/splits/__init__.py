"""Splits: what is held out, and what train may share with it."""

from conceptloom.splits.assignment import SPLIT_NAMES, Assignment, assign
from conceptloom.splits.candidates import SET_ROWS, Candidates, candidates, merge_candidates, set_rows
from conceptloom.splits.divide import Division, divide, dropped_rows
from conceptloom.splits.evidence import LONE_PAIRS, PAIR_EVIDENCE, lone_pairs, pair_evidence
from conceptloom.splits.policies import POLICIES, Policy
from conceptloom.splits.sizes import Sizes
from conceptloom.splits.table import Split, split_table

__all__ = [
    "LONE_PAIRS",
    "PAIR_EVIDENCE",
    "POLICIES",
    "SET_ROWS",
    "SPLIT_NAMES",
    "Assignment",
    "Candidates",
    "Division",
    "Policy",
    "Sizes",
    "Split",
    "assign",
    "candidates",
    "divide",
    "dropped_rows",
    "lone_pairs",
    "merge_candidates",
    "pair_evidence",
    "set_rows",
    "split_table",
]

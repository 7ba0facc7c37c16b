"""Splits: which sets are held out, and what train may share with them (Korean CommonGen, section 3)."""

from conceptloom.splits.assignment import SPLIT_NAMES, Assignment, assign
from conceptloom.splits.candidates import SET_ROWS, Candidates, candidates, merge_candidates, set_rows
from conceptloom.splits.divide import Division, divide, dropped_rows
from conceptloom.splits.evidence import LONE_PAIRS, PAIR_EVIDENCE, lone_pairs, pair_evidence
from conceptloom.splits.policies import POLICIES, Policy
from conceptloom.splits.protection import (
    PAIR_HOLDERS,
    Protection,
    divide_protected,
    frozen_assignment,
    pair_holders,
    protect,
    require_pairs,
    sum_holders,
)
from conceptloom.splits.sizes import Sizes
from conceptloom.splits.table import Split, split_table

__all__ = [
    "LONE_PAIRS",
    "PAIR_EVIDENCE",
    "PAIR_HOLDERS",
    "POLICIES",
    "SET_ROWS",
    "SPLIT_NAMES",
    "Assignment",
    "Candidates",
    "Division",
    "Policy",
    "Protection",
    "Sizes",
    "Split",
    "assign",
    "candidates",
    "divide",
    "divide_protected",
    "dropped_rows",
    "frozen_assignment",
    "lone_pairs",
    "merge_candidates",
    "pair_evidence",
    "pair_holders",
    "protect",
    "require_pairs",
    "set_rows",
    "split_table",
    "sum_holders",
]

"""A whole split in one process: the functions that a pipeline distributes, called one after another."""

from typing import NamedTuple

import pyarrow as pa

from conceptloom.arrays.concept_sets import concept_sets
from conceptloom.splits.assignment import Assignment, assign
from conceptloom.splits.candidates import candidates, set_rows
from conceptloom.splits.divide import Division, divide
from conceptloom.splits.evidence import lone_pairs, pair_evidence
from conceptloom.splits.policies import Policy
from conceptloom.splits.sizes import Sizes


class Split(NamedTuple):
    """Which sets are held out, and where each row of the table goes."""

    assignment: Assignment
    division: Division


def split_table(sentences: pa.Table, policy: Policy, sizes: Sizes, seed: int = 0) -> Split:
    """Returns the split of a table (schema SENTENCES) under a policy. The order of its rows does not matter.

    Raises BuildError where the policy cannot give the sizes asked for.
    """
    validation, test = sizes.resolve(len(sentences))
    sets = concept_sets(sentences["concepts"])
    lone = [lone_pairs([pair_evidence(sets)])] if policy.min_pairs else []
    found = candidates([set_rows(sentences, sets, sizes.stratify)], lone, policy, validation + test, seed)
    assignment = assign(found, validation, test, policy, seed)
    return Split(assignment, divide(sentences, assignment, policy))

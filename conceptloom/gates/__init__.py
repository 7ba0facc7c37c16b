"""Gates: conditions that a finished build must meet to become the current one. Each is named like its setting."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from conceptloom.gates import bounds, frozen, kept, leak, malformed, rows
from conceptloom.gates.base import Build, Case, Verdict
from conceptloom.gates.leak import sentence_leaks, set_leaks, shared_rows
from conceptloom.registry import Registry


@dataclass(frozen=True)
class Gate:
    """A registered gate: `judge` takes a case and a limit of the gate's own type, and returns its verdicts."""

    summary: str
    judge: Callable[[Case, Any], list[Verdict]]


GATES: Registry[Gate] = Registry("gate")
GATES.add(rows.NAME, Gate("the largest fall in rows of a split, or of all splits, against current", rows.judge))
GATES.add(leak.NAME, Gate("train, validation and test share no set and no sentence; the policy holds", leak.judge))
GATES.add(malformed.NAME, Gate("the largest share of malformed records of a source", malformed.judge))
GATES.add(
    kept.NAME,
    Gate("the largest fall in the share that a stage keeps, in points, against current", kept.judge),
)
GATES.add(bounds.NAME, Gate("numbers in report.json by dotted path, each with a minimum and a maximum", bounds.judge))
GATES.add(frozen.NAME, Gate("the files of validation and test are identical to those of current", frozen.judge))


def judge(case: Case, limits: Mapping[str, object]) -> list[Verdict]:
    """Returns the verdicts of the gates that have a limit, in the order of `limits`."""
    return [verdict for name, limit in limits.items() for verdict in GATES[name].judge(case, limit)]


__all__ = ["GATES", "Build", "Case", "Gate", "Verdict", "judge", "sentence_leaks", "set_leaks", "shared_rows"]

"""Gate `max_kept_fall`: no stage keeps a much smaller share of its sentences than in the current build."""

from collections.abc import Mapping
from fractions import Fraction

from conceptloom.gates.base import FIRST, Case, Verdict
from conceptloom.json_values import JsonObject

NAME = "max_kept_fall"

Ledgers = Mapping[str, Mapping[str, JsonObject]]
"""Counts (`read`, `kept`) by stage and source: what a report has under `stages`."""


def judge(case: Case, limit: float) -> list[Verdict]:
    """Returns the gate's verdicts on a build; `limit` is in percentage points."""
    return kept_falls(case.build.report["stages"], case.current.report["stages"] if case.current else None, limit)


def kept_falls(stages: Ledgers, before: Ledgers | None, limit: float) -> list[Verdict]:
    """Returns a verdict for each stage. A stage that the current build does not have passes."""
    then = {stage: kept_share(ledger) for stage, ledger in (before or {}).items()}
    return [_verdict(stage, kept_share(ledger), then.get(stage), limit) for stage, ledger in stages.items()]


def kept_share(ledger: Mapping[str, JsonObject]) -> Fraction:
    """Returns the share of its sentences that a stage kept, over all sources; 1 if it read none."""
    read = sum(counts["read"] for counts in ledger.values())
    return Fraction(sum(counts["kept"] for counts in ledger.values()), read) if read else Fraction(1)


def _verdict(stage: str, now: Fraction, before: Fraction | None, limit: float) -> Verdict:
    text = f"{float(100 * now):.2f} %"
    if before is None:
        return Verdict(NAME, stage, f"-{limit:g} points", f"{FIRST}, {text}", True)
    passed = 100 * (before - now) <= Fraction(str(limit))
    return Verdict(NAME, stage, f"-{limit:g} points", f"{float(100 * (now - before)):+.2f} points, to {text}", passed)

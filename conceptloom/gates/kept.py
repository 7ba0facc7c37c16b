"""Gate `max_kept_fall`: no stage keeps a much smaller share of its sentences than it did in the current build."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from conceptloom.gates.base import FIRST, Case, Verdict

NAME = "max_kept_fall"

Ledgers = Mapping[str, Mapping[str, Mapping[str, Any]]]
"""Stage, source, then `read` and `kept`: what a report has under `stages`."""


def judge(case: Case, limit: float) -> list[Verdict]:
    """The gate's verdicts of a build; `limit` is in percentage points."""
    return kept_falls(case.build.report["stages"], case.current.report["stages"] if case.current else None, limit)


def kept_falls(stages: Ledgers, before: Ledgers | None, limit: float) -> list[Verdict]:
    """A verdict for each stage. A stage that the current build does not have cannot have fallen."""
    then = {stage: kept_share(ledger) for stage, ledger in (before or {}).items()}
    return [_verdict(stage, kept_share(ledger), then.get(stage), limit) for stage, ledger in stages.items()]


def kept_share(ledger: Mapping[str, Mapping[str, Any]]) -> Fraction:
    """The share of a stage's sentences that it kept, over all sources; 1 where it read none."""
    read = sum(counts["read"] for counts in ledger.values())
    return Fraction(sum(counts["kept"] for counts in ledger.values()), read) if read else Fraction(1)


def _verdict(stage: str, now: Fraction, before: Fraction | None, limit: float) -> Verdict:
    text = f"{float(100 * now):.2f} %"
    if before is None:
        return Verdict(NAME, stage, f"-{limit:g} points", f"{FIRST}, {text}", True)
    passed = 100 * (before - now) <= Fraction(str(limit))
    return Verdict(NAME, stage, f"-{limit:g} points", f"{float(100 * (now - before)):+.2f} points, to {text}", passed)

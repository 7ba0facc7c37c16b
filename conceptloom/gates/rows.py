"""Gate `max_fall`: neither the rows of any split nor their total fall by more than a share of the current build."""

from collections.abc import Mapping

from conceptloom.gates.base import FIRST, Case, Verdict, at_most

NAME = "max_fall"


def judge(case: Case, limit: float) -> list[Verdict]:
    """Returns the gate's verdicts on a build; `limit` is a share from 0 to 1."""
    return row_falls(case.build.rows(), case.current.rows() if case.current else None, limit)


def row_falls(rows: Mapping[str, int], before: Mapping[str, int] | None, limit: float) -> list[Verdict]:
    """Returns a verdict for each split and for the total."""
    now = {**rows, "total": sum(rows.values())}
    if before is None:
        return [_verdict(split, limit, f"{FIRST}, {number:,}", True) for split, number in now.items()]
    then = {**before, "total": sum(before.values())}
    return [
        _verdict(split, limit, _change(then[split], number), at_most(then[split] - number, then[split], limit))
        for split, number in now.items()
    ]


def _verdict(split: str, limit: float, measured: str, passed: bool) -> Verdict:
    return Verdict(NAME, split, f"-{100 * limit:g} %", measured, passed)


def _change(before: int, now: int) -> str:
    return f"{100 * (now - before) / max(1, before):+.2f} % ({before:,} to {now:,})"

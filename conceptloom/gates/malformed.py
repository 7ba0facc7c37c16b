"""Gate `maximum_malformed`: the share of malformed records in each source is at most the limit."""

from collections.abc import Mapping

from conceptloom.gates.base import Case, Verdict, at_most, percent

NAME = "maximum_malformed"


def judge(case: Case, limit: float) -> list[Verdict]:
    """Returns the gate's verdicts on a build; `limit` is a share from 0 to 1."""
    numbers = case.build.report["records"]
    return malformed_shares(numbers["records"], numbers.get("malformed", {}), limit)


def malformed_shares(records: Mapping[str, int], malformed: Mapping[str, int], limit: float) -> list[Verdict]:
    """Returns a verdict for each source."""
    return [_verdict(source, malformed.get(source, 0), number, limit) for source, number in sorted(records.items())]


def _verdict(source: str, malformed: int, records: int, limit: float) -> Verdict:
    measured = f"{percent(malformed, records)} ({malformed:,} of {records:,})"
    return Verdict(NAME, source, f"{100 * limit:g} %", measured, at_most(malformed, records, limit))

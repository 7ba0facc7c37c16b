"""Gate `bounds`: chosen numbers in the report are between a minimum and a maximum."""

from collections.abc import Mapping

from conceptloom.errors import ConfigError
from conceptloom.gates.base import Case, Verdict

NAME = "bounds"

Bounds = Mapping[str, tuple[float | None, float | None]]
"""Dotted path in the report, such as `statistics.test.average_length`; minimum and maximum, both inclusive."""


def judge(case: Case, limit: Bounds) -> list[Verdict]:
    """Returns the gate's verdicts on a build."""
    return within_bounds(case.build.report, limit)


def within_bounds(report: Mapping[str, object], bounds: Bounds) -> list[Verdict]:
    """Returns a verdict for each path; raises ConfigError for one that leads to no number, naming what exists."""
    return [_verdict(path, number_at(report, path), *bounds[path]) for path in sorted(bounds)]


def number_at(report: Mapping[str, object], path: str) -> float:
    """Returns the number at a dotted path; raises ConfigError if there is none."""
    found: object = report
    done: list[str] = []
    for part in path.split("."):
        if not isinstance(found, Mapping) or part not in found:
            raise ConfigError(f"gates.bounds: report.json has no {path}; {_what_there_is(done, found)}")
        found = found[part]
        done.append(part)
    if isinstance(found, bool) or not isinstance(found, int | float):
        raise ConfigError(f"gates.bounds: {path} of report.json is not a number; {_what_there_is(done, found)}")
    return found


def _what_there_is(done: list[str], found: object) -> str:
    where = ".".join(done) or "it"
    if isinstance(found, Mapping):
        return f"{where} has: {', '.join(found)}"
    return f"{where} is {'empty' if found is None else 'a ' + type(found).__name__}"


def _verdict(path: str, number: float, least: float | None, most: float | None) -> Verdict:
    passed = (least is None or number >= least) and (most is None or number <= most)
    limits = [("at least", least), ("at most", most)]
    limit = ", ".join(f"{words} {bound:,.10g}" for words, bound in limits if bound is not None)
    return Verdict(NAME, path, limit, f"{number:,.10g}", passed)

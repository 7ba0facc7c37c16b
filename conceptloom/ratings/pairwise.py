"""Ranks systems by pairwise comparisons, as in CommonGen's manual evaluation: Hit@k, and Kendall's tau of raters.

A rater ranks the systems for one concept set by the number of comparisons that they won; a tie counts half.
"""

import csv
import io
import math
from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import NamedTuple

from conceptloom import storage
from conceptloom.errors import InputError
from conceptloom.metrics.optional_imports import import_optional

COLUMNS = ("item", "rater", "first", "second", "winner")
KS = (1, 3, 5)
Wins = dict[str, float]


class Comparison(NamedTuple):
    """One rater's judgement of two systems' sentences for one item; without a winner it is a tie."""

    item: str
    rater: str
    first: str
    second: str
    winner: str


def read_comparisons(path: str) -> list[Comparison]:
    """Comparisons from CSV with a header (COLUMNS); `winner` is one of the two, or empty for a tie.

    Raises InputError, with file and line, for an invalid row and for a pair that a rater compared twice.
    """
    reader = csv.DictReader(io.StringIO(storage.read_bytes(path).decode("utf-8-sig", "replace"), newline=""))
    missing = [name for name in COLUMNS if name not in (reader.fieldnames or ())]
    if missing:
        raise InputError(f"{path} has no column {', '.join(missing)}; the first line must name: {', '.join(COLUMNS)}")
    found, seen = [], set()
    for row in reader:
        one = Comparison(*((row[name] or "").strip() for name in COLUMNS))
        place = f"{path}: line {reader.line_num}"
        if one.first == one.second or one.winner not in ("", one.first, one.second):
            raise InputError(f"{place}: the winner {one.winner!r} is neither of two systems; fix this line")
        pair = (one.item, one.rater, frozenset((one.first, one.second)))
        if pair in seen:
            raise InputError(f"{place}: rater {one.rater!r} has already compared these two for item {one.item!r}")
        seen.add(pair)
        found.append(one)
    if not found:
        raise InputError(f"{path}: there are no comparisons")
    return found


def rankings(comparisons: Iterable[Comparison]) -> dict[tuple[str, str], Wins]:
    """For each item and rater, the number of comparisons that each system won."""
    found: dict[tuple[str, str], Wins] = {}
    for one in comparisons:
        wins = found.setdefault((one.item, one.rater), {})
        for system in (one.first, one.second):
            share = 0.5 if not one.winner else float(one.winner == system)
            wins[system] = wins.get(system, 0.0) + share
    return found


def hit_rates(ranked: dict[tuple[str, str], Wins], ks: Sequence[int] = KS) -> dict[str, dict[int, float]]:
    """For each system and each k, the share x100 of its rankings in which fewer than k systems won more often.

    Systems with equal wins share a place, so the rates of all systems at k may add up to more than k x100, as the
    published ones do.
    """
    places: dict[str, list[int]] = {}
    for wins in ranked.values():
        for system, own in wins.items():
            places.setdefault(system, []).append(1 + sum(other > own for other in wins.values()))
    return {
        system: {k: 100 * sum(place <= k for place in found) / len(found) for k in ks}
        for system, found in sorted(places.items())
    }


def rank_agreement(ranked: dict[tuple[str, str], Wins]) -> float:
    """Kendall's tau-b between two raters' rankings of the same item, mean over items and pairs of raters.

    Only systems that both raters ranked count; nan where no pair of raters has a tau for any item.
    """
    of_item: dict[str, list[Wins]] = {}
    for (item, _), wins in ranked.items():
        of_item.setdefault(item, []).append(wins)
    taus = [_tau(a, b) for some in of_item.values() for a, b in combinations(some, 2)]
    known = [tau for tau in taus if not math.isnan(tau)]
    return math.fsum(known) / len(known) if known else math.nan


def _tau(first: Wins, second: Wins) -> float:
    both = sorted(first.keys() & second.keys())
    if len(both) < 2:
        return math.nan
    return float(
        import_optional("scipy.stats").kendalltau([first[s] for s in both], [second[s] for s in both]).statistic
    )

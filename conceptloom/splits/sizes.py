"""How many sets are held out, and how many each stratum contributes."""

from collections.abc import Mapping
from dataclasses import dataclass

from conceptloom.errors import ConfigError

Stratum = tuple[str, int]
"""(source, set size); ("", 0) for all rows where the split is not stratified."""


@dataclass(frozen=True)
class Sizes:
    """The sizes of validation and test: a number of sets, or (a float below 1) a fraction of the sentences.

    The defaults are Korean CommonGen's (table 1).
    """

    validation: int | float = 1000
    test: int | float = 2040
    stratify: bool = True

    def __post_init__(self) -> None:
        for name, value in (("validation", self.validation), ("test", self.test)):
            whole = isinstance(value, int) and not isinstance(value, bool) and value >= 0
            if not whole and not (isinstance(value, float) and 0 <= value < 1):
                raise ConfigError(f"split.{name} must be a number of sets or a fraction below 1, not {value!r}")

    def resolve(self, sentences: int) -> tuple[int, int]:
        """Returns (validation, test) as numbers of sets, for a corpus of that many sentences.

        >>> Sizes(validation=0.1, test=7).resolve(250)
        (25, 7)
        """
        return self._number(self.validation, sentences), self._number(self.test, sentences)

    @staticmethod
    def _number(size: float, sentences: int) -> int:
        return size if isinstance(size, int) else round(size * sentences)


def shares(wanted: int, weights: Mapping[Stratum, int]) -> dict[Stratum, int]:
    """Returns `wanted` divided in proportion to the weights, by largest remainder; ties go to the smaller key.

    >>> shares(4, {("a", 2): 1, ("b", 2): 1, ("c", 2): 1})
    {('a', 2): 2, ('b', 2): 1, ('c', 2): 1}
    """
    total = sum(weights.values())
    quotas = {key: divmod(wanted * weight, total) for key, weight in weights.items()}
    left = wanted - sum(whole for whole, _ in quotas.values())
    gaining = set(sorted(quotas, key=lambda key: (-quotas[key][1], key))[:left])
    return {key: whole + (key in gaining) for key, (whole, _) in quotas.items()}


def allocate(wanted: int, weights: Mapping[Stratum, int], room: Mapping[Stratum, int]) -> dict[Stratum, int]:
    """Returns how many each stratum contributes: in proportion to its weight, never more than its room.

    What a stratum cannot contribute is divided among those that still have room, again in proportion, until all is
    contributed or none has room; so the sum is min(wanted, total room).

    >>> allocate(4, {("a", 2): 1, ("b", 2): 3}, {("a", 2): 9, ("b", 2): 1})
    {('a', 2): 3, ('b', 2): 1}
    """
    given = dict.fromkeys(weights, 0)
    while wanted > 0 and (free := {key: weight for key, weight in weights.items() if given[key] < room[key]}):
        for key, share in shares(wanted, free).items():
            more = min(share, room[key] - given[key])
            given[key] += more
            wanted -= more
    return given

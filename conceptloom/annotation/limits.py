"""Limits on single answers, and on all answers of a worker taken together.

CommonGen (section 3.2) selected its workers by the same three criteria: coverage of the concepts, perplexity, and the
length of the rationales.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, median
from typing import NamedTuple

from conceptloom.annotation.answers import Answer, Rejected
from conceptloom.annotation.coverage import concept_places, coverage
from conceptloom.annotation.perplexity import PerplexityScorer
from conceptloom.annotation.tasks import Task
from conceptloom.errors import ConfigError
from conceptloom.json_values import JsonObject
from conceptloom.languages.english.words import words

_NOISE = 1e-9
"""The tolerance for rounding: a mean of 0.7 meets a limit of 0.7."""


class Measures(NamedTuple):
    """The measures of an answer, or of all answers of a worker: means, but the median perplexity."""

    coverage: float
    """The share of the concepts that occur in the sentence, 0 to 1."""
    rationale: float
    """The number of words of the rationale."""
    perplexity: float | None = None


@dataclass(frozen=True)
class Limits:
    """The least coverage, the least number of words of a rationale, the highest perplexity; None: no limit."""

    coverage: float | None = None
    rationale: float | None = None
    perplexity: float | None = None

    def __post_init__(self) -> None:
        if self.coverage is not None and not 0 <= self.coverage <= 1:
            raise ConfigError(f"the least coverage is a share from 0 to 1, not {self.coverage}")

    def objection(self, measures: Measures) -> tuple[str, str] | None:
        """The first criterion that is not met, with the value and the limit in words; None if all are met."""
        if self.coverage is not None and measures.coverage < self.coverage - _NOISE:
            return "coverage", f"{measures.coverage:.2f}, at least {self.coverage:g} is wanted"
        if self.rationale is not None and measures.rationale < self.rationale - _NOISE:
            return "rationale", f"{measures.rationale:g} words, at least {self.rationale:g} are wanted"
        if self.perplexity is not None and measures.perplexity is not None and measures.perplexity > self.perplexity:
            return "perplexity", f"{measures.perplexity:.1f}, at most {self.perplexity:g} is allowed"
        return None


@dataclass(frozen=True)
class WorkerRecord:
    """A worker's valid answers, their measures, how many were taken, and the reason if none was."""

    answers: int
    measures: Measures
    taken: int
    reason: str = ""
    detail: str = ""

    def to_json(self) -> JsonObject:
        """The record as JSON values, measures rounded to four digits."""
        measures = {name: None if value is None else round(value, 4) for name, value in self.measures._asdict().items()}
        return {"answers": self.answers, "taken": self.taken, **measures, "reason": self.reason, "detail": self.detail}


class Judged(NamedTuple):
    """The answers taken, with their measures, the rejected answers, and the record of each worker."""

    taken: list[tuple[Answer, Measures]]
    rejected: list[Rejected]
    workers: dict[str, WorkerRecord]


def measure_answers(
    answers: Sequence[Answer], tasks: Mapping[str, Task], scorer: PerplexityScorer | None = None
) -> list[Measures]:
    """The measures of each answer to one of the tasks (by id); no perplexity without a scorer."""
    sentences = [answer.sentence for answer in answers]
    places = concept_places([tasks[answer.task].concepts for answer in answers], sentences)
    perplexities: Sequence[float | None] = scorer.perplexities(sentences) if scorer else [None] * len(answers)
    return [
        Measures(coverage(found), len(words(answer.rationale)), perplexity)
        for answer, found, perplexity in zip(answers, places, perplexities, strict=True)
    ]


def apply_limits(
    answers: Sequence[Answer], measures: Sequence[Measures], single: Limits, workers: Limits, least_answers: int = 1
) -> Judged:
    """Takes the answers that meet the limits `single`, of workers whose answers together meet the limits `workers`.

    For a worker with fewer than `least_answers` answers only `single` applies. A worker's record covers all valid
    answers, including those that do not meet `single`.
    """
    of_worker: dict[str, list[Measures]] = {}
    for answer, measured in zip(answers, measures, strict=True):
        of_worker.setdefault(answer.worker, []).append(measured)
    together = {worker: _together(own) for worker, own in of_worker.items()}
    objections = {
        name: workers.objection(together[name]) for name, own in of_worker.items() if len(own) >= least_answers
    }
    distrusted = {name: objection for name, objection in objections.items() if objection}
    taken, rejected = list[tuple[Answer, Measures]](), list[Rejected]()
    for answer, measured in zip(answers, measures, strict=True):
        objection = _objection(distrusted.get(answer.worker), single.objection(measured))
        if objection:
            rejected.append(Rejected(answer, *objection))
        else:
            taken.append((answer, measured))
    return Judged(taken, rejected, _records(of_worker, together, distrusted, [answer for answer, _ in taken]))


def _objection(worker: tuple[str, str] | None, single: tuple[str, str] | None) -> tuple[str, str] | None:
    """The objection to the worker if there is one, with the prefix `worker_`, otherwise that to the answer."""
    return (f"worker_{worker[0]}", worker[1]) if worker else single


def _together(measures: Sequence[Measures]) -> Measures:
    perplexities = [one.perplexity for one in measures if one.perplexity is not None]
    return Measures(
        fmean(one.coverage for one in measures),
        fmean(one.rationale for one in measures),
        median(perplexities) if perplexities else None,
    )


def _records(
    of_worker: Mapping[str, Sequence[Measures]],
    together: Mapping[str, Measures],
    distrusted: Mapping[str, tuple[str, str]],
    taken: Iterable[Answer],
) -> dict[str, WorkerRecord]:
    counts = dict.fromkeys(of_worker, 0)
    for answer in taken:
        counts[answer.worker] += 1
    return {
        worker: WorkerRecord(
            len(of_worker[worker]), together[worker], counts[worker], *distrusted.get(worker, ("", ""))
        )
        for worker in sorted(of_worker)
    }

"""Imports filled files from beginning to end: reads, checks and judges answers, writes references and a report."""

from collections.abc import Iterable
from dataclasses import dataclass

from conceptloom.annotation.answers import parse_columns, read_answers
from conceptloom.annotation.checking import check_answers
from conceptloom.annotation.limits import Limits, apply_limits, measure_answers
from conceptloom.annotation.perplexity import PerplexityScorer, make_perplexity_scorer
from conceptloom.annotation.results import collect_result, write_result
from conceptloom.annotation.tasks import read_tasks
from conceptloom.errors import ConfigError
from conceptloom.json_values import JsonObject
from conceptloom.models import DEFAULT_DEVICE
from conceptloom.storage import match

SINGLE, NO_LIMITS = Limits(coverage=1.0), Limits()
"""The default limits on a single answer, and on a worker."""


@dataclass(frozen=True)
class Import:
    """The settings of an import. `tasks` is the file that was exported; for `columns` see `parse_columns`."""

    tasks: str
    columns: tuple[str, ...] = ()
    references: int = 1
    """How many references a set should have."""
    single: Limits = SINGLE
    workers: Limits = NO_LIMITS
    worker_answers: int = 1
    """Limits on workers only apply to workers with at least this many answers."""
    perplexity: str | None = None
    """See `make_perplexity_scorer`."""
    device: str = DEFAULT_DEVICE
    """Where a model of perplexity runs."""
    encoding: str | None = None
    """The encoding of the filled files; None: found for each."""

    def scorer(self) -> PerplexityScorer | None:
        """The scorer of perplexities, or None; raises ConfigError for limits on perplexity without a scorer."""
        if self.perplexity:
            return make_perplexity_scorer(self.perplexity, self.device)
        if self.single.perplexity is not None or self.workers.perplexity is not None:
            raise ConfigError("a limit on perplexity needs --perplexity: a table id,perplexity or transformers:PATH")
        return None


def import_answers(patterns: Iterable[str], chosen: Import, directory: str) -> JsonObject:
    """Reads the files, checks, measures and judges their answers, writes the result and returns the report.

    A file that several patterns match is read once. Raises InputError where no answer can be taken.
    """
    columns, scorer = parse_columns(chosen.columns), chosen.scorer()
    tasks = read_tasks(chosen.tasks)
    by_id = {task.id: task for task in tasks}
    paths = dict.fromkeys(info.path for pattern in patterns for info in match(pattern))
    checked = check_answers((entry for path in paths for entry in read_answers(path, columns, chosen.encoding)), by_id)
    measures = measure_answers(checked.valid, by_id, scorer)
    judged = apply_limits(checked.valid, measures, chosen.single, chosen.workers, chosen.worker_answers)
    result = collect_result(tasks, judged, checked.rejected, chosen.references)
    report = {"files": list(paths), "perplexity": scorer.name if scorer else None, **result.to_json()}
    write_result(directory, result, report)
    return report

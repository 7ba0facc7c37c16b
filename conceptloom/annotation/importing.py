"""An import from beginning to end: filled files in, references and a report out."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from conceptloom.annotation.answers import parse_columns, read_answers
from conceptloom.annotation.checking import check_answers
from conceptloom.annotation.limits import Limits, apply_limits, measure_answers
from conceptloom.annotation.perplexity import PerplexityScorer, make_perplexity_scorer
from conceptloom.annotation.results import collect_result, write_result
from conceptloom.annotation.tasks import read_tasks
from conceptloom.errors import ConfigError
from conceptloom.models import DEFAULT_DEVICE
from conceptloom.storage import match

SINGLE, NO_LIMITS = Limits(coverage=1.0), Limits()
"""The limits on an answer, and on a worker, where none are given."""


@dataclass(frozen=True)
class Import:
    """What an import is to do. `tasks`: the file of the export; `columns`: see `parse_columns`."""

    tasks: str
    columns: tuple[str, ...] = ()
    references: int = 1
    """How many references a set should have."""
    single: Limits = SINGLE
    workers: Limits = NO_LIMITS
    worker_answers: int = 1
    """A worker with fewer answers is judged answer by answer only."""
    perplexity: str | None = None
    """See `make_perplexity_scorer`."""
    device: str = DEFAULT_DEVICE
    """Where a model of perplexity runs."""

    def scorer(self) -> PerplexityScorer | None:
        """The scorer of perplexities, if one is named; raises ConfigError for limits without one."""
        if self.perplexity:
            return make_perplexity_scorer(self.perplexity, self.device)
        if self.single.perplexity is not None or self.workers.perplexity is not None:
            raise ConfigError("a limit of perplexity wants --perplexity: a table id,perplexity or transformers:PATH")
        return None


def import_answers(patterns: Iterable[str], chosen: Import, directory: str) -> dict[str, Any]:
    """Reads the files, checks, measures and judges their answers, writes the result; answers the report.

    A file that several patterns name is read once. Raises InputError where nothing can be taken.
    """
    columns, scorer = parse_columns(chosen.columns), chosen.scorer()
    tasks = read_tasks(chosen.tasks)
    by_id = {task.id: task for task in tasks}
    paths = dict.fromkeys(info.path for pattern in patterns for info in match(pattern))
    checked = check_answers((entry for path in paths for entry in read_answers(path, columns)), by_id)
    measures = measure_answers(checked.valid, by_id, scorer)
    judged = apply_limits(checked.valid, measures, chosen.single, chosen.workers, chosen.worker_answers)
    result = collect_result(tasks, judged, checked.rejected, chosen.references)
    report = {"files": list(paths), "perplexity": scorer.name if scorer else None, **result.to_json()}
    write_result(directory, result, report)
    return report

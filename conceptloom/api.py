"""What a notebook or a training program needs: `evaluate` scores predictions, `open_build` opens a data set."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import pyarrow as pa

from conceptloom.data_set import SPLITS, DataSet, open_data_set
from conceptloom.examples import Example
from conceptloom.metrics.certainty import Resampling, with_intervals
from conceptloom.metrics.evaluation import evaluate_system
from conceptloom.metrics.inputs.predictions import given_predictions, read_predictions
from conceptloom.metrics.inputs.references import given_references, read_references
from conceptloom.metrics.results import sentences_of


@dataclass(frozen=True)
class EvaluationResult:
    """One system's scores by name, as papers print them (mostly x100); nan where a score has no value.

    `intervals` holds the ends of 95 % intervals, for the scores that have one; `signatures` says how each score was
    computed; `sentences` has a row for each prediction, with a column for each metric that scores sentences; `notes`
    says what was odd about the input, and `warnings` those notes that make the scores doubtful.
    """

    scores: dict[str, float]
    intervals: dict[str, tuple[float, float]]
    signatures: dict[str, str]
    sentences: pa.Table
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


def evaluate(
    *,
    predictions: str | Sequence[str],
    references: str | Sequence[Example],
    preset: str,
    options: Mapping[str, str] | None = None,
    split: str = "test",
    resamples: int = 1000,
    seed: int = 1,
) -> EvaluationResult:
    """Scores one system's predictions as `conceptloom evaluate` does.

    Both may be paths of files (of references also of a build, with its `split`). Predictions may be the sentences, one
    for each set or one for each reference, in the order of the references; references may be examples: a concept set
    and its sentences. `resamples` = 0 leaves intervals out, which is what training wants. Raises ConfigError for an
    unknown preset or option or a missing package, InputError where predictions and references do not fit.
    """
    against = read_references(references, split) if isinstance(references, str) else given_references(references)
    said = read_predictions(predictions) if isinstance(predictions, str) else given_predictions(predictions)
    found = with_intervals(evaluate_system(preset, options or {}, against, said), Resampling(resamples, seed))
    (system,) = found.systems
    return EvaluationResult(
        scores={score.name: score.value for score in system.scores},
        intervals=dict(system.intervals),
        signatures={score.name: score.signature for score in system.scores},
        sentences=sentences_of(system),
        notes=tuple(str(note) for note in system.notes if not note.is_warning),
        warnings=tuple(str(note) for note in system.notes if note.is_warning),
    )


class Build(DataSet):
    """A finished data set. `splits` reads a split, as one Arrow table, when it is asked for by name."""

    @property
    def splits(self) -> Mapping[str, pa.Table]:
        """The splits that have files."""
        return _Splits(self)


def open_build(directory: str) -> Build:
    """Opens a finished build, local or gs://, or a link such as `current`.

    Raises InputError where there is none, or one of its files is missing.
    """
    return Build(open_data_set(directory).directory)


class _Splits(Mapping[str, pa.Table]):
    """The splits that have files, in their usual order; every access reads the files anew."""

    def __init__(self, build: DataSet) -> None:
        self._build = build
        self._names = [name for name in SPLITS if build.files("data", name)]

    def __getitem__(self, name: str) -> pa.Table:
        if name not in self._names:
            raise KeyError(name)
        return pa.concat_tables(self._build.tables(name))

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

"""Notes on inputs: what was odd about a file and how it was handled. Nothing odd is handled in silence."""

from typing import NamedTuple

from conceptloom.json_values import JsonObject

_SHOWN = 5
TEXTS = {
    "no_final_newline": ("the last line has no line end: was the file cut off?",) * 2,
    "blank_lines_at_end": ("blank line at the end is ignored", "blank lines at the end are ignored"),
    "blank_lines": ("blank line is ignored", "blank lines are ignored"),
    "empty_predictions": ("prediction is empty and scores 0", "predictions are empty and score 0"),
    "more_predictions": (
        "set has several predictions: only the first counts",
        "sets have several predictions: only the first counts",
    ),
    "duplicate_ids": (
        "prediction has an id that occurred before: the first counts",
        "predictions have ids that occurred before: the first counts",
    ),
    "unknown_ids": (
        "prediction belongs to no reference and is ignored",
        "predictions belong to no reference and are ignored",
    ),
    "single_references": (
        "set has fewer than two sentences to compare with each other, and is left out",
        "sets have fewer than two sentences to compare with each other, and are left out",
    ),
    "missing_predictions": (
        "reference has no prediction and scores 0",
        "references have no prediction and score 0",
    ),
    "bare_sets": (
        "set of the references has no sentence to compare with, and is left out",
        "sets of the references have no sentence to compare with, and are left out",
    ),
    "surplus_references": (
        "set of the references has no line of its own, and is left out",
        "sets of the references have no lines of their own, and are left out",
    ),
    "misplaced_predictions": ("prediction fits another set", "predictions fit other sets"),
    "invalid_answers": ("answer is not among the labels and scores 0", "answers are not among the labels and score 0"),
}
"""The kinds of oddness, each with its text for one case and for several."""

WARNINGS = ("surplus_references", "misplaced_predictions", "invalid_answers")
"""The kinds that mean, most likely, that the file is not what it was taken for."""


class InputNote(NamedTuple):
    """One kind of oddness in one file: how often it occurred, the numbers of the first lines with it, details."""

    file: str
    what: str
    times: int
    lines: tuple[int, ...] = ()
    detail: str = ""

    @property
    def is_warning(self) -> bool:
        """Whether scores are likely to be wrong because of it (see WARNINGS)."""
        return self.what in WARNINGS

    def __str__(self) -> str:
        text = TEXTS[self.what][self.times > 1]
        counted = text if self.what == "no_final_newline" else f"{self.times:,} {text}"
        more = " …" if self.times > len(self.lines) else ""
        where = f" (line {', '.join(map(str, self.lines))}{more})" if self.lines else ""
        return f"{self.file}: {counted}{where}{self.detail and f', {self.detail}'}"

    def to_json(self) -> JsonObject:
        """The note as JSON values."""
        return {"file": self.file, "what": self.what, "times": self.times, "lines": list(self.lines), "text": str(self)}


class InputNotes:
    """Collects the notes on one file."""

    def __init__(self, file: str) -> None:
        self._file = file
        self._counts: dict[str, int] = {}
        self._lines: dict[str, list[int]] = {}
        self._details: dict[str, str] = {}

    def add(self, what: str, line: int | None = None, times: int = 1, detail: str = "") -> None:
        """Counts an oddness (a key of TEXTS), with the number of its line if it has one."""
        self._counts[what] = self._counts.get(what, 0) + times
        lines = self._lines.setdefault(what, [])
        if line is not None and len(lines) < _SHOWN:
            lines.append(line)
        if detail:
            self._details[what] = detail

    def collected(self) -> tuple[InputNote, ...]:
        """A note for each kind that was counted, in the order of TEXTS."""
        return tuple(
            InputNote(self._file, what, self._counts[what], tuple(self._lines[what]), self._details.get(what, ""))
            for what in TEXTS
            if what in self._counts
        )

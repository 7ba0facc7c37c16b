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
}
"""The kinds of oddness, each with its text for one case and for several."""


class InputNote(NamedTuple):
    """One kind of oddness in one file: how often it occurred, and the numbers of the first lines with it."""

    file: str
    what: str
    times: int
    lines: tuple[int, ...] = ()

    def __str__(self) -> str:
        text = TEXTS[self.what][self.times > 1]
        counted = text if self.what == "no_final_newline" else f"{self.times:,} {text}"
        more = " …" if self.times > len(self.lines) else ""
        where = f" (line {', '.join(map(str, self.lines))}{more})" if self.lines else ""
        return f"{self.file}: {counted}{where}"

    def to_json(self) -> JsonObject:
        """The note as JSON values."""
        return {"file": self.file, "what": self.what, "times": self.times, "lines": list(self.lines), "text": str(self)}


class InputNotes:
    """Collects the notes on one file."""

    def __init__(self, file: str) -> None:
        self._file = file
        self._counts: dict[str, int] = {}
        self._lines: dict[str, list[int]] = {}

    def add(self, what: str, line: int | None = None, times: int = 1) -> None:
        """Counts an oddness (a key of TEXTS), with the number of its line if it has one."""
        self._counts[what] = self._counts.get(what, 0) + times
        lines = self._lines.setdefault(what, [])
        if line is not None and len(lines) < _SHOWN:
            lines.append(line)

    def collected(self) -> tuple[InputNote, ...]:
        """A note for each kind that was counted, in the order of TEXTS."""
        counts, lines = self._counts, self._lines
        return tuple(InputNote(self._file, what, counts[what], tuple(lines[what])) for what in TEXTS if what in counts)

"""What was odd about an input and was dealt with: counted, with the first lines, so that nothing happens in silence."""

from typing import Any, NamedTuple

_SHOWN = 5
TEXTS = {
    "no_final_newline": ("the last line has no line end: was the file cut off?",) * 2,
    "blank_lines_at_end": ("blank line at the end is left out", "blank lines at the end are left out"),
    "blank_lines": ("blank line is left out", "blank lines are left out"),
    "empty_predictions": ("prediction is empty and scores 0", "predictions are empty and score 0"),
    "more_predictions": ("set has several predictions: its first counts", "sets have several: their first counts"),
    "duplicate_ids": (
        "prediction is of an id seen before: the first counts",
        "are of ids seen before: first ones count",
    ),
    "unknown_ids": (
        "prediction is of no reference and is left out",
        "predictions are of no reference and are left out",
    ),
    "single_references": (
        "set has fewer than two sentences to be held against each other, and is left out",
        "sets have fewer than two sentences to be held against each other, and are left out",
    ),
    "missing_predictions": ("reference has no prediction: scores 0", "references have no prediction: they score 0"),
}
"""What is said of one, and of several."""


class Note(NamedTuple):
    """One kind of oddness in one file: how often, and in which lines (the first few)."""

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

    def to_json(self) -> dict[str, Any]:
        """The note as JSON values."""
        return {"file": self.file, "what": self.what, "times": self.times, "lines": list(self.lines), "text": str(self)}


class NoteBook:
    """Collects what is odd about one file."""

    def __init__(self, file: str) -> None:
        self._file = file
        self._counts: dict[str, int] = {}
        self._lines: dict[str, list[int]] = {}

    def add(self, what: str, line: int | None = None, times: int = 1) -> None:
        """Counts an oddness (one of TEXTS), in a line where it has one."""
        self._counts[what] = self._counts.get(what, 0) + times
        lines = self._lines.setdefault(what, [])
        if line is not None and len(lines) < _SHOWN:
            lines.append(line)

    def notes(self) -> tuple[Note, ...]:
        """What was counted, in the order of TEXTS."""
        counts, lines = self._counts, self._lines
        return tuple(Note(self._file, what, counts[what], tuple(lines[what])) for what in TEXTS if what in counts)

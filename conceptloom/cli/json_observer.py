"""The events of a build in the log for programs."""

from conceptloom import progress
from conceptloom.cli.json_log import write_event
from conceptloom.ledger import Ledger
from conceptloom.manifest import Manifest
from conceptloom.pipelines.build.engine import Observer
from conceptloom.pipelines.build.inputs import InputPlan


class JsonObserver(Observer):
    """Writes each event of the build in `output` as a line; each names the build, as logs of many are read together."""

    def __init__(self, output: str) -> None:
        self._output = output

    def __enter__(self) -> "JsonObserver":
        self._stop = progress.read_notes(self.noted)
        return self

    def __exit__(self, *error: object) -> None:
        self._stop()

    def planned(self, plan: InputPlan) -> None:
        """Writes an event for each input."""
        for note in plan.notes:
            self._write("input", input=note)

    def noted(self, note: str) -> None:
        """Writes a note or a warning."""
        self._write("note", note=note)

    def reused(self, stage: str, manifest: Manifest) -> None:
        """Writes that a stage was done before."""
        self._write("stage_reused", stage=stage, **_counts(manifest))

    def started(self, stage: str, sentences: int | None) -> None:
        """Writes that a stage begins; `expected` is what it will read, null where that is not known."""
        self._write("stage_started", stage=stage, expected=sentences)

    def finished(self, stage: str, manifest: Manifest) -> None:
        """Writes the counts of a stage, and the seconds that it took."""
        self._write("stage_finished", stage=stage, **_counts(manifest), seconds=manifest.seconds)

    def _write(self, event: str, **fields: object) -> None:
        write_event(event, build=self._output, **fields)


def _counts(manifest: Manifest) -> dict[str, object]:
    """Returns what a stage read, kept and rejected, summed over its sources."""
    total = Ledger.from_json(manifest.ledger).total()
    return {"read": total.read, "kept": total.kept, "rejected": dict(sorted(total.rejected.items()))}

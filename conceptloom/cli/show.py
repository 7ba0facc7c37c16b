"""The output of `conceptloom build` and `demo`: plan, progress and result."""

import sys
import time

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Table

from conceptloom import progress, storage
from conceptloom.cli.console import wide_console
from conceptloom.cli.printing import print_json
from conceptloom.data_set import REPORT
from conceptloom.ledger import Ledger
from conceptloom.manifest import Manifest
from conceptloom.pipelines.build.configuration import to_yaml
from conceptloom.pipelines.build.context import Context
from conceptloom.pipelines.build.engine import Build, Observer
from conceptloom.pipelines.build.inputs import InputPlan
from conceptloom.pipelines.build.recipe import Recipe
from conceptloom.pipelines.build.settings import S
from conceptloom.pipelines.builds.finished import FinishedBuild
from conceptloom.stopping import held_back

_COLUMNS = (
    TextColumn("{task.description:<8}"),
    BarColumn(bar_width=30),
    TextColumn("{task.completed:,.0f} sentences"),
    TextColumn("{task.fields[rate]}"),
    TimeElapsedColumn(),
    TimeRemainingColumn(),
)


class ConsoleObserver(Observer):
    """Shows a build on standard error: a progress bar on a terminal, plain lines elsewhere."""

    def __init__(self) -> None:
        self._console = Console(stderr=True, highlight=False, soft_wrap=True, markup=False)
        self._bars = Progress(*_COLUMNS, console=self._console, disable=not self._console.is_terminal)
        self._task: TaskID | None = None
        self._begin = 0.0
        self._done, self._read, self._known, self._share = 0, 0, False, 0.0

    def __enter__(self) -> "ConsoleObserver":
        self._bars.start()
        notes = progress.read_notes(self._print)
        self._stops = progress.listen(self._advance), progress.watch(self._work), notes
        return self

    def __exit__(self, *error: object) -> None:
        for stop in self._stops:
            stop()
        self._bars.stop()

    def planned(self, plan: InputPlan) -> None:
        """Prints what was found in the inputs."""
        for note in plan.notes:
            self._print(f"input {note}")

    def noted(self, note: str) -> None:
        """Prints a note."""
        self._print(note)

    def reused(self, stage: str, manifest: Manifest) -> None:
        """Prints that a stage is reused."""
        self._print(f"stage {stage}: done before, not run again")

    def _print(self, line: str) -> None:
        """Prints a line once: stopped between writing and forgetting it, rich would write it again with the next."""
        with held_back():
            self._console.print(line)

    def started(self, stage: str, sentences: int | None) -> None:
        """Opens the progress bar of a stage."""
        self._begin = time.monotonic()
        self._done, self._read, self._known, self._share = 0, sentences or 0, sentences is not None, 0.0
        self._task = self._bars.add_task(stage, total=sentences, rate="")
        if not self._console.is_terminal:
            self._print(f"stage {stage}: started")

    def _advance(self, read: int, done: int) -> None:
        if self._task is None or not read + done:
            return
        self._done += done
        # The total of the first stage is known only once it has read its input.
        self._read += 0 if self._known else read
        self._draw()

    def _work(self, share: float) -> None:
        if self._task is None or not share:
            return
        self._share += share
        self._draw()

    def _draw(self) -> None:
        """Moves the bar: what is done of all sentences, where some work comes before the first of them is done."""
        assert self._task is not None
        done = self._share * self._read + (1 - self._share) * self._done
        rate = done / max(time.monotonic() - self._begin, 1e-9)
        self._bars.update(self._task, completed=done, total=self._read or None, rate=f"{rate:,.0f}/s")

    def finished(self, stage: str, manifest: Manifest) -> None:
        """Closes the progress bar of a stage and prints its counts."""
        if self._task is not None:
            self._bars.remove_task(self._task)
            self._task = None
        total = Ledger.from_json(manifest.ledger).total()
        self._print(f"stage {stage}: {total.read:,} read, {total.kept:,} kept, {manifest.seconds:.1f} s")


def show_plan(build: Build[S], plan: InputPlan, notes: tuple[str, ...], as_json: bool) -> None:
    """Prints the resolved plan of a build without starting it."""
    recipe, output = build.recipe, build.output
    stages = [stage.name for stage in recipe.stages]
    if as_json:
        chosen = build.settings.model_dump(mode="json")
        print_json({"inputs": plan.notes, "notes": notes, "stages": stages, "output": output, "settings": chosen})
        return
    print(f"recipe   {recipe.name}: {', '.join(stages)}\noutput   {output}")
    for note in plan.notes:
        print(f"input    {note}")
    for note in notes:
        print(f"note     {note}")
    print(f"pieces   {len(plan.spans)} to read, {plan.buckets} buckets\n\n{to_yaml(build.settings)}", end="")


def show_result(recipe: Recipe[S], context: Context[S], output: str, as_json: bool) -> None:
    """Prints the result of a build; `output` is its path as the user gave it."""
    finished = recipe.stages[-1].name in context.manifests
    if as_json:
        if finished:
            sys.stdout.write(storage.read_bytes(storage.join(context.output, REPORT)).decode())
        else:
            print_json({name: manifest.ledger for name, manifest in context.manifests.items()})
        return
    console = wide_console(highlight=False)
    console.print(_ledger_table(context))
    if finished:
        _show_data(FinishedBuild(context.output, recipe), output)


def _ledger_table(context: Context[S]) -> Table:
    table = Table("stage", "source", "read", "kept", "left out", box=None, header_style="bold")
    for stage, manifest in context.manifests.items():
        for source, counts in manifest.ledger.items():
            reasons = sorted(counts["rejected"].items(), key=lambda item: (-item[1], item[0]))
            text = ", ".join(f"{reason} {number:,}" for reason, number in reasons)
            table.add_row(stage, source, f"{counts['read']:,}", f"{counts['kept']:,}", text)
    return table


def _show_data(build: FinishedBuild, output: str) -> None:
    rows = build.recipe.rows
    for split, column in build.report["statistics"].items():
        print(f"{split:<11}{rows.counted(column)}")
    for row in next(build.tables("train")).slice(0, 3).to_pylist():
        print(f"  {rows.line(row)}")
    folders = [name if "." in name else f"{name}/" for name in build.recipe.products]
    print(f"data set: {output} ({', '.join(folders)})")

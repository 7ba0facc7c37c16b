"""The build engine: runs, checks and commits each stage that has no valid manifest, then the whole data set."""

import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Generic, Protocol

import apache_beam as beam

from conceptloom import storage
from conceptloom.code import code_digest
from conceptloom.current import is_current
from conceptloom.data_set import CARD, missing_products
from conceptloom.errors import BuildError, ConfigError, OutputError
from conceptloom.json_values import JsonObject
from conceptloom.ledger import Ledger
from conceptloom.manifest import NAME as MANIFEST
from conceptloom.manifest import Manifest, digest, missing_files, read_manifest, timestamp
from conceptloom.pipelines.build.changes import check_same_settings
from conceptloom.pipelines.build.context import Context, Receipts
from conceptloom.pipelines.build.frozen import forget_frozen, record_frozen
from conceptloom.pipelines.build.inputs import InputPlan, plan_inputs
from conceptloom.pipelines.build.recipe import Recipe, Stage
from conceptloom.pipelines.build.report import write_documents
from conceptloom.pipelines.build.settings import S
from conceptloom.pipelines.builds.finished import MARKER
from conceptloom.transforms.receipts import FILE as RECEIPTS
from conceptloom.transforms.receipts import read_receipts

Construct = Callable[[beam.Pipeline], object]
"""Adds a stage's transforms to a pipeline."""


class Runner(Protocol):
    """Runs the pipeline of one stage to completion; raises a ConceptloomError that names the stage if it fails."""

    def prepare(self, recipe: str, inputs: Sequence[str], output: str) -> None:
        """Checks the runner's requirements, once before the first stage and in a dry run; starts nothing.

        `inputs` are file patterns. Raises ConfigError that lists every unmet requirement; by default there is none.
        """
        return

    def warning(self, input_bytes: int) -> str | None:
        """Returns a warning about building this much text with this runner, or None."""
        return None

    def begin(self, input_bytes: int) -> None:
        """Called once before the first stage with the bytes of text that the build reads; starts nothing."""
        return

    def run(self, stage: str, construct: Construct, directory: str | None = None) -> dict[str, int]:
        """Runs the transforms that `construct` adds to a pipeline; returns the runner's counters.

        The result is empty for a runner without counters. Work that was retried may be counted twice. `directory` is
        that of the stage, where a runner may keep files of its own until the stage ends.
        """


class Observer:
    """Receives the events of a build; this base class ignores them."""

    def planned(self, plan: InputPlan) -> None:
        """Called when the inputs have been found."""

    def noted(self, note: str) -> None:
        """Called with a note for the user before the first stage begins."""

    def reused(self, stage: str, manifest: Manifest) -> None:
        """Called when the output of a stage is reused."""

    def started(self, stage: str, sentences: int | None) -> None:
        """Called when a stage begins, with the number of sentences that it will read, or None if unknown."""

    def finished(self, stage: str, manifest: Manifest) -> None:
        """Called when a stage is committed."""


@dataclass
class Build(Generic[S]):
    """One build of one recipe into one directory."""

    recipe: Recipe[S]
    settings: S
    output: str
    runner: Runner
    observer: Observer = field(default_factory=Observer)
    overwrite: bool = False
    """Deletes a build that is there."""
    update: bool = False
    """Lets other settings change a finished build; what still holds is kept."""

    def plan(self) -> InputPlan:
        """Checks runner, inputs and output without writing; raises ConfigError, InputError or OutputError.

        A finished build with other settings is refused, unless `update` or `overwrite` is set.
        """
        self.runner.prepare(self.recipe.name, self.settings.files(), self.output)
        plan = plan_inputs(self.settings.inputs, self.settings.limit)
        check_output(self.recipe, self.output)
        if not (self.update or self.overwrite):
            check_same_settings(self.settings.settled(), self.output)
        return plan

    def run(self, only: str | None = None) -> Context[S]:
        """Runs all stages that are not done, or stage `only` alone; returns the resulting context.

        A local output directory is locked meanwhile: a second build into it is refused. Object storage has no such
        lock. Raises ConfigError, BuildError, InputError or OutputError; committed stages stay, and the next run
        resumes after them.
        """
        self.settings = self.settings.settled()
        notes = self.recipe.check(self.settings, self.output)
        plan = self.plan()
        self.observer.planned(plan)
        self.runner.begin(plan.bytes)
        warning = self.runner.warning(plan.bytes)
        for note in (*notes, *([f"warning: {warning}"] if warning else [])):
            self.observer.noted(note)
        # Absolute, because a task may run in a process with another working directory.
        output, stages = storage.absolute(self.output), tuple(stage.name for stage in self.recipe.stages)
        context = Context(self.settings, plan, output, stages)
        if only not in (None, stages[0]):
            if self.overwrite:
                raise ConfigError(f"--overwrite would delete the stages that --only {only} depends on: omit one option")
            if read_manifest(context.directory(stages[0])) is None:
                raise _not_done(stages[0], self.output)
        with storage.claim(storage.join(self.output, MARKER), f"{self.recipe.name}\n".encode()) as alone:
            if not alone:
                raise OutputError(
                    f"another build is running in {self.output}: wait until it ends, or choose another --output"
                )
            return self._run_stages(context, only)

    def _run_stages(self, context: Context[S], only: str | None) -> Context[S]:
        if self.overwrite:
            check_not_current(self.output)
            remove_build(self.recipe, self.output)
        upstream = context.plan.fingerprint
        for stage in self.recipe.stages:
            manifest = self._stage(stage, context, upstream, only)
            context.manifests[stage.name] = manifest
            upstream = digest([manifest.fingerprint, manifest.digest()])
            if only == stage.name and stage is not self.recipe.stages[-1]:
                return context
        self._finish(context, upstream)
        return context

    def _stage(self, stage: Stage[S], context: Context[S], upstream: str, only: str | None) -> Manifest:
        settings = stage.settings(self.settings)
        fingerprint = digest([stage.name, settings, upstream, code_digest(stage.modules)])
        directory = context.directory(stage.name)
        found = read_manifest(directory)
        if found and found.fingerprint == fingerprint and not missing_files(found, self._base(stage, context)):
            self.observer.reused(stage.name, found)
            return found
        if only not in (None, stage.name):
            raise _not_done(stage.name, self.output)
        return self._run(stage, context, settings, fingerprint)

    def _base(self, stage: Stage[S], context: Context[S]) -> str:
        return context.output if stage.into_output else context.directory(stage.name)

    def _run(self, stage: Stage[S], context: Context[S], settings: JsonObject, fingerprint: str) -> Manifest:
        directory = context.directory(stage.name)
        check_not_current(self.output)
        record_frozen(self.settings, self.output)
        self._clear(stage, context)
        self.observer.started(stage.name, _expected(context))
        begin = time.monotonic()
        counted = self.runner.run(stage.name, lambda pipeline: stage.construct(context, pipeline), directory)
        receipts = collect(read_receipts(directory), self._base(stage, context))
        receipts.ledger.check(stage.name)
        check_handover(context, stage.name, receipts.ledger)
        check_counters(stage.name, receipts.ledger, counted)
        summary = {"numbers": receipts.numbers, "counters": counted, **stage.check(context, receipts)}
        storage.delete_tree(storage.join(directory, RECEIPTS))
        seconds = round(time.monotonic() - begin, 2)
        files, ledger = tuple(receipts.files), receipts.ledger.to_json()
        manifest = Manifest(
            name=stage.name,
            fingerprint=fingerprint,
            settings=settings,
            files=files,
            ledger=ledger,
            summary=summary,
            seconds=seconds,
            finished=timestamp(),
        )
        manifest.write(directory)
        self.observer.finished(stage.name, manifest)
        return manifest

    def _clear(self, stage: Stage[S], context: Context[S]) -> None:
        # Manifests go first, those of the data set and of all later stages: they would otherwise vouch for files that
        # are about to change.
        later = context.stages[context.stages.index(stage.name) :]
        directories = [self.output, *(context.directory(name) for name in later)]
        storage.delete_all([storage.join(directory, MANIFEST) for directory in directories])
        products = [storage.join(self.output, product) for product in self.recipe.products]
        storage.delete_all([*products, context.directory(stage.name)])

    def _finish(self, context: Context[S], fingerprint: str) -> None:
        found = read_manifest(self.output)
        settings = self.settings.model_dump(mode="json")
        same = found and (found.fingerprint, found.settings) == (fingerprint, settings)
        if found and same and not self._unwritten(found):
            return
        storage.delete_unfinished(self.output)
        into = [context.manifests[stage.name] for stage in self.recipe.stages if stage.into_output]
        files = [*(file for manifest in into for file in manifest.files), *write_documents(context, self.recipe)]
        # The time of the data, not of this file: other gates write it anew.
        finished = context.manifests[self.recipe.stages[-1].name].finished
        Manifest(self.recipe.name, fingerprint, settings, tuple(files), finished=finished).write(self.output)
        forget_frozen(self.settings, self.output)

    def _unwritten(self, found: Manifest) -> list[str]:
        """Returns the files of the data set to be written again. To its card somebody may have added something."""
        there = storage.exists(storage.join(self.output, CARD))
        return [path for path in missing_files(found, self.output) if path != CARD or not there]


def _not_done(stage: str, output: str) -> OutputError:
    return OutputError(f"stage {stage} in {output} is not done with these settings: run it first")


def _expected(context: Context[S]) -> int | None:
    if not context.manifests:
        return None
    return sum(context.handed_on(list(context.manifests)[-1]).values())


def remove_build(recipe: Recipe[S], output: str) -> None:
    """Deletes the files of a build of this recipe from a directory, and no other files."""
    stages = storage.join(output, "stages", "")
    below = [info.path for info in storage.list_files(stages)]
    # Manifests go first, as they vouch for the rest. The marker stays: it is the lock held during the deletion.
    storage.delete_all([storage.join(output, MANIFEST), *(path for path in below if path.endswith(f"/{MANIFEST}"))])
    names = {path.removeprefix(stages).split("/")[0] for path in below} - {MARKER.removeprefix("stages/")}
    storage.delete_all(
        [storage.join(output, name) for name in recipe.products]
        + [storage.join(stages, name) for name in sorted(names)]
    )


def check_output(recipe: Recipe[S], output: str) -> None:
    """Raises OutputError if a directory contains anything other than a build of this recipe."""
    marker = storage.join(output, MARKER)
    found = storage.read_existing(marker)
    if found is not None:
        other = found.decode("utf-8", "replace").strip()
        # The marker is empty if a build was killed before it wrote the name.
        if other not in ("", recipe.name):
            raise OutputError(f"{output} contains a build of recipe {other!r}: choose another --output")
    elif storage.list_files(output):
        raise OutputError(f"{output} is not empty and contains no build: choose another --output")


def check_not_current(output: str) -> None:
    """Raises OutputError if the directory is the complete current build: others read it, so it must not change."""
    manifest = read_manifest(output) if is_current(output) else None
    if manifest and not missing_products(manifest, output):
        raise OutputError(
            f"{output} is the current build; other inputs, settings or code would change it: choose another "
            "--output, or promote another build first"
        )


def check_handover(context: Context[S], stage: str, ledger: Ledger) -> None:
    """Raises BuildError unless a stage read, for each source, exactly what the previous stage handed on."""
    if not context.manifests:
        return
    before = list(context.manifests)[-1]
    kept = context.handed_on(before)
    read = {source: counts.read for source, counts in ledger.sources.items() if counts.read}
    if kept != read:
        raise BuildError(f"stage {stage} read {read}, but stage {before} handed on {kept}: nothing was published")


def check_counters(stage: str, ledger: Ledger, counted: dict[str, int]) -> None:
    """Raises BuildError if the runner counted fewer sentences than the ledger: some work ran uncounted."""
    total = ledger.total()
    for name, held in (("read", total.read), ("kept", total.kept)):
        if counted and counted.get(name, 0) < held:
            raise BuildError(f"stage {stage}: the runner counted {counted.get(name, 0):,} {name}, the ledger {held:,}")


def collect(receipts: list[JsonObject], base: str) -> Receipts:
    """Combines the receipts of a stage; makes the file paths relative to `base`."""
    ledger, files, numbers = Ledger(), [], dict[str, Counter[str]]()
    for one in receipts:
        ledger.add(Ledger.from_json(one["ledger"]))
        files += [{**file, "path": _relative(file["path"], base)} for file in one["files"]]
        for name in set(one) - {"bucket", "ledger", "files"}:
            numbers.setdefault(name, Counter()).update(one[name])
    files.sort(key=lambda file: file["path"])
    return Receipts(ledger, files, {name: dict(sorted(counts.items())) for name, counts in sorted(numbers.items())})


def _relative(path: str, base: str) -> str:
    return path.removeprefix(base.rstrip("/")).lstrip("/")

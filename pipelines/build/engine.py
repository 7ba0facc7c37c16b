"""Building: each stage without a valid manifest is run, checked and committed; the data set's manifest comes last."""

import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Generic, Protocol

import apache_beam as beam

from conceptloom import storage
from conceptloom.code import code_digest
from conceptloom.current import is_current
from conceptloom.errors import BuildError, ConfigError, OutputError
from conceptloom.json_values import JsonObject
from conceptloom.ledger import Ledger
from conceptloom.manifest import NAME as MANIFEST
from conceptloom.manifest import Manifest, digest, missing_files, read_manifest
from conceptloom.pipelines.build.context import Context, Receipts
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
    """Runs one stage's pipeline to its end; raises a ConceptloomError that names the stage when it fails."""

    def prepare(self, recipe: str, inputs: Sequence[str], output: str) -> None:
        """Called once, before the first stage and in a dry run: the recipe's name, the inputs' patterns, the output.

        Raises ConfigError that says everything that this runner misses; starts nothing. By default nothing is missed.
        """
        return

    def warning(self, input_bytes: int) -> str | None:
        """What a user should know before so much text is built by this runner; None where there is nothing."""
        return None

    def run(self, stage: str, construct: Construct) -> dict[str, int]:
        """`construct` takes a beam.Pipeline and adds the stage's transforms. Answers the counters that the runner kept.

        A runner without counters answers none; one that retried work may have counted it twice.
        """


class Observer:
    """Hears what a build does; this one says nothing."""

    def planned(self, plan: InputPlan) -> None:
        """The inputs were found."""

    def noted(self, note: str) -> None:
        """Something that the user should know before the first stage begins."""

    def reused(self, stage: str, manifest: Manifest) -> None:
        """A stage's output is there already."""

    def started(self, stage: str, sentences: int | None) -> None:
        """A stage begins; how many sentences it will read, where that is known."""

    def finished(self, stage: str, manifest: Manifest) -> None:
        """A stage is committed."""


@dataclass
class Build(Generic[S]):
    """One build of one recipe into one directory."""

    recipe: Recipe[S]
    settings: S
    output: str
    runner: Runner
    observer: Observer = field(default_factory=Observer)
    overwrite: bool = False

    def plan(self) -> InputPlan:
        """Checks runner, inputs and output, and writes nothing; raises ConfigError, InputError or OutputError."""
        self.runner.prepare(self.recipe.name, self.settings.files(), self.output)
        plan = plan_inputs(self.settings.inputs)
        check_output(self.recipe, self.output)
        return plan

    def run(self, only: str | None = None) -> Context[S]:
        """Runs what is not done yet (of stage `only`, where it is given) and answers what the stages left.

        A local directory is held for the time: a second build into it is refused. Object storage has no such lock.
        Raises ConfigError, BuildError, InputError or OutputError; what was committed stays, and the next run goes on
        from there.
        """
        self.settings = self.settings.settled()
        notes = self.recipe.check(self.settings, self.output)
        plan = self.plan()
        self.observer.planned(plan)
        warning = self.runner.warning(plan.bytes)
        for note in (*notes, *([f"warning: {warning}"] if warning else [])):
            self.observer.noted(note)
        # Absolute, because a task may run in another process's directory.
        output, stages = storage.absolute(self.output), tuple(stage.name for stage in self.recipe.stages)
        context = Context(self.settings, plan, output, stages)
        if only not in (None, stages[0]):
            if self.overwrite:
                raise ConfigError(f"--overwrite would delete what --only {only} goes on from: leave one of them out")
            if read_manifest(context.directory(stages[0])) is None:
                raise _not_done(stages[0], self.output)
        with storage.claim(storage.join(self.output, MARKER), f"{self.recipe.name}\n".encode()) as alone:
            if not alone:
                raise OutputError(
                    f"another build is running in {self.output}: wait until it has ended, or choose another --output"
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
        self._clear(stage, context)
        self.observer.started(stage.name, _expected(context))
        begin = time.monotonic()
        counted = self.runner.run(stage.name, lambda pipeline: stage.construct(context, pipeline))
        receipts = collect(read_receipts(directory), self._base(stage, context))
        receipts.ledger.check(stage.name)
        check_handover(context, stage.name, receipts.ledger)
        check_counters(stage.name, receipts.ledger, counted)
        summary = {"numbers": receipts.numbers, "counters": counted, **stage.check(context, receipts)}
        storage.delete_tree(storage.join(directory, RECEIPTS))
        seconds = round(time.monotonic() - begin, 2)
        files, ledger = tuple(receipts.files), receipts.ledger.to_json()
        manifest = Manifest(stage.name, fingerprint, settings, files, ledger, summary, seconds)
        manifest.write(directory)
        self.observer.finished(stage.name, manifest)
        return manifest

    def _clear(self, stage: Stage[S], context: Context[S]) -> None:
        # Manifests go first, the data set's and those of all that follows: from here on they would vouch for files
        # that are about to change.
        later = context.stages[context.stages.index(stage.name) :]
        directories = [self.output, *(context.directory(name) for name in later)]
        storage.delete_all([storage.join(directory, MANIFEST) for directory in directories])
        products = [storage.join(self.output, product) for product in self.recipe.products]
        storage.delete_all([*products, context.directory(stage.name)])

    def _finish(self, context: Context[S], fingerprint: str) -> None:
        found = read_manifest(self.output)
        documents = [storage.join(self.output, name) for name in self.recipe.products if "." in name]
        settings = self.settings.model_dump(mode="json")
        same = found and (found.fingerprint, found.settings) == (fingerprint, settings)
        if found and same and not missing_files(found, self.output) and all(map(storage.exists, documents)):
            return
        storage.delete_unfinished(self.output)
        write_documents(context, self.recipe)
        files = [
            file for stage in self.recipe.stages if stage.into_output for file in context.manifests[stage.name].files
        ]
        Manifest(self.recipe.name, fingerprint, settings, tuple(files)).write(self.output)


def _not_done(stage: str, output: str) -> OutputError:
    return OutputError(f"stage {stage} in {output} is not done with these settings: run it first")


def _expected(context: Context[S]) -> int | None:
    if not context.manifests:
        return None
    return sum(context.handed_on(list(context.manifests)[-1]).values())


def remove_build(recipe: Recipe[S], output: str) -> None:
    """Deletes what a build of this recipe left in a directory, and nothing else that may be there."""
    stages = storage.join(output, "stages", "")
    below = [info.path for info in storage.list_files(stages)]
    # Manifests go first, as they would vouch for the rest; the marker stays: whoever deletes a build holds it.
    storage.delete_all([storage.join(output, MANIFEST), *(path for path in below if path.endswith(f"/{MANIFEST}"))])
    names = {path.removeprefix(stages).split("/")[0] for path in below} - {MARKER.removeprefix("stages/")}
    storage.delete_all(
        [storage.join(output, name) for name in recipe.products]
        + [storage.join(stages, name) for name in sorted(names)]
    )


def check_output(recipe: Recipe[S], output: str) -> None:
    """Raises OutputError for a directory that holds something else than a build of this recipe."""
    marker = storage.join(output, MARKER)
    found = storage.read_existing(marker)
    if found is not None:
        other = found.decode("utf-8", "replace").strip()
        # One that was killed before its first word was nobody else's.
        if other not in ("", recipe.name):
            raise OutputError(f"{output} holds a build of recipe {other!r}: choose another --output")
    elif storage.list_files(output):
        raise OutputError(f"{output} is not empty and holds no build: choose another --output")


def check_not_current(output: str) -> None:
    """Raises OutputError for the whole build that `current` beside it points at: others read it, it is not changed."""
    manifest = read_manifest(output) if is_current(output) else None
    if manifest and not missing_files(manifest, output):
        raise OutputError(
            f"{output} is the current build and would be changed, by other inputs, settings or code: choose another "
            "--output, or promote another build first"
        )


def check_handover(context: Context[S], stage: str, ledger: Ledger) -> None:
    """Raises BuildError unless a stage read, of each source, what the stage before it handed on."""
    if not context.manifests:
        return
    before = list(context.manifests)[-1]
    kept = context.handed_on(before)
    read = {source: counts.read for source, counts in ledger.sources.items() if counts.read}
    if kept != read:
        raise BuildError(f"stage {stage} read {read}, stage {before} had handed on {kept}: nothing was published")


def check_counters(stage: str, ledger: Ledger, counted: dict[str, int]) -> None:
    """Raises BuildError where the runner counted fewer sentences than the ledger holds: something ran unseen."""
    for name in ("read", "kept"):
        held = sum(getattr(counts, name) for counts in ledger.sources.values())
        if counted and counted.get(name, 0) < held:
            raise BuildError(f"stage {stage}: the runner counted {counted.get(name, 0):,} {name}, the ledger {held:,}")


def collect(receipts: list[JsonObject], base: str) -> Receipts:
    """Puts the receipts of a stage together; the files' paths become relative to `base`."""
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

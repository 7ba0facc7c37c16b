"""The parts that the first stages of all recipes share: they read the inputs."""

from conceptloom import storage
from conceptloom.errors import BuildError
from conceptloom.json_values import JsonObject
from conceptloom.pipelines.build.context import Context, Receipts
from conceptloom.pipelines.build.settings import RecipeSettings, S
from conceptloom.tables import read_table
from conceptloom.tasks.ingest import malformed_rows


def reading_settings(settings: RecipeSettings) -> JsonObject:
    """Returns the settings that determine which sentences stage ingest reads, apart from the input files."""
    # Paths do not matter: the fingerprint of the inputs covers the names, sizes and times of the files.
    inputs = {name: one.model_dump(mode="json", exclude={"patterns"}) for name, one in settings.inputs.items()}
    return {"inputs": inputs, "limit": settings.limit, "seed": settings.seed}


def check_ingest(context: Context[S], receipts: Receipts) -> JsonObject:
    """Checks stage ingest: raises BuildError for too many malformed records, or if no sentence is left."""
    allowed = context.settings.malformed_allowed
    for source, malformed in receipts.numbers["malformed"].items():
        records = receipts.numbers["records"][source]
        if malformed > allowed * records:
            raise BuildError(
                f"input {source}: {malformed:,} of {records:,} records are malformed, more than "
                f"ingest.maximum_malformed = {allowed:g} allows; first: {_first_malformed(context, source)}"
            )
    if not any(counts.kept for counts in receipts.ledger.sources.values()):
        raise BuildError(f"no usable sentence: {_reasons(receipts)}; is this the right file, format and language?")
    return {}


def _first_malformed(context: Context[S], source: str) -> str:
    paths = [info.path for info in storage.list_files(context.directory(context.first)) if "rejected-" in info.path]
    rows = (row for path in paths for row in malformed_rows(read_table(path), source))
    return "; ".join(f"{place} ({detail})" for place, detail in sorted(rows)[:3])


def _reasons(receipts: Receipts) -> str:
    counts = receipts.ledger.sources.items()
    return "; ".join(
        f"source {source}: {one.read:,} read, rejected as "
        + ", ".join(f"{reason} {number:,}" for reason, number in one.rejected.most_common(4))
        for source, one in sorted(counts)
    )

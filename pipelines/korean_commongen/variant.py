"""Writing a variant of a built data set: the paper's ablations (section 6, appendices B.1 and C.1)."""

import json
from collections.abc import Callable
from functools import partial

import pyarrow as pa

from conceptloom import storage
from conceptloom.errors import ConfigError, InputError
from conceptloom.languages.korean.extract import concepts_of
from conceptloom.ledger import reject
from conceptloom.pipelines.build.recipe import VariantRequest, Variants
from conceptloom.pipelines.builds.finished import SPLITS, FinishedBuild
from conceptloom.schemas import DATA
from conceptloom.tables import write_table
from conceptloom.tasks.korean_commongen.publish import write_published
from conceptloom.variants import curriculum_rows, high_level_rows, reextracted_rows, source_rows

Change = Callable[[pa.Table], tuple[pa.Table, pa.Table]]
"""Maps the rows of a split to those of the variant and those left out (both of schema DATA)."""

KINDS = ("high-level", "source-only", "noun-verb", "free-morpheme", "curriculum")
NO_CONCEPTS = "no_concepts"
_TEXT = ["text" if name == "target" else name for name in DATA.names]


def make_change(kind: str, seed: int, source: str | None) -> Change:
    """Returns the change for a kind of variant; raises ConfigError for an unknown kind or a missing source."""
    if kind == "high-level":
        return lambda rows: (high_level_rows(rows, seed), DATA.empty_table())
    if kind == "curriculum":
        return lambda rows: (curriculum_rows(rows), DATA.empty_table())
    if kind == "source-only":
        if source is None:
            raise ConfigError("the variant source-only needs --source NAME")
        return lambda rows: (source_rows(rows, source), DATA.empty_table())
    if kind in ("noun-verb", "free-morpheme"):
        return lambda rows: reextracted_rows(rows, partial(concepts_of, rule=kind), seed)
    raise ConfigError(f"no variant is called {kind!r}; there are: {', '.join(KINDS)}")


def write_variant(build: FinishedBuild, request: VariantRequest) -> dict[str, tuple[int, int]]:
    """Writes the variant; returns the rows kept and left out for each split. Memory: one split.

    The variant has data/, published/ and rejected/ like a build, and variant.json, which names its origin.
    """
    kind, output, seed, source = request
    change = make_change(kind, seed, source)
    counts = {}
    for split in SPLITS:
        tables = list(build.tables(split))
        if tables:
            counts[split] = _write_split(output, split, *change(pa.concat_tables(tables).combine_chunks()))
    if not any(kept for kept, _ in counts.values()):
        raise InputError(f"{build.directory} has no row of source {source!r}: its report.json lists the sources")
    about = {"of": storage.join(build.directory, ""), "kind": kind, "seed": seed, "source": source}
    storage.write_bytes(storage.join(output, "variant.json"), (json.dumps(about, ensure_ascii=False) + "\n").encode())
    return counts


def _write_split(output: str, split: str, kept: pa.Table, empty: pa.Table) -> tuple[int, int]:
    name = f"{split}-00000-of-00001"
    # A split without rows gets no file: readers of whole folders fail on an empty one.
    if len(kept):
        write_table(storage.join(output, "data", f"{name}.parquet"), kept)
        write_published(output, name, kept, references=split != "train")
    if len(empty):
        rejected = reject(empty.rename_columns(_TEXT), "variant", NO_CONCEPTS, "")
        write_table(storage.join(output, "rejected", f"variant-{split}.parquet"), rejected)
    return len(kept), len(empty)


VARIANTS = Variants(KINDS, write_variant)

"""Writing a variant of a built data set: the paper's ablations (section 6, appendices B.1 and C.1)."""

import json
from collections.abc import Callable
from functools import partial

import pyarrow as pa

from conceptloom import storage
from conceptloom.data_set import CARD, SPLITS
from conceptloom.errors import ConfigError, InputError
from conceptloom.languages.korean.extract import concepts_of
from conceptloom.ledger import reject
from conceptloom.pipelines.build.card import BuiltFiles, variant_card
from conceptloom.pipelines.build.recipe import VariantRequest, Variants
from conceptloom.pipelines.builds.finished import FinishedBuild
from conceptloom.schemas import DATA
from conceptloom.statistics.examples import examples_of_data
from conceptloom.statistics.summary import block_statistics
from conceptloom.tables import write_table
from conceptloom.tasks.korean_commongen.publish import write_published
from conceptloom.variants import curriculum_rows, high_level_rows, reextracted_rows, source_rows

Change = Callable[[pa.Table], tuple[pa.Table, pa.Table]]
"""Maps the rows of a split to those of the variant and those left out (both of schema DATA)."""

ABOUT = {
    "high-level": "each set lacks one concept, drawn with seed {seed} (appendix B.1)",
    "source-only": "the rows of source {source} alone (section 6.2)",
    "noun-verb": "the sets are made again by rule `noun-verb`, and shuffled with seed {seed} (section 6.1)",
    "free-morpheme": "the sets are made again by rule `free-morpheme`, and shuffled with seed {seed} (section 6.1)",
    "curriculum": "train is in the order captions, dialogues (appendix C.1)",
}
"""What each kind changes, with the section of the paper."""
KINDS = tuple(ABOUT)
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
    """Writes the variant; returns the rows kept and left out for each split. Memory: the data set.

    The variant has data/, published/ and rejected/ like a build, a card, and variant.json, which names its origin.
    """
    kind, output, seed, source = request
    change = make_change(kind, seed, source)
    counts, blocks = {}, {}
    for split in SPLITS:
        tables = list(build.tables(split))
        if tables:
            kept, left_out = change(pa.concat_tables(tables).combine_chunks())
            counts[split] = _write_split(output, split, kept, left_out)
            blocks.update({split: examples_of_data(kept)} if len(kept) else {})
    if not blocks:
        raise InputError(f"{build.directory} has no row of source {source!r}: its report.json lists the sources")
    about = {"of": storage.join(build.directory, ""), "kind": kind, "seed": seed, "source": source}
    storage.write_bytes(storage.join(output, "variant.json"), (json.dumps(about, ensure_ascii=False) + "\n").encode())
    any_left_out = any(left_out for _, left_out in counts.values())
    storage.write_bytes(storage.join(output, CARD), _card(build, request, blocks, any_left_out).encode())
    return counts


def _card(build: FinishedBuild, request: VariantRequest, blocks: dict[str, pa.Table], any_left_out: bool) -> str:
    changed = ABOUT[request.kind].format(seed=request.seed, source=request.source)
    statistics = {split: column.to_json() for split, column in block_statistics(blocks).items()}
    files = BuiltFiles({"data", "published", *(["rejected"] if any_left_out else [])}, list(blocks))
    about = f"This is the variant `{request.kind}` of that data set: {changed}."
    return variant_card({**build.report, "statistics": statistics}, about, files, build.recipe.card)


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

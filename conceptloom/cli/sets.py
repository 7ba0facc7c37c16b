"""The commands `conceptloom concepts`, `stats` and `variant`, which work on concept sets."""

import json
import sys

import typer

from conceptloom.cli.beam import SETTINGS, beam_options
from conceptloom.errors import ConfigError


def add_commands(app: typer.Typer) -> None:
    """Adds this module's commands."""
    app.command()(concepts)
    app.command(context_settings=SETTINGS)(stats)
    app.command(context_settings=SETTINGS)(variant)


def concepts(
    language: str = typer.Option("ko", help="The language of the sentences; only ko is supported."),
    rule: str = typer.Option("published", help="The concept rule; `conceptloom rules` lists them."),
    tagger: str = typer.Option("mecab", help="The tagger; `conceptloom rules` lists them."),
) -> None:
    """Extracts concepts from sentences on standard input, one per line; prints JSON lines {"sentence", "concepts"}."""
    if language != "ko":
        raise ConfigError(f"no language is called {language!r}; there are: ko")
    from conceptloom.languages.korean.extract import concept_sets

    sys.stdin.reconfigure(encoding="utf-8", errors="replace")  # type: ignore[union-attr]
    for sentence, found in concept_sets((line.rstrip("\r\n") for line in sys.stdin), rule, tagger):
        print(json.dumps({"sentence": sentence, "concepts": found}, ensure_ascii=False))


def stats(
    context: typer.Context,
    train: list[str] = typer.Option(..., "--train", help="A train file as FILE or NAME=FILE; may be repeated."),
    validation: str | None = typer.Option(None, "--validation", help="A validation file in a published format."),
    test: str | None = typer.Option(None, "--test", help="A test file in a published format."),
    table: str = typer.Option("korean-commongen", help="The table: korean-commongen, or commongen (without --test)."),
    additional: bool = typer.Option(True, help="Tag extra references to count their additional morphemes."),
    as_json: bool = typer.Option(False, "--json", help="Print the result as JSON."),
) -> None:
    """Prints a paper's statistics table for a data set in a published format (JSON lines, text or Parquet).

    Arguments after -- are passed to Beam as pipeline options, such as --no_auth for public gs:// paths.
    """
    beam_options(context)
    from conceptloom.statistics.files import load_examples
    from conceptloom.statistics.tables import TABLES

    make = TABLES[table].make
    rows = [row for argument in train for row in load_examples(argument)]
    held = {name: load_examples(file) for name, file in (("validation", validation), ("test", test)) if file}
    found = make(rows, held, additional)
    print(json.dumps(found.values, ensure_ascii=False, indent=1) if as_json else found.text)


def variant(
    context: typer.Context,
    directory: str = typer.Argument(help="The directory of a finished build, local or gs://."),
    kind: str = typer.Option(..., "--kind", help="high-level, source-only, noun-verb, free-morpheme or curriculum."),
    output: str = typer.Option(..., "--output", help="The directory for the variant, which must not exist yet."),
    seed: int = typer.Option(42, help="The random seed of the kind high-level; the paper uses 42, 52, 62, 72 and 82."),
    source: str | None = typer.Option(None, help="The source to keep, for the kind source-only."),
) -> None:
    """Writes an ablation of a build: its sentences with other concept sets, or a subset of its sentences.

    Arguments after -- are passed to Beam as pipeline options, such as --no_auth for public gs:// paths.
    """
    beam_options(context)
    from conceptloom.pipelines import VariantRequest
    from conceptloom.pipelines.builds.variant import write_variant

    counts = write_variant(directory, VariantRequest(kind, output, seed, source))
    for split, (kept, left_out) in counts.items():
        print(f"{split:<11}{kept:>9,} rows" + (f", {left_out:,} left out (see rejected/)" if left_out else ""))
    print(f"variant {kind}: {output}")

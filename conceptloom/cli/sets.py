"""The commands `conceptloom concepts`, `stats` and `variant`, which work on concept sets."""

import json
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

import typer

from conceptloom.cli.beam import SETTINGS, beam_options
from conceptloom.errors import ConfigError, UsageError

if TYPE_CHECKING:
    from conceptloom.statistics.tables import Shown


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

    for sentence, found in concept_sets(_lines(), rule, tagger):
        print(json.dumps({"sentence": sentence, "concepts": found}, ensure_ascii=False))


def _lines() -> Iterator[str]:
    """Yields the lines of standard input without their ends; says at the end how many of them are not UTF-8."""
    wrong = []
    for number, line in enumerate(sys.stdin.buffer, 1):
        try:
            yield line.decode().rstrip("\r\n")
        except UnicodeDecodeError:
            wrong.append(number)
            yield line.decode(errors="replace").rstrip("\r\n")
    if wrong:
        print(
            f"warning: {len(wrong):,} of {number:,} lines are not UTF-8, the first is line {wrong[0]:,}; what could "
            "not be read is \ufffd: convert the input first, as with iconv -f cp949 -t utf-8",
            file=sys.stderr,
        )


def stats(
    context: typer.Context,
    directory: str | None = typer.Argument(None, help="The directory of a finished build, instead of files."),
    train: list[str] = typer.Option([], "--train", help="A train file as FILE or NAME=FILE; may be repeated."),
    validation: str | None = typer.Option(None, "--validation", help="A validation file in a published format."),
    test: str | None = typer.Option(None, "--test", help="A test file in a published format."),
    table: str | None = typer.Option(
        None, help="The table: korean-commongen (default), or commongen (without --test); of a build: its recipe's."
    ),
    additional: bool = typer.Option(True, help="Tag extra references to count their additional morphemes."),
    as_json: bool = typer.Option(False, "--json", help="Print the result as JSON."),
) -> None:
    """Prints a paper's statistics table for a build, or a data set in a published format (JSON lines, text, Parquet).

    Arguments after -- are passed to Beam as pipeline options, such as --no_auth for public gs:// paths.
    """
    held = {name: file for name, file in (("validation", validation), ("test", test)) if file}
    if directory and directory.startswith("--"):
        # Without a directory, the first of Beam's options is taken for it.
        context.args.insert(0, directory)
        directory = None
    beam_options(context, "give the directory of a build, or files as --train FILE")
    if (directory is None) == (not train) or (directory and held):
        raise UsageError("give either the directory of a build, or files as --train FILE")
    found = _of_build(directory, table, additional) if directory else _of_files(train, held, table, additional)
    print(json.dumps(found.values, ensure_ascii=False, indent=1) if as_json else found.text)


def _of_build(directory: str, table: str | None, additional: bool) -> "Shown":
    from conceptloom.pipelines.builds.statistics import build_statistics  # imports Beam too

    return build_statistics(directory, table, additional)


def _of_files(train: list[str], held: dict[str, str], table: str | None, additional: bool) -> "Shown":
    from conceptloom.statistics.tables import TABLES

    chosen = TABLES[table or "korean-commongen"]
    rows = [row for argument in train for row in chosen.load(argument)]
    return chosen.make(rows, {name: chosen.load(file) for name, file in held.items()}, additional)


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

"""`conceptloom annotation` and `conceptloom adequacy`: references written by people."""

from collections.abc import Sequence

import typer

from conceptloom.cli.printing import print_json
from conceptloom.cli.replacing import replace
from conceptloom.json_values import JsonObject

_FILES = "Parquet files of a build's data/, a published format, or parallel text by its *src.txt; each may hold *."

_DEVICE = typer.Option("cpu", "--device", help="Where a model runs: cpu, cuda or cuda:N.")


def add_commands(app: typer.Typer) -> None:
    """Adds this module's commands."""
    group = typer.Typer(
        help="Tasks for people who write references, and their answers.", no_args_is_help=True, rich_markup_mode=None
    )
    group.command("export")(export)
    group.command("import")(import_)
    group.command("replace")(replace)
    group.command("order")(order)
    app.add_typer(group, name="annotation")
    app.command()(adequacy)


def export(
    files: list[str] = typer.Argument(help=_FILES),
    output: str = typer.Option(..., "--output", help="The directory of tasks.jsonl and tasks.csv."),
    show_inspiration: bool = typer.Option(
        False, "--show-inspiration", help="Show the sentences of each set; by default they are omitted."
    ),
    references: int = typer.Option(1, min=1, help="The number of rows of tasks.csv for each set."),
    seed: int = typer.Option(42, help="The seed of the order in which the concepts of a set are shown."),
) -> None:
    """Writes a task for each distinct concept set, with empty columns for sentence, rationale and worker.

    The csv is UTF-8 with a byte-order mark, for Excel; in Python: open(PATH, encoding="utf-8-sig", newline="").
    """
    from conceptloom.annotation import make_tasks, write_tasks
    from conceptloom.statistics.files import load_examples

    examples = [example for pattern in files for example in load_examples(pattern)]
    tasks = make_tasks(examples, seed, show_inspiration=show_inspiration)
    paths = write_tasks(output, tasks, [references] * len(tasks))
    print(f"{len(tasks):,} tasks, {len(tasks) * references:,} references to be written: {', '.join(paths)}")
    print(
        'tasks.csv is UTF-8 with a byte-order mark, for Excel; in Python: open(PATH, encoding="utf-8-sig", newline="")'
    )


def import_(
    files: list[str] = typer.Argument(help="Filled files: csv, tsv, JSON lines or a JSON array; each may hold *."),
    tasks: str = typer.Option(
        ..., "--tasks", help="The tasks.jsonl of the export, or the file in a build's annotation/."
    ),
    output: str = typer.Option(..., "--output", help="The directory of the result; it must be new."),
    columns: list[str] = typer.Option(
        [], "--column", help="NAME=COLUMN, if a column (id, sentence, rationale, worker) has another name."
    ),
    references: int = typer.Option(1, min=1, help="References wanted for each set; sets with fewer go to open.*."),
    min_coverage: float | None = typer.Option(1.0, help="The least share of the concepts in the sentence."),
    min_rationale: int | None = typer.Option(None, min=0, help="The least number of words of the rationale."),
    max_perplexity: float | None = typer.Option(
        None, min=1, help="The highest perplexity of the sentence; needs --perplexity."
    ),
    worker_coverage: float | None = typer.Option(None, help="The least mean coverage of a worker's answers."),
    worker_rationale: float | None = typer.Option(None, min=0, help="The least mean length of a worker's rationales."),
    worker_perplexity: float | None = typer.Option(
        None, min=1, help="The highest median perplexity of a worker's answers."
    ),
    worker_answers: int = typer.Option(1, min=1, help="Limits on workers need at least this many answers."),
    perplexity: str | None = typer.Option(
        None, help="A table id,perplexity (ids are the sentence_id of answers.jsonl), or transformers:PATH."
    ),
    device: str = _DEVICE,
    encoding: str | None = typer.Option(None, help="The encoding of the filled files, such as cp1252; default: found."),
    as_json: bool = typer.Option(False, "--json", help="Print the report as JSON."),
) -> None:
    """Reads filled files, applies the limits to answers and workers, and writes the accepted references."""
    from conceptloom.annotation import Limits
    from conceptloom.annotation.importing import Import, import_answers

    chosen = Import(
        tasks,
        tuple(columns),
        references,
        single=Limits(min_coverage, min_rationale, max_perplexity),
        workers=Limits(worker_coverage, worker_rationale, worker_perplexity),
        worker_answers=worker_answers,
        perplexity=perplexity,
        device=device,
        encoding=encoding,
    )
    report = import_answers(files, chosen, output)
    if as_json:
        print_json(report)
    else:
        _show_import(report, output)


def order(
    files: list[str] = typer.Argument(help=_FILES),
    as_json: bool = typer.Option(False, "--json", help="Print JSON."),
) -> None:
    """The permutation check: Spearman's rho between the order of concepts in a set and in its references."""
    from conceptloom.annotation import check_order
    from conceptloom.statistics.files import load_examples

    found = check_order(example for pattern in files for example in load_examples(pattern)).to_json()
    if as_json:
        print_json(found)
    else:
        print("\n".join(_order_lines(found)))


def adequacy(
    files: list[str] = typer.Argument(help=_FILES),
    encoder: str = typer.Option("tfidf", help="tfidf, or transformers:PATH (the directory of a sentence encoder)."),
    device: str = _DEVICE,
    corpus: list[str] = typer.Option([], "--corpus", help="Files for the frequencies of words; default: FILES."),
    least: int = typer.Option(2, min=2, help="Use only sets with at least this many references."),
    most: int = typer.Option(8, min=2, help="The largest number of references to compare."),
    draws: int = typer.Option(20, min=1, help="How often the order of a set's references is drawn."),
    seed: int = typer.Option(42, help="The seed of the draws."),
    as_json: bool = typer.Option(False, "--json", help="Print JSON."),
) -> None:
    """Computes how similar the references of a set are as their number grows; once it is stable, there are enough."""
    from conceptloom.annotation.adequacy import agreement_by_references, grouped_references
    from conceptloom.annotation.encoders import describe, make_encoder
    from conceptloom.statistics.files import load_examples

    groups = grouped_references(example for pattern in files for example in load_examples(pattern))
    known = [text for pattern in corpus for example in load_examples(pattern) for text in example.sentences]
    known = known or [text for group in groups for text in group]
    scorer = make_encoder(encoder, known, device)
    found = agreement_by_references(groups, scorer, least=least, most=most, draws=draws, seed=seed)
    name = describe(encoder, len(known))
    if as_json:
        rows = [agreement.to_json() for agreement in found]
        print_json({"encoder": name, "signature": scorer.signature(), "draws": draws, "seed": seed, "agreement": rows})
        return
    print(f"encoder    {name}")
    _table(
        ("references", "sets", "median", "deviation"),
        [
            (str(one.references), f"{one.sets:,}", f"{one.median:.4f}", f"{one.deviation:.4f}")
            for one in found
        ],
    )  # fmt: skip


def _show_import(report: JsonObject, output: str) -> None:
    answers, sets = report["answers"], report["sets"]
    print(f"answers   {answers['read']:,} read, {answers['taken']:,} taken")
    for reason, count in answers["rejected"].items():
        print(f"  {count:>7,}  {reason}")
    print(f"sets      {sets['with_references']:,} of {sets['tasks']:,} have references")
    if sets["open"]:
        print(f"          {sets['open']:,} want {sets['references_wanted']:,} more: see open.csv")
    rows = [
        (name, f"{one['answers']:,}", f"{one['taken']:,}", f"{one['coverage']:.2f}", f"{one['rationale']:.1f}",
         "-" if one["perplexity"] is None else f"{one['perplexity']:.1f}", one["reason"])
        for name, one in report["workers"].items()
    ]  # fmt: skip
    _table(("worker", "answers", "taken", "coverage", "rationale", "perplexity", "distrusted for"), rows)
    print("\n".join([*_order_lines(report["order"]), f"result    {output}"]))


def _order_lines(found: JsonObject) -> list[str]:
    mean = "-" if found["mean_spearman"] is None else f"{found['mean_spearman']:.4f}"
    return [
        f"compared  {found['compared']:,} of {found['references']:,} references (those with all concepts)",
        f"spearman  {mean} on average",
        f"changed   {found['changed_percent']:.2f} %; {found['changed_percent_by_chance']:.2f} % by chance",
    ]


def _table(header: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> None:
    from conceptloom.statistics.text_table import aligned

    print(aligned([header, *rows]))

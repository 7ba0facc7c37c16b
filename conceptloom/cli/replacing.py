"""`conceptloom annotation replace`: other sets for those of dev and test that found too few references."""

import typer

from conceptloom.cli.printing import print_json
from conceptloom.json_values import JsonObject


def replace(
    build: str = typer.Argument(help="The build whose dev and test sets people wrote references for."),
    results: list[str] = typer.Option([], "--result", help="A directory that `annotation import` wrote."),
    output: str = typer.Option(..., "--output", help="The directory of the new tasks and the record; it must be new."),
    least: int = typer.Option(1, min=1, help="Replace a set with fewer accepted references than this."),
    rejections: int = typer.Option(
        1, min=0, help="And with at least so many rejected answers; 0: also a set that nobody answered."
    ),
    reviewed: str | None = typer.Option(
        None, help="A file with a set a line, by id or as a#b#c, that reviewers reject in any case."
    ),
    train: str = typer.Option(
        "keep", help="keep: only candidates that train need not give way to; yield: the next best, train gives way."
    ),
    earlier: list[str] = typer.Option([], "--earlier", help="The --output of an earlier replacement, in their order."),
    references: int = typer.Option(1, min=1, help="The number of rows of the csv for each new set."),
    seed: int = typer.Option(42, help="The seed of the order in which the concepts of a set are shown."),
    as_json: bool = typer.Option(False, "--json", help="Print the report as JSON."),
) -> None:
    """Replaces dev and test sets that have too few accepted references by the next candidates of the same size."""
    from conceptloom.annotation.replacements import Replacing, replace_sets

    chosen = Replacing(tuple(results), reviewed, tuple(earlier), least, rejections, train, references, seed)
    report = replace_sets(build, chosen, output)
    if as_json:
        print_json(report)
    else:
        _show(report, output)


def _show(report: JsonObject, output: str) -> None:
    for split, failed in report["failed"].items():
        print(f"{split:<11}{failed:,} of {report['sets'][split]:,} sets are to be replaced")
    print(f"replaced   {report['replaced']:,}, by the next candidates of their size")
    if without := report["without_candidate"]:
        cure = "; --train yield has more" if report["settings"]["train"] == "keep" else ""
        print(f"left       {len(without):,}, for which there is no candidate{cure}")
    leaving = report["leaving_train"]
    reasons = ", ".join(f"{reason} {count:,}" for reason, count in leaving.items())
    print(f"train      gives up {sum(leaving.values()):,} of {report['sets']['train']:,} sets {reasons}".rstrip())
    print(f"result     {output}")

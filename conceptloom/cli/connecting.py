"""`conceptloom conceptnet`: how ConceptNet connects the concepts of sets."""

from collections import Counter
from typing import Any

import typer

from conceptloom.cli.printing import print_json
from conceptloom.errors import InputError


def add_commands(app: typer.Typer) -> None:
    """Adds this module's commands."""
    app.command()(conceptnet)


def conceptnet(
    files: list[str] = typer.Argument(
        help="Parquet files of a build's data/, a published format, or parallel text by its *src.txt."
    ),
    graph: str = typer.Option(..., "--graph", help="ConceptNet's assertions (csv, gz), or triples."),
    size: int = typer.Option(5, min=2, help="The size of the sets that are analysed."),
    language: str = typer.Option("en", help="The language of the concepts."),
    as_json: bool = typer.Option(False, "--json", help="Print JSON."),
) -> None:
    """How many pairs of a set's concepts one edge or two connect, and by which kinds of relations."""
    from conceptloom.conceptnet import connectivity, read_graph
    from conceptloom.conceptnet.graph import uri_of
    from conceptloom.statistics.files import load_examples

    every = {tuple(sorted(example.concepts)) for pattern in files for example in load_examples(pattern)}
    sets = sorted(each for each in every if len(each) == size)
    if not sets:
        found = ", ".join(f"{count:,} of size {other}" for other, count in sorted(Counter(map(len, every)).items()))
        raise InputError(f"{', '.join(files)}: no set has {size} concepts; there are {found}; choose with --size")
    read = read_graph(graph, language)
    concepts = sorted({concept for each in sets for concept in each})
    known = int((read.places([uri_of(concept, language) for concept in concepts]) >= 0).sum())
    analysis = _to_json(connectivity(read, sets, language), len(sets), size)
    analysis |= {"concepts": len(concepts), "concepts_in_graph": known}
    if as_json:
        print_json(analysis)
    else:
        _show(analysis)


def _to_json(found: Any, sets: int, size: int) -> dict[str, Any]:
    shares = found.shares()
    return {
        "sets": sets,
        "size": size,
        "pairs_per_set": size * (size - 1) // 2,
        "one_hop": list(found.one_hop),
        "two_hops": list(found.two_hops),
        "links": found.links,
        "paths": found.paths,
        "relations_percent": {
            name: {"one_hop": round(one, 2), "two_hops": round(two, 2)} for name, (one, two) in shares.items()
        },
    }


def _show(found: dict[str, Any]) -> None:
    from conceptloom.statistics.text_table import aligned

    sets = found["sets"]
    print(f"sets      {sets:,} of {found['size']} concepts, {found['pairs_per_set']} pairs each")
    print(f"concepts  {found['concepts']:,}, {found['concepts_in_graph']:,} of them in the graph")
    print(f"links     {found['links']:,} edges between two concepts of a set, {found['paths']:,} paths of two edges\n")
    rows = [
        (str(pairs), f"{100 * one / sets:.1f}", f"{100 * two / sets:.1f}")
        for pairs, (one, two) in enumerate(zip(found["one_hop"], found["two_hops"], strict=True))
    ]
    print(aligned([("connected pairs, % of sets", "one hop", "two hops"), *rows]))
    shares = found["relations_percent"].items()
    rows = [(name, f"{one['one_hop']:.2f}", f"{one['two_hops']:.2f}") for name, one in shares]
    print("\n" + aligned([("relations, %", "one hop", "two hops"), *rows]))

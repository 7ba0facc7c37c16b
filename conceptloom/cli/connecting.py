"""`conceptloom conceptnet`: how ConceptNet connects the concepts of sets."""

from typing import TYPE_CHECKING

import typer

from conceptloom.cli.printing import print_json
from conceptloom.errors import InputError
from conceptloom.json_values import JsonObject

if TYPE_CHECKING:
    from conceptloom.conceptnet import Connectivity, RelationCounts


def add_commands(app: typer.Typer) -> None:
    """Adds this module's commands."""
    app.command()(conceptnet)


def conceptnet(
    files: list[str] = typer.Argument(
        help="Parquet files of a build's data/, a published format, or parallel text by its *src.txt."
    ),
    graph: str = typer.Option(..., "--graph", help="ConceptNet's assertions (csv, gz), or triples."),
    size: int = typer.Option(5, min=2, help="The size of the sets to analyse."),
    language: str = typer.Option("en", help="The language of the concepts."),
    all_sizes: bool = typer.Option(
        False, "--all-sizes", help="Count relations in the sets of every size, as the paper does; pairs as --size says."
    ),
    as_json: bool = typer.Option(False, "--json", help="Print JSON."),
) -> None:
    """Counts the pairs of a set's concepts that one or two edges connect, by kind of relation and by relation."""
    from conceptloom.conceptnet import connectivity, read_graph
    from conceptloom.conceptnet.graph import uri_of
    from conceptloom.statistics.files import load_examples

    every = {tuple(sorted(example.concepts)) for pattern in files for example in load_examples(pattern)}
    by_size = {width: [each for each in sorted(every) if len(each) == width] for width in sorted(set(map(len, every)))}
    if size not in by_size:
        found = ", ".join(f"{len(sets):,} of size {other}" for other, sets in by_size.items())
        raise InputError(f"{', '.join(files)}: no set has {size} concepts; there are {found}; choose with --size")
    read = read_graph(graph, language)
    chosen = connectivity(read, by_size[size], language)
    counted = chosen.relations
    for width in by_size.keys() - {0, 1, size} if all_sizes else ():
        counted += connectivity(read, by_size[width], language).relations
    concepts = sorted({concept for each in by_size[size] for concept in each})
    known = int((read.places([uri_of(concept, language) for concept in concepts]) >= 0).sum())
    analysis = _to_json(chosen, len(by_size[size]), size) | _relations(counted)
    analysis |= {"relations_of": "all sizes" if all_sizes else f"size {size}"}
    analysis |= {"concepts": len(concepts), "concepts_in_graph": known}
    if as_json:
        print_json(analysis)
    else:
        _show(analysis)


def _to_json(found: "Connectivity", sets: int, size: int) -> JsonObject:
    return {
        "sets": sets,
        "size": size,
        "pairs_per_set": size * (size - 1) // 2,
        "one_hop": list(found.one_hop),
        "two_hops": list(found.two_hops),
        "links": found.relations.links,
        "paths": found.relations.paths,
    }


def _relations(found: "RelationCounts") -> JsonObject:
    from conceptloom.conceptnet.relations import CATEGORY_OF

    return {
        "relations_percent": {
            name: {"one_hop": round(one, 2), "two_hops": round(two, 2)}
            for name, (one, two) in found.categories().items()
        },
        "single_relations": {
            name: {
                "category": CATEGORY_OF.get(name),
                "links": found.link_edges[name],
                "path_edges": found.path_edges[name],
                "one_hop_percent": round(one, 2),
                "two_hops_percent": round(two, 2),
            }
            for name, (one, two) in found.shares().items()
        },
    }


def _show(found: JsonObject) -> None:
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
    print("\n" + aligned([(f"relations, {found['relations_of']}, %", "one hop", "two hops"), *rows]))
    rows = [
        (name, f"{one['one_hop_percent']:.2f}", f"{one['two_hops_percent']:.2f}", one["category"] or "-")
        for name, one in found["single_relations"].items()
    ]
    print("\n" + aligned([("each relation, %", "one hop", "two hops", "category"), *rows]))

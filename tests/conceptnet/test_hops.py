"""How concepts are connected, against counting paths one by one."""

from collections import Counter
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conceptloom.conceptnet import CATEGORIES, Connectivity, Graph, RelationCounts, connectivity, read_graph
from conceptloom.errors import ConfigError
from conceptloom.readers.published import read_examples

Edge = tuple[str, str, str]
DATA = Path(__file__).parents[2].parent / "shared" / "data" / "en"
RELATIONS = ["AtLocation", "UsedFor", "HasA", "MannerOf", "HasSubevent", "IsA", "Antonym"]
CONCEPTS = ["a", "b", "c", "d", "e", "f", "two words", "g h"]
EDGES = st.lists(
    st.tuples(st.sampled_from(RELATIONS), st.sampled_from(CONCEPTS), st.sampled_from(CONCEPTS)), min_size=1, max_size=40
)
SETS = st.integers(2, 5).flatmap(
    lambda size: st.lists(
        st.lists(st.sampled_from([*CONCEPTS, "absent"]), min_size=size, max_size=size), min_size=1, max_size=5
    )
)


def brute_force(edges: set[Edge], sets: list[list[str]]) -> Connectivity:
    width = len(list(combinations(sets[0], 2))) + 1
    one, two = Counter(), Counter()
    links, path_edges = Counter(), Counter()
    touching: dict[str, list[tuple[str, str]]] = {}
    for relation, start, end in edges:
        if start != end:
            touching.setdefault(start, []).append((relation, end))
            touching.setdefault(end, []).append((relation, start))
    for each in sets:
        connected = [0, 0]
        for left, right in combinations(each, 2):
            direct = [relation for relation, other in touching.get(left, []) if other == right and left != right]
            over = [
                (first, second)
                for first, middle in touching.get(left, [])
                for second, other in touching.get(middle, [])
                if other == right and left != right
            ]
            connected[0] += bool(direct)
            connected[1] += bool(over)
            links.update(direct)
            path_edges.update(relation for path in over for relation in path)
        one[connected[0]] += 1
        two[connected[1]] += 1
    return Connectivity(
        tuple(one[at] for at in range(width)),
        tuple(two[at] for at in range(width)),
        RelationCounts(
            {name: links[name] for name in links.keys() | path_edges.keys()},
            {name: path_edges[name] for name in links.keys() | path_edges.keys()},
        ),
    )


def graph_of(tmp_path_factory: pytest.TempPathFactory, edges: list[Edge]) -> Graph:
    path = tmp_path_factory.mktemp("edges") / "a.tsv"
    path.write_text("".join("\t".join(edge) + "\n" for edge in edges))
    return read_graph(str(path))


@settings(deadline=None)
@given(EDGES, SETS)
def test_it_is_what_counting_each_path_gives(tmp_path_factory, edges: list[Edge], sets: list[list[str]]) -> None:
    assert connectivity(graph_of(tmp_path_factory, edges), sets) == brute_force(set(edges), sets)


@settings(deadline=None)
@given(EDGES, SETS, SETS)
def test_shares_of_relations_and_categories(
    tmp_path_factory, edges: list[Edge], sets: list[list[str]], others: list[list[str]]
) -> None:
    """Every edge counted alone: of the links, those that have a category; of the paths, twice as many as there are."""
    graph = graph_of(tmp_path_factory, edges)
    found = connectivity(graph, sets).relations + connectivity(graph, others).relations
    one, two = [], []
    for left, right in (pair for each in (*sets, *others) for pair in combinations(each, 2) if len(set(pair)) == 2):
        joining = [(name, {start, end}) for name, start, end in set(edges) if start != end]
        one += [name for name, ends in joining if ends == {left, right}]
        for name, ends in joining:
            for other, more in joining:
                # The middle is what both edges share, beside the pair's two concepts.
                if left in ends and right in more and ends - {left} == more - {right} != {right}:
                    two += [name, other]
    categorised = [name for name in one if any(name in names for names in CATEGORIES.values())]
    shares = {
        name: (100 * one.count(name) / max(1, len(categorised)), 100 * two.count(name) / max(1, len(two) // 2))
        for name in {*one, *two}
    }
    assert found.shares().keys() == shares.keys()
    assert all(found.shares()[name] == pytest.approx(expected) for name, expected in shares.items())
    assert list(found.shares()) == sorted(shares, key=lambda name: (-one.count(name), -two.count(name), name))
    assert sum(share for _, share in found.shares().values()) == pytest.approx(200 if two else 0)
    for category, names in CATEGORIES.items():
        expected = [sum(shares.get(name, (0, 0))[hop] for name in names) for hop in (0, 1)]
        assert found.categories()[category] == pytest.approx(expected)


@pytest.mark.skipif(not DATA.is_dir(), reason="the real data is not in ../shared/data")
@pytest.mark.slow
def test_real_sets_on_a_real_graph() -> None:
    triples = DATA / "conceptnet/conceptnet100k_train.tsv"
    examples = read_examples(str(DATA / "commongen/commongen.dev.jsonl"))
    sets = [[concept[:-2] for concept in example.concepts] for example in examples if len(example.concepts) == 5]
    lines = triples.read_text("utf-8").replace("_", " ").split("\n")
    expected = brute_force({tuple(line.split("\t")) for line in lines if line}, sets)  # type: ignore[misc]
    found = connectivity(read_graph(str(triples)), sets)
    assert (found, sum(found.one_hop), len(found.two_hops)) == (expected, 250, 11)
    relations = found.relations
    assert relations.paths > 0 and sum(share for share, _ in relations.categories().values()) == pytest.approx(100)
    assert sum(share for _, share in relations.categories().values()) < 200
    assert list(relations.shares())[:2] == ["UsedFor", "AtLocation"]


def test_two_hops_may_pass_through_several_words_and_any_relation(tmp_path) -> None:
    path = tmp_path / "a.tsv"
    path.write_text("IsA\tguide dog\tdog\nAntonym\tguide dog\tcat\nAtLocation\tdog\tcat\n")
    found = connectivity(read_graph(str(path)), [["dog", "cat"]])
    assert (found.one_hop, found.two_hops, found.relations.links, found.relations.paths) == ((0, 1), (0, 1), 1, 1)
    shares = found.relations.categories()
    assert shares["spatial"] == (100, 0) and shares["general"] == (0, 100)


def test_sets_of_several_sizes_are_refused(tmp_path) -> None:
    path = tmp_path / "a.tsv"
    path.write_text("IsA\ta\tb\n")
    for sets in ([["a", "b"], ["a", "b", "c"]], []):
        with pytest.raises(ValueError, match="no sets, or sets of several sizes"):
            connectivity(read_graph(str(path)), sets)


def test_what_is_missing_is_said(tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.tsv"
    path.write_text("IsA\ta\tb\n")
    monkeypatch.setitem(__import__("sys").modules, "scipy", None)
    with pytest.raises(ConfigError, match=r"conceptloom\[conceptnet\]"):
        connectivity(read_graph(str(path)), [["a", "b"]])

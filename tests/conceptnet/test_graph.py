"""Reading ConceptNet's files and holding their edges, against plain Python."""

import gzip
import json
import tracemalloc
from collections.abc import Iterator

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conceptloom.conceptnet import build_graph, edge_blocks, graph, read_graph, read_vocabulary
from conceptloom.conceptnet.graph import EdgeBlock, Graph, uri_of
from conceptloom.errors import InputError
from conceptloom.hashing import string_hashes

NAMES = ["dog", "guide dog", "run", "café", "'s", 'a "b']
RELATIONS = ["IsA", "AtLocation", "NotDesires"]
EDGES = st.lists(st.tuples(st.sampled_from(RELATIONS), st.sampled_from(NAMES), st.sampled_from(NAMES)), min_size=1)
Edge = tuple[str, str, str]


def edges_of(held: Graph, names: list[str]) -> set[Edge]:
    """What a graph holds, read back through the names that it was made of."""
    place = {int(at): name for name, at in zip(names, held.places([uri_of(name) for name in names]))}
    starts = [at for at in range(len(held.nodes)) for _ in range(held.offsets[at], held.offsets[at + 1])]
    rows = zip(starts, held.relations.tolist(), held.ends.tolist(), strict=True)
    return {(held.names[relation], place[start], place[end]) for start, relation, end in rows}


def assertion(edge: Edge, sense: str = "", language: str = "en") -> str:
    start, end = uri_of(edge[1], language) + sense, uri_of(edge[2], language)
    more = json.dumps({"surfaceText": 'a "[[quoted]]" text', "weight": 1.0})
    return f"/a/[/r/{edge[0]}/,{start}/,{end}/]\t/r/{edge[0]}\t{start}\t{end}\t{more}\n"


@settings(deadline=None, max_examples=40)
@given(EDGES, st.booleans(), st.booleans())
def test_triples_are_held_as_distinct_edges(tmp_path_factory, edges: list[Edge], scored: bool, packed: bool) -> None:
    path = tmp_path_factory.mktemp("triples") / "a"
    content = "".join("\t".join((*edge, "1.5")[: 4 if scored else 3]) + "\n" for edge in edges).encode()
    path.write_bytes(gzip.compress(content) if packed else content)
    held = read_graph(str(path))
    assert edges_of(held, NAMES) == set(edges)
    assert len(held.ends) == len(set(edges)) and (held.nodes[1:] > held.nodes[:-1]).all()
    assert list(held.names) == sorted({edge[0] for edge in edges})


@settings(deadline=None, max_examples=40)
@given(EDGES, st.sampled_from(["", "/n", "/v/wn/body"]), st.booleans())
def test_assertions_are_read_without_senses(tmp_path_factory, edges: list[Edge], sense: str, packed: bool) -> None:
    path = tmp_path_factory.mktemp("assertions") / "a.csv"
    foreign = assertion(("IsA", "犬", "犬"), language="ja")
    link = assertion(edges[0]).replace("/c/en/", "http://dbpedia.org/", 2)
    mixed = assertion(("IsA", "mixed", "犬")).replace(uri_of("犬"), uri_of("犬", "ja"))
    content = "".join([foreign, *(assertion(edge, sense) for edge in edges), link, mixed]).encode()
    path.write_bytes(gzip.compress(content) if packed else content)
    assert edges_of(read_graph(str(path)), NAMES) == set(edges)
    every = read_graph(str(path), language=None)
    assert len(every.ends) == len(set(edges)) + 2
    assert (every.places([uri_of("犬", "ja"), uri_of("mixed"), "/c/en/absent"]) >= 0).tolist() == [True, True, False]


@settings(deadline=None, max_examples=40)
@given(EDGES, st.randoms())
def test_the_order_of_edges_and_blocks_does_not_matter(edges: list[Edge], random) -> None:
    def held(rows: list[Edge], size: int) -> Graph:
        blocks = (rows[at : at + size] for at in range(0, len(rows), size))
        return build_graph(block_of(block) for block in blocks)

    shuffled = random.sample(edges, len(edges))
    one, other = held(edges, 3), held(shuffled, len(edges))
    assert one.names == other.names
    for field in ("nodes", "offsets", "ends", "relations"):
        assert getattr(one, field).tolist() == getattr(other, field).tolist()


def block_of(edges: list[Edge]) -> EdgeBlock:
    names = sorted({edge[0] for edge in edges}, reverse=True)
    starts, ends = (string_hashes(pa.array([uri_of(edge[side]) for edge in edges])) for side in (1, 2))
    return EdgeBlock(starts, ends, np.array([names.index(edge[0]) for edge in edges]), tuple(names))


@pytest.mark.slow
def test_memory_is_a_few_bytes_for_an_edge() -> None:
    random, size, count = np.random.default_rng(1), 50_000, 12

    def blocks() -> Iterator[EdgeBlock]:
        for _ in range(count):
            starts, ends = random.integers(1 << 20, size=(2, size)).astype(np.uint64) << np.uint64(40)
            yield EdgeBlock(starts, ends, random.integers(3, size=size), ("IsA", "HasA", "UsedFor"))

    tracemalloc.start()
    held = build_graph(blocks())
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    edges, nodes = len(held.ends), len(held.nodes)
    assert (edges > 590_000, nodes > 500_000) == (True, True)
    assert (
        sum(array.nbytes for array in (held.nodes, held.offsets, held.ends, held.relations))
        == 5 * edges + 16 * nodes + 8
    )
    assert peak < 32 * edges + 32 * nodes


def test_a_large_file_is_read_in_blocks(tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("conceptloom.conceptnet.reading.BLOCK_BYTES", 1 << 12)
    edges = [("IsA", f"concept {number}", f"kind {number % 7}") for number in range(2_000)]
    path = tmp_path / "a.tsv"
    path.write_text("".join("\t".join(edge) + "\n" for edge in edges))
    assert sum(1 for _ in edge_blocks(str(path))) > 10
    names = [name for edge in edges for name in edge[1:]]
    assert edges_of(read_graph(str(path)), names) == set(edges)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"IsA\ta\tb\nIsA\ta\n", "a row cannot be read .*Expected 3 columns, got 2.*correct or remove"),
        (b"dog\ncat\n", "neither ConceptNet's assertions nor triples"),
        (assertion(("IsA", "a", "b"), language="fr").encode(), "no edge between concepts of language en"),
        (b"", "neither"),
    ],
)
def test_what_is_no_graph_is_an_error(content: bytes, message: str, tmp_path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(content)
    with pytest.raises(InputError, match=rf"a\.csv: {message}"):
        read_graph(str(path))


def test_a_cut_off_file_is_an_error(tmp_path) -> None:
    path = tmp_path / "a.csv.gz"
    content = "".join(assertion(("IsA", f"a{number * number}", "b")) for number in range(5_000))
    path.write_bytes(gzip.compress(content.encode())[:-50])
    with pytest.raises(InputError, match=r"a\.csv\.gz: the gzip file is damaged or cut off"):
        read_graph(str(path))


def test_more_than_fits_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    blocks = [block_of([(f"R{number}", "a", "b")]) for number in range(257)]
    assert len(build_graph(blocks[:256]).names) == 256
    with pytest.raises(InputError, match="more than 256 relations"):
        build_graph(blocks)
    monkeypatch.setattr(graph, "_NODES", 1)
    with pytest.raises(InputError, match="2 concepts, but only 1 fit"):
        build_graph(blocks[:1])


def test_the_vocabulary_is_the_single_words_of_any_of_the_files(tmp_path) -> None:
    files = {
        "names": "dog\nguide dog\nNASA\n3d\ncafé\n\n".encode(),
        "triples": "IsA\tdog\tguide dog\nIsA\tcafé\tNASA\n".encode(),
        "assertions": (assertion(("IsA", "dog", "guide dog"), "/n") + assertion(("IsA", "café", "3d"))).encode(),
        "foreign": (assertion(("IsA", "dog", "café")) + assertion(("IsA", "犬", "dog"), language="ja")).encode(),
    }
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
        (tmp_path / f"{name}.gz").write_bytes(gzip.compress(content))
        for path in (tmp_path / name, tmp_path / f"{name}.gz"):
            assert read_vocabulary(str(path)) == {"dog", "café"}
    (tmp_path / "none").write_bytes(b"1 2\n")
    with pytest.raises(InputError, match="none: no single-word concept of language en"):
        read_vocabulary(str(tmp_path / "none"))

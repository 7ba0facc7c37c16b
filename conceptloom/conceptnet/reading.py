"""ConceptNet's files: the official assertions, triples (ConceptNet-100k), and plain lists of names.

Assertions: five columns separated by tabs (URI, relation, start, end, JSON); what follows the term in a node's name
(part of speech, sense) is omitted. Triples: relation, start, end (and a score), with blanks between a name's words.
"""

from collections.abc import Iterator
from posixpath import basename
from typing import BinaryIO

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv

from conceptloom import storage
from conceptloom.conceptnet.graph import EdgeBlock, Graph, build_graph, uri_of
from conceptloom.errors import InputError
from conceptloom.hashing import string_hashes
from conceptloom.readers.base import Malformed
from conceptloom.readers.linewise import read_lines
from conceptloom.readers.ranges import open_text, read_head

BLOCK_BYTES = 1 << 24
SMALL = 1 << 25
"""Bytes that can be read within a second: a smaller file is checked as a whole before a build."""
_ASSERTION = b"/a/["
_TERM_SLASHES = 3
"""Slashes in /c/en/dog; after one more stands the part of speech."""
_TRIPLE_COLUMNS = (3, 4)


def read_graph(path: str, language: str | None = "en") -> Graph:
    """Returns the graph of a file of assertions or triples; with `language` None, of the concepts of all languages.

    Raises InputError for another kind of file, a row with the wrong number of cells, or a file without edges.
    """
    graph = build_graph(edge_blocks(path, language))
    if not len(graph.ends):
        raise InputError(
            f"{path}: no edge between concepts of language {language}; choose another language, or another file"
        )
    return graph


def edge_blocks(path: str, language: str | None = "en") -> Iterator[EdgeBlock]:
    """Yields the edges of a file of assertions or triples block by block. Memory: a few times BLOCK_BYTES."""
    for rows in _rows(path):
        rows = _of_language(rows, language)
        relations = rows["relation"].dictionary_encode()
        names = tuple(relations.dictionary.to_pylist())
        yield EdgeBlock(string_hashes(rows["start"]), string_hashes(rows["end"]), relations.indices.to_numpy(), names)


def read_vocabulary(path: str, language: str = "en") -> frozenset[str]:
    """Returns the single-word concepts of a file of assertions, of triples, or of names (one a line).

    A single word has only letters, in lower case. Raises InputError if the file has none.
    """
    names = _names_of_lines(path) if _kind(path) == "names" else _names_of_edges(path, language)
    words = frozenset(name for name in names if name.isalpha() and name == name.lower())
    if not words:
        raise InputError(f"{path}: no single-word concept of language {language}; is it one of ConceptNet's files?")
    return words


def check_vocabulary(path: str) -> str:
    """Returns a line for the user: the kind of the file, and of a small file the number of its concepts.

    Raises InputError if there is no such file, or if it is visibly not one of ConceptNet's. A large file is not read
    as a whole.
    """
    matched = storage.match(path)
    if len(matched) != 1:
        raise InputError(f"{path}: {len(matched)} files; exactly one file of ConceptNet is needed")
    (info,) = matched
    if not info.size:
        raise InputError(f"{path} is empty (0 bytes)")
    kind = _kind(path)
    if kind != "names" and info.size > SMALL:
        return f"{basename(path)}, {kind}, {info.size:,} bytes"
    if info.size > SMALL:
        raise InputError(f"{path}: neither assertions nor triples, and too large for a list of names")
    try:
        words = read_vocabulary(path)
    except InputError as error:
        known = "assertions, triples (relation, start, end, separated by tabs) and lists of names, one a line"
        raise InputError(f"{error}; of ConceptNet's files these can be read: {known}") from None
    return f"{basename(path)}, {kind}, {len(words):,} single-word concepts"


def _kind(path: str) -> str:
    """`assertions`, `triples` or `names`, according to the first line."""
    first = read_head(path).lstrip(b"\xef\xbb\xbf").partition(b"\n")[0]
    if first.startswith(_ASSERTION):
        return "assertions"
    return "triples" if first.count(b"\t") + 1 in _TRIPLE_COLUMNS else "names"


def _rows(path: str) -> Iterator[pa.RecordBatch]:
    """Blocks with the columns relation, start and end; start and end are URIs (`/c/en/dog`)."""
    kind = _kind(path)
    if kind == "names":
        raise InputError(f"{path}: neither ConceptNet's assertions nor triples (relation, start, end between tabs)")
    with open_text(path) as (stream, _):
        if kind == "assertions":
            yield from map(_plain_terms, _parsed(stream, ["uri", "relation", "start", "end", "more"]))
        else:
            width = read_head(path).partition(b"\n")[0].count(b"\t") + 1
            yield from map(_as_uris, _parsed(stream, ["relation", "start", "end", "score"][:width]))


def _parsed(stream: BinaryIO, columns: list[str]) -> Iterator[pa.RecordBatch]:
    wanted = dict.fromkeys(("relation", "start", "end"), pa.string())
    try:
        yield from csv.open_csv(
            stream,
            csv.ReadOptions(column_names=columns, block_size=BLOCK_BYTES, use_threads=False),
            csv.ParseOptions(delimiter="\t", quote_char=False),
            csv.ConvertOptions(include_columns=list(wanted), column_types=wanted),
        )
    except pa.ArrowInvalid as error:
        raise InputError(f"a row cannot be read ({error}); correct or remove it") from error


def _plain_terms(rows: pa.RecordBatch) -> pa.RecordBatch:
    """The relation without `/r/`, the nodes without what follows their terms."""
    relation = pc.utf8_slice_codeunits(rows["relation"], len("/r/"))
    return pa.record_batch({"relation": relation, "start": _term(rows["start"]), "end": _term(rows["end"])})


def _term(uris: pa.Array) -> pa.Array:
    is_long = pc.greater(pc.count_substring(uris, "/"), _TERM_SLASHES)
    short = pc.replace_substring_regex(uris.filter(is_long), r"^(/c/[^/]*/[^/]*)/.*$", r"\1")
    return pc.replace_with_mask(uris, is_long, short)


def _as_uris(rows: pa.RecordBatch) -> pa.RecordBatch:
    def uris(names: pa.Array) -> pa.Array:
        return pc.binary_join_element_wise(uri_of(""), pc.replace_substring(names, " ", "_"), "")

    return pa.record_batch({"relation": rows["relation"], "start": uris(rows["start"]), "end": uris(rows["end"])})


def _of_language(rows: pa.RecordBatch, language: str | None) -> pa.RecordBatch:
    """The edges whose two nodes are concepts (of the language): a web address is not one."""
    prefix = "/c/" if language is None else uri_of("", language)
    return rows.filter(pc.and_(pc.starts_with(rows["start"], prefix), pc.starts_with(rows["end"], prefix)))


def _names_of_edges(path: str, language: str) -> set[str]:
    prefix = uri_of("", language)
    names: set[str] = set()
    for rows in _rows(path):
        for column in (rows["start"], rows["end"]):
            uris = column.unique()
            found = uris.filter(pc.starts_with(uris, prefix))
            names.update(pc.utf8_slice_codeunits(found, len(prefix)).to_pylist())
    return names


def _names_of_lines(path: str) -> set[str]:
    with open_text(path) as (stream, encoding):
        names = set()
        for line in read_lines(stream, encoding, 1):
            if isinstance(line, Malformed):
                raise InputError(f"line {line.record}: {line.reason}: {line.detail}; correct this line")
            names.add(line.text.strip())
        return names

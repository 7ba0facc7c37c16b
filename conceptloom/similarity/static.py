"""Scorer `static-ko`: cosines of sums of static morpheme vectors, by table look-ups alone (data/static-ko.md)."""

import zipfile
import zlib
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import ClassVar

import numpy as np
import pyarrow as pa

from conceptloom.arrays.lists import Lists, offsets_of
from conceptloom.arrays.runs import gather
from conceptloom.arrays.types import Float32, Float64, Int32, Int64
from conceptloom.errors import ConfigError
from conceptloom.json_values import JsonObject
from conceptloom.models.signature import file_sha256
from conceptloom.similarity.base import SCORERS, Frequencies, ScorerEntry
from conceptloom.similarity.centrality import linear_centralities, posting_groups, ragged_sums
from conceptloom.similarity.morpheme_sets import encode_sets

NAME, VERSION = "static-ko", "1"
TABLE = Path(__file__).parent / "data" / "static-ko.npz"
GROUP_ROWS = 4_096
"""Posting rows scored together: their vectors (2 MB as float32) stay in the processor's cache."""


@dataclass(frozen=True)
class StaticTable:
    """Vectors of morphemes, and for each key (`form/tag` of mecab-ko-dic) the rows that stand for it.

    A key has one row, its own, or those of its parts (a compound that the vectors' origin does not know).
    """

    vectors: Float32
    keys: dict[str, int]
    starts: Int64
    counts: Int64
    rows: Int64
    file: str
    sha256: str

    def lookup(self, morphemes: list[str]) -> tuple[Int64, Int64]:
        """Returns the number of rows of each morpheme (0: unknown), shape (n,), and the rows, one after the other."""
        places = np.fromiter((self.keys.get(m, -1) for m in morphemes), dtype=np.int64, count=len(morphemes))
        counts = np.where(places < 0, 0, self.counts[places])
        return counts, self.rows[gather(self.starts[places], counts)]


@lru_cache(maxsize=2)
def load_table(path: Path = TABLE) -> StaticTable:
    """Returns the table of a file, read once a process; raises ConfigError where the file is missing or damaged."""
    try:
        data = path.read_bytes()
        with np.load(BytesIO(data), allow_pickle=False) as arrays:
            scaled = arrays["vectors"].astype(np.float32) * arrays["scales"][:, None]
            names = arrays["keys"].tobytes().decode().split("\n")
            counts, rows = arrays["counts"].astype(np.int64), arrays["rows"].astype(np.int64)
    except FileNotFoundError:
        raise _missing(path) from None
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile, zlib.error) as error:
        raise ConfigError(f"the table of scorer {NAME} is damaged: {path} ({error}); reinstall conceptloom") from error
    keys = {name: place for place, name in enumerate(names)}
    return StaticTable(scaled, keys, np.cumsum(counts) - counts, counts, rows, path.name, sha256(data).hexdigest())


def _missing(path: Path) -> ConfigError:
    return ConfigError(f"the table of scorer {NAME} is missing: {path}; reinstall conceptloom")


def _signature(file: str, digest: str) -> JsonObject:
    return {"name": NAME, "version": VERSION, "file": file, "sha256": digest}


class StaticScorer:
    """The cosine of two sentences is that of the sums of the vectors of their sets of content morphemes.

    Linear in the rows: 1.6 million rows of 6 morphemes take 0.9 to 1.6 s on one core. Memory: 80 MB for
    the table and its keys, and about 5 KB a row for 4,096 rows or for the longest posting.
    """

    name = NAME

    def __init__(self, table: StaticTable) -> None:
        self._table = table

    def signature(self) -> JsonObject:
        """Returns name, version of the method, file name and SHA-256 of the table that was read."""
        return _signature(self._table.file, self._table.sha256)

    def encode(self, sentences: pa.RecordBatch) -> pa.Array:
        """Returns list<int32>: the table's rows of each sentence, sorted, each once."""
        return encode_sets(sentences.column("morphemes"), self._table.lookup)

    def centralities(self, features: pa.Array, offsets: Int64) -> Float64:
        """Returns score_i = e_i . sum_j e_j - |e_i|^2 with e_i the unit sum of the vectors of a sentence."""
        scores, lengths = np.zeros(len(features)), np.diff(offsets)
        if (lengths == 1).any():
            # The one sentence of a posting is like no other: its score is 0.
            several = np.repeat(lengths > 1, lengths)
            scores[several] = self.centralities(features.filter(pa.array(several)), offsets_of(lengths[lengths > 1]))
            return scores
        rows, row_offsets = Lists.from_arrow(features)
        for first, last in posting_groups(offsets, GROUP_ROWS):
            start, end = int(offsets[first]), int(offsets[last])
            vectors = self.sentence_vectors(rows, row_offsets[start : end + 1])
            scores[start:end] = linear_centralities(vectors, offsets[first : last + 1] - start)
        return scores

    def sentence_vectors(self, rows: Int32, offsets: Int64) -> Float64:
        """Returns unit vectors of sentences, shape (sentences, d); a sentence without a known morpheme is zero."""
        sums = ragged_sums(self._table.vectors, rows, offsets).astype(np.float64)
        lengths = np.sqrt(np.einsum("ij,ij->i", sums, sums))
        sums /= np.where(lengths > 0, lengths, 1.0)[:, None]
        return sums


@dataclass(frozen=True)
class StaticKo:
    """The scorer with the table in this package; it has no options."""

    wants_frequencies: ClassVar[bool] = False
    one_process: ClassVar[bool] = False

    def signature(self) -> JsonObject:
        """See ScorerOptions: that of the opened scorer, from the file's hash alone."""
        try:
            return _signature(TABLE.name, file_sha256(TABLE))
        except FileNotFoundError:
            raise _missing(TABLE) from None

    def open(self, frequencies: Frequencies | None) -> StaticScorer:
        """See ScorerOptions."""
        return StaticScorer(load_table())


SCORERS.add(
    NAME, ScorerEntry("static Korean morpheme vectors tuned on KorSTS, table look-ups only (default)", StaticKo)
)

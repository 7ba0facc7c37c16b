"""Locators: where a sentence stands in the raw files, as `file#record/field.sentence`."""

from collections.abc import Sequence
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from conceptloom.corpus.raw import WHOLE_RECORD
from conceptloom.readers.base import Reader


@dataclass(frozen=True)
class SourceFile:
    """One raw file of a build: its path, its name in locators, its source, and how it is read."""

    path: str
    name: str
    source: str
    encoding: str
    reader: Reader


def locate(raw: pa.Table, files: Sequence[SourceFile]) -> pa.Array:
    """Returns the locator of each row of schema RAW, length len(raw).

    `captions.json#12/caption_ko[1].2` is the second sentence of the second caption of record 12 (counted from 1);
    the field and the sentence are given only if there are several, and no field if the whole record is malformed.
    """
    names = pa.array([file.name for file in files], pa.string()).take(raw["file"].combine_chunks())
    records = raw["record"].combine_chunks().cast(pa.string())
    return pc.binary_join_element_wise(pc.binary_join_element_wise(names, records, "#"), _suffixes(raw, files), "")


def _suffixes(raw: pa.Table, files: Sequence[SourceFile]) -> pa.Array:
    parts = pa.StructArray.from_arrays(
        [raw[name].combine_chunks() for name in ("file", "item", "sentence")], names=["file", "item", "sentence"]
    )
    if not pc.any(pc.or_(pc.greater(parts.field(1), 0), pc.not_equal(parts.field(2), 0))).as_py() and not any(
        file.reader.field(0) for file in files
    ):
        return pa.repeat(pa.scalar("", pa.string()), len(raw))
    made: dict[tuple[int, int, int], str] = {}
    keys = list(zip(*(parts.field(index).to_pylist() for index in range(3)), strict=True))
    for file, item, sentence in set(keys):
        field = "" if item == WHOLE_RECORD else files[file].reader.field(item)
        made[file, item, sentence] = (f"/{field}" if field else "") + (f".{sentence}" if sentence else "")
    return pa.array([made[key] for key in keys], pa.string())

"""Blocks of a data set as text in the published formats, and its sets as tasks for people.

Nearly every row is plain text with one sentence and is formatted by Arrow. The others are formatted one by one by
functions that check that a reader gets the same row back.
"""

import json
from collections.abc import Callable, Sequence

import pyarrow as pa
import pyarrow.compute as pc

from conceptloom.arrays.columns import one_array
from conceptloom.arrays.types import Column
from conceptloom.errors import BuildError
from conceptloom.examples import Example
from conceptloom.json_values import JsonObject
from conceptloom.readers.published import PLAIN, format_json, format_text

BLOCK = 32_768
"""Rows formatted at once: a row takes ten times its text on the way."""

_PLAIN = f"^{PLAIN}$"
Frame = tuple[str, str, str]
"""The text before the set, between set and sentence, and after the sentence of a plain row."""

JSON_FRAMES: dict[bool, Frame] = {
    False: ('{"concept-set": "', '", "scene": "', '"}'),
    True: ('{"concept-set": "', '", "scene": ["', '"]}'),
}
TEXT_FRAMES: dict[bool, Frame] = dict.fromkeys((False, True), ("[SOS] ", " = ", " [EOS]"))

TO_FILL = ("sentence", "rationale", "worker")
"""The fields that a person fills in to answer an annotation task."""


def task_line(identifier: str, concepts: Sequence[str], inspiration: Sequence[str] = ()) -> str:
    """Returns the task line of a concept set: the fields to fill in are empty; inspiration is shown only if given."""
    shown = {"inspiration": inspiration} if inspiration else {}
    fields = {"id": identifier, "concepts": concepts, **shown, **dict.fromkeys(TO_FILL, "")}
    return json.dumps(fields, ensure_ascii=False) + "\n"


def json_lines(rows: pa.Table, *, references: bool) -> bytes:
    """Returns the rows (schema DATA) as JSON lines; with `references` the scene is a list.

    Raises BuildError for a row that the format cannot hold.
    """
    return _lines(rows, references, JSON_FRAMES[references], format_json)


def text_lines(rows: pa.Table, *, references: bool) -> bytes:
    """Returns the rows (schema DATA) as text, `[SOS] a#b = sentence [EOS]`.

    Raises BuildError for a row that the format cannot hold.
    """
    return _lines(rows, references, TEXT_FRAMES[references], format_text)


def _lines(rows: pa.Table, references: bool, frame: Frame, write: Callable[..., str]) -> bytes:
    blocks = (rows.slice(start, BLOCK) for start in range(0, len(rows), BLOCK))
    return b"".join(_block_lines(block, references, frame, write) for block in blocks)


def _block_lines(rows: pa.Table, references: bool, frame: Frame, write: Callable[..., str]) -> bytes:
    sets, targets = pc.binary_join(rows["concepts"], "#"), rows["target"]
    lines = pc.binary_join_element_wise(frame[0], sets, frame[1], targets, frame[2], "")
    other = one_array(pc.invert(_plain(rows)))
    slow = [_slowly(row, references, write) for row in rows.filter(other).to_pylist()]
    lines = pc.replace_with_mask(lines, other, pa.array(slow, pa.string()))
    return "\n".join([*lines.to_pylist(), ""]).encode()


def _plain(rows: pa.Table) -> Column:
    """Which rows have one sentence, and only characters that no format needs to escape."""
    words = pc.binary_join_element_wise(pc.binary_join(rows["concepts"], " "), rows["target"], " ")
    single = pc.equal(pc.binary_join(rows["references"], "\n"), rows["target"])
    return pc.and_(pc.match_substring_regex(words, _PLAIN), single)


def _slowly(row: JsonObject, references: bool, write: Callable[..., str]) -> str:
    """A row as a line; raises BuildError for one that the format cannot hold."""
    try:
        return write(Example(tuple(row["concepts"]), tuple(row["references"])), references=references)
    except ValueError as error:
        raise BuildError(
            f"the published formats cannot hold the sentence {row['target']!r} ({row['locator']}): {error}; "
            "turn the filter `symbols` on"
        ) from None

"""Raw formats: from a path to records. Importing this package registers every format."""

from conceptloom.readers import (  # noqa: F401  for what they register
    aihub_captions,
    aihub_dialogues,
    captions,
    coco,
    commongen,
    json_document,
    jsonl,
    lines,
    published,
    table,
    videos,
)
from conceptloom.readers.base import READERS, REASONS, Entry, Malformed, Reader, ReaderEntry, Record, Span, Text
from conceptloom.readers.detect import find_format
from conceptloom.readers.encoding import find_encoding
from conceptloom.readers.options import format_options, make_reader
from conceptloom.readers.ranges import count_lines, first_records, plan_spans, raw_lines, read_head, read_span

__all__ = [
    "READERS",
    "REASONS",
    "Entry",
    "Malformed",
    "Reader",
    "ReaderEntry",
    "Record",
    "Span",
    "Text",
    "count_lines",
    "find_encoding",
    "find_format",
    "first_records",
    "format_options",
    "make_reader",
    "plan_spans",
    "raw_lines",
    "read_head",
    "read_span",
]

"""The Arrow schemas of what several stages read and write. They stand in one place so that the stages agree."""

import pyarrow as pa

STRINGS = pa.list_(pa.string())

REPEATED = frozenset({"source", "stage", "reason", "concept", "split"})
"""The columns whose values repeat from row to row. Parquet files keep a dictionary and statistics of these only.

The set is kept beside the schemas, because field metadata would be written into every file.
"""

RAW = pa.schema(
    [
        ("id", pa.string()),
        ("text", pa.string()),
        ("file", pa.int32()),
        ("record", pa.int64()),
        ("item", pa.int32()),
        ("sentence", pa.int32()),
        ("reason", pa.string()),
        ("detail", pa.string()),
    ]
)
"""A candidate sentence as read, or a malformed record (then `reason` is set). `file` is its number in the plan."""

SENTENCES = pa.schema(
    [
        ("id", pa.string()),
        ("text", pa.string()),
        ("source", pa.string()),
        ("locator", pa.string()),
        ("copies", pa.int32()),
        ("concepts", STRINGS),
        ("morphemes", STRINGS),
    ]
)
"""A sentence that passed every filter, with its concepts (in the published, shuffled order) and content morphemes."""

CAPTIONS = pa.schema(
    [
        ("id", pa.string()),
        ("text", pa.string()),
        ("source", pa.string()),
        ("locator", pa.string()),
        ("copies", pa.int32()),
        ("concepts", STRINGS),
        ("words", STRINGS),
        ("clashes", STRINGS),
    ]
)
"""An English sentence that was kept, with its distinct concepts and all its words, both in the order of the text; and
which of its concepts cannot stand in one set, joined by `#` (see `conceptloom.corpus.clashes`): mostly none."""

REJECTED = pa.schema(
    [
        ("id", pa.string()),
        ("text", pa.string()),
        ("source", pa.string()),
        ("locator", pa.string()),
        ("stage", pa.string()),
        ("reason", pa.string()),
        ("detail", pa.string()),
    ]
)
"""A sentence or record that was left out, and why. `id` is empty where no sentence could be read."""

INDEX = pa.schema(
    [
        ("concept", pa.string()),
        ("source", pa.string()),
        ("sentence_id", pa.string()),
        ("centrality", pa.float64()),
        ("rank", pa.int32()),
        ("selected", pa.bool_()),
    ]
)
"""One row for each sentence of each posting."""

DATA = pa.schema(
    [
        ("id", pa.string()),
        ("concepts", STRINGS),
        ("target", pa.string()),
        ("references", STRINGS),
        ("source", pa.string()),
        ("locator", pa.string()),
    ]
)
"""A row of the published data set."""

"""Small corpora in the schema that splits work on."""

from collections.abc import Callable, Sequence

import pyarrow as pa
import pytest

from conceptloom.hashing import text_id
from conceptloom.schemas import SENTENCES

Row = tuple[str, Sequence[str]]


def sentences_table(rows: Sequence[Row]) -> pa.Table:
    """A table of schema SENTENCES, sorted by id, from (source, concepts); the text is the row's number."""
    numbered = sorted((text_id(str(number)), str(number), *row) for number, row in enumerate(rows))
    records = [
        {"id": id_, "text": text, "source": source, "locator": f"file:{text}", "copies": 1, "concepts": concepts}
        for id_, text, source, concepts in numbered
    ]
    return pa.Table.from_pylist(records, schema=SENTENCES)


@pytest.fixture(scope="session")
def corpus() -> Callable[[Sequence[Row]], pa.Table]:
    """`sentences_table`, for tests."""
    return sentences_table

"""Stage publish of sentences: JSON lines and text in the formats of the published data set."""

from dataclasses import dataclass

import pyarrow as pa

from conceptloom import storage
from conceptloom.json_values import JsonObject
from conceptloom.ledger import Ledger, count_read
from conceptloom.publishing import json_lines, text_lines
from conceptloom.schemas import DATA
from conceptloom.tables import write_file
from conceptloom.tasks.publish import DataFile, shard_rows


@dataclass(frozen=True)
class Sentences:
    """A row of a shard is a sentence of schema DIVIDED."""

    def rows(self, file: DataFile) -> pa.Table:
        """See Shape."""
        return data_rows(file)

    def write(self, output: str, file: DataFile, rows: pa.Table) -> list[JsonObject]:
        """See Shape."""
        return write_published(output, file.name, rows, references=file.split != "train")

    def read(self, rows: pa.Table) -> Ledger:
        """See Shape."""
        return count_read(rows["source"])


def write_published(output: str, name: str, rows: pa.Table, *, references: bool) -> list[JsonObject]:
    """Writes rows (schema DATA) as JSON lines and text. Raises BuildError for rows that the formats cannot express."""
    formats = {"jsonl": json_lines, "txt": text_lines}
    return [
        write_file(storage.join(output, "published", f"{name}.{ending}"), lines(rows, references=references), len(rows))
        for ending, lines in formats.items()
    ]


def data_rows(file: DataFile) -> pa.Table:
    """Returns the rows of one file (schema DATA), in the order of their ids."""
    rows = shard_rows(file)
    texts = rows["text"].combine_chunks()
    references = pa.ListArray.from_arrays(pa.array(range(len(rows) + 1), pa.int32()), texts)
    columns = [rows["id"], rows["concepts"], texts, references, rows["source"], rows["locator"]]
    return pa.table(columns, schema=DATA)

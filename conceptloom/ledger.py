"""The ledger of a stage: how many sentences were read, kept, and rejected for which reason, by source."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

import pyarrow as pa
import pyarrow.compute as pc

from conceptloom.arrays.types import Column
from conceptloom.errors import BuildError
from conceptloom.json_values import JsonObject
from conceptloom.schemas import REJECTED


@dataclass
class SourceCounts:
    """The counts of one source: candidate sentences read, kept, rejected by reason."""

    read: int = 0
    kept: int = 0
    rejected: Counter[str] = field(default_factory=Counter)

    def add(self, other: "SourceCounts") -> None:
        """Adds other counts to these."""
        self.read += other.read
        self.kept += other.kept
        self.rejected.update(other.rejected)


@dataclass
class Ledger:
    """Counts by source. The ledgers of shards are added up."""

    sources: dict[str, SourceCounts] = field(default_factory=dict)

    def of(self, source: str) -> SourceCounts:
        """Returns the counts of one source, which the caller may add to."""
        return self.sources.setdefault(source, SourceCounts())

    def add(self, other: "Ledger") -> None:
        """Adds the counts of another ledger to this one."""
        for source, counts in other.sources.items():
            self.of(source).add(counts)

    def total(self) -> SourceCounts:
        """Returns the counts of all sources together."""
        found = SourceCounts()
        for counts in self.sources.values():
            found.add(counts)
        return found

    def check(self, stage: str) -> None:
        """Raises BuildError unless read = kept + rejected for each source."""
        for source, counts in sorted(self.sources.items()):
            out = counts.kept + counts.rejected.total()
            if counts.read != out:
                raise BuildError(
                    f"stage {stage}, source {source}: {counts.read} sentences were read but {out} were accounted for "
                    f"({counts.kept} kept, {counts.rejected.total()} rejected). This is a defect of "
                    "conceptloom: nothing was published."
                )

    def to_json(self) -> JsonObject:
        """Returns the ledger as JSON values, sorted by name."""
        return {
            source: {"read": counts.read, "kept": counts.kept, "rejected": dict(sorted(counts.rejected.items()))}
            for source, counts in sorted(self.sources.items())
        }

    @classmethod
    def from_json(cls, data: JsonObject) -> "Ledger":
        """The inverse of `to_json`."""
        return cls({name: SourceCounts(c["read"], c["kept"], Counter(c["rejected"])) for name, c in data.items()})


def count_read(sources: pa.Array) -> Ledger:
    """Returns a ledger of the rows read, from their column of sources."""
    ledger = Ledger()
    for source, number in _counts(sources):
        ledger.of(source).read += number
    return ledger


def count_written(kept: pa.Table, rejected: pa.Table) -> Ledger:
    """Returns a ledger of the rows kept and rejected, from the tables written (columns `source`, `reason`)."""
    ledger = Ledger()
    for source, number in _counts(kept["source"]):
        ledger.of(source).kept += number
    groups = rejected.select(["source", "reason"]).group_by(["source", "reason"]).aggregate([([], "count_all")])
    for row in groups.to_pylist():
        ledger.of(row["source"]).rejected[row["reason"]] += row["count_all"]
    return ledger


def _counts(column: Column) -> Iterable[tuple[str, int]]:
    return ((entry["values"], entry["counts"]) for entry in pc.value_counts(column).to_pylist())


def reject(table: pa.Table, stage: str, reason: str | Column, detail: str | Column) -> pa.Table:
    """Returns rows of schema REJECTED for sentences; `reason` and `detail` are one value for all rows, or a column."""
    added = (("stage", stage), ("reason", reason), ("detail", detail))
    table = table.select(["id", "text", "source", "locator"])
    for name, value in added:
        table = table.append_column(name, pa.repeat(value, len(table)) if isinstance(value, str) else value)
    return table.cast(REJECTED)

"""What adds up over ranges of ids: how many rows differ, in what, and for which reasons; and the first of each kind."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from conceptloom.comparison.rows import DIFFERENCES, KINDS

_GROUP = ("kind", "old_split", "new_split", "stage", "reason")


@dataclass
class Tally:
    """Counts of differences, and the first `wanted` of each kind, with the two rows that they are of."""

    wanted: int
    compared: Sequence[str]
    """The columns that are compared, in the order in which they are told."""
    headline: str
    """The column that shows what a row is."""
    groups: Counter[tuple[str, ...]] = field(default_factory=Counter)
    """Rows by kind, old split, new split, stage and reason."""
    columns: Counter[str] = field(default_factory=Counter)
    """Changed rows by column."""
    examples: dict[str, list[dict[str, Any]]] = field(default_factory=lambda: {kind: [] for kind in KINDS})

    def add(self, differences: pa.Table, old: pa.Table, new: pa.Table) -> None:
        """Adds the differences of one range; ranges come in the order of their ids."""
        counts = differences.group_by(list(_GROUP)).aggregate([([], "count_all")])
        for row in counts.to_pylist():
            self.groups[tuple(row[name] for name in _GROUP)] += row["count_all"]
        for row in pc.value_counts(differences["columns"]).to_pylist():
            self.columns.update({name: row["counts"] for name in row["values"].split(",") if name})
        for kind, found in self.examples.items():
            more = differences.filter(pc.equal(differences["kind"], kind)).slice(0, self.wanted - len(found))
            found += [self._example(row, old, new) for row in more.to_pylist()]

    def kinds(self) -> dict[str, int]:
        """How many rows each of KINDS has."""
        return {kind: sum(rows for group, rows in self.groups.items() if group[0] == kind) for kind in KINDS}

    def to_json(self) -> dict[str, Any]:
        """Kinds, groups, columns and examples as JSON values, the largest groups first."""
        groups = sorted(self.groups.items(), key=lambda item: (KINDS.index(item[0][0]), -item[1], item[0]))
        return {
            "kinds": self.kinds(),
            "reasons": [{**dict(zip(_GROUP, group)), "rows": rows} for group, rows in groups],
            "columns": {name: self.columns[name] for name in self.compared if self.columns[name]},
            "examples": self.examples,
        }

    def _example(self, difference: dict[str, Any], old: pa.Table, new: pa.Table) -> dict[str, Any]:
        before, after = (_row(table, difference["id"]) for table in (old, new))
        changed = difference["columns"].split(",") if difference["columns"] else []
        shown: dict[str, Any] = {name: difference[name] for name in DIFFERENCES.names if name != "columns"}
        shown[self.headline] = (after or before)[self.headline]
        shown["columns"] = {name: [before[name], after[name]] for name in changed}
        return shown


def _row(table: pa.Table, id_: str) -> dict[str, Any]:
    found: list[dict[str, Any]] = table.filter(pc.equal(table["id"], id_)).to_pylist()
    return found[0] if found else {}

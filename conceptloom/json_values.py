"""JSON values as Python has them."""

import json
from collections.abc import Iterable, Mapping
from typing import Any

JsonObject = dict[str, Any]


def to_json_lines(rows: Iterable[Mapping[str, object]]) -> str:
    """Returns each row as a line of JSON."""
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)

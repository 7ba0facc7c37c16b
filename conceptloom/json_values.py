"""JSON values as Python has them."""

from typing import Any

JsonObject = dict[str, Any]

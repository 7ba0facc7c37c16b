"""What commands print for programs."""

import json


def print_json(data: object) -> None:
    """Prints JSON values."""
    print(json.dumps(data, ensure_ascii=False, indent=1))

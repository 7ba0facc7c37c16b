"""Output of commands for programs."""

import json


def print_json(data: object) -> None:
    """Prints a value as JSON."""
    print(json.dumps(data, ensure_ascii=False, indent=1))

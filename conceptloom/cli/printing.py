"""Output of commands: JSON for programs, sizes for people."""

import json


def print_json(data: object) -> None:
    """Prints a value as JSON."""
    print(json.dumps(data, ensure_ascii=False, indent=1))


def bytes_text(number: float) -> str:
    """Returns a number of bytes in the unit that suits it.

    >>> bytes_text(900), bytes_text(1536)
    ('900 B', '1.5 KiB')
    """
    for unit in ("B", "KiB", "MiB", "GiB"):
        if number < 1024:
            return f"{number:,.0f} B" if unit == "B" else f"{number:,.1f} {unit}"
        number /= 1024
    return f"{number:,.1f} TiB"

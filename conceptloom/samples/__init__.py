"""Small corpora of the project's own, for demos and tests."""

from pathlib import Path


def sample(name: str) -> str:
    """The path of a sample file."""
    return str(Path(__file__).resolve().parent / name)

"""Makes readers from configuration: a format by name, with options checked against the fields of its dataclass."""

from collections.abc import Mapping

from conceptloom.options import Option, options_of, with_options
from conceptloom.readers.base import READERS, Reader


def format_options(format: str) -> Mapping[str, Option]:
    """Returns the options of a format by name."""
    return options_of(READERS[format].make)


def make_reader(format: str, options: Mapping[str, object]) -> Reader:
    """Returns the reader of a format; raises ConfigError for an unknown option, or a value it may not have."""
    return with_options(READERS[format].make, options, f"format {format}")

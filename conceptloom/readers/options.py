"""Makes readers from configuration: a format by name, with options checked against the fields of its dataclass."""

import dataclasses
import types
import typing
from collections.abc import Mapping
from typing import Any

from conceptloom.errors import ConfigError
from conceptloom.readers.base import READERS, Reader


class Option(typing.NamedTuple):
    """An option of a format: its name for users, the field that holds it, its type and its default."""

    name: str
    attribute: str
    type: object
    default: object


def format_options(format: str) -> dict[str, Option]:
    """Returns the options of a format by name."""
    make: Any = READERS[format].make
    hints = typing.get_type_hints(make)
    options = (
        Option(field.metadata.get("option", field.name), field.name, hints[field.name], field.default)
        for field in dataclasses.fields(make)
    )
    return {option.name: option for option in options}


def make_reader(format: str, options: Mapping[str, object]) -> Reader:
    """Returns the reader of a format; raises ConfigError for an unknown option, or a value that it cannot have."""
    known = format_options(format)
    values = {}
    for name, value in options.items():
        if name not in known:
            there = f"it has: {', '.join(sorted(known))}" if known else "it has none"
            raise ConfigError(f"format {format} has no option {name!r}; {there}")
        if not _fits(value, known[name].type):
            allowed = describe_type(known[name].type)
            raise ConfigError(f"option {name} of format {format} is {value!r}; it may be {allowed}")
        values[known[name].attribute] = value
    try:
        return READERS[format].make(**values)
    except ConfigError as error:
        raise ConfigError(f"format {format}: {error}") from error


def describe_type(hint: object) -> str:
    """Returns what a value may be, in words.

    >>> describe_type(str | int)
    'text or a whole number'
    """
    if _is_union(hint):
        return " or ".join(describe_type(part) for part in typing.get_args(hint))
    if typing.get_origin(hint) is typing.Literal:
        return " or ".join(repr(value) for value in typing.get_args(hint))
    words: dict[object, str] = {str: "text", int: "a whole number", bool: "true or false", types.NoneType: "null"}
    return words[hint]


def _fits(value: object, hint: object) -> bool:
    if _is_union(hint):
        return any(_fits(value, part) for part in typing.get_args(hint))
    if typing.get_origin(hint) is typing.Literal:
        return isinstance(value, str) and value in typing.get_args(hint)
    return type(value) is hint


def _is_union(hint: object) -> bool:
    return typing.get_origin(hint) in (typing.Union, types.UnionType)

"""Options of what a configuration can name: the fields of a frozen dataclass, checked by their types."""

import dataclasses
import types
import typing
from collections.abc import Callable, Mapping
from functools import cache
from typing import TypeVar

from conceptloom.errors import ConfigError

T = TypeVar("T")
_WORDS: dict[object, str] = {
    str: "text", int: "a whole number", float: "a number", bool: "true or false", types.NoneType: "null"
}  # fmt: skip


class Option(typing.NamedTuple):
    """An option: its name for users, the field that holds it, its type, and its default (REQUIRED: it has none)."""

    name: str
    attribute: str
    type: object
    default: object


REQUIRED = dataclasses.MISSING


@cache
def options_of(make: Callable[..., object]) -> Mapping[str, Option]:
    """Returns the options of a dataclass by name; anything else that makes something has none.

    A field's metadata may hold another name for users (`option`).
    """
    if not isinstance(make, type) or not dataclasses.is_dataclass(make):
        return {}
    hints = typing.get_type_hints(make)
    options = (
        Option(field.metadata.get("option", field.name), field.name, hints[field.name], field.default)
        for field in dataclasses.fields(make)
    )
    return {option.name: option for option in options}


def with_options(make: Callable[..., T], options: Mapping[str, object], owner: str) -> T:
    """Returns what `make` makes with these options; `owner` names it in errors, such as `filter length`.

    Raises ConfigError for an unknown option, for a value that an option may not have, and for a missing option.
    """
    known = options_of(make)
    values = {}
    for name, value in options.items():
        option = _known(name, known, owner)
        if not _fits(value, option.type):
            raise ConfigError(f"option {name} of {owner} is {value!r}; it may be {describe_type(option.type)}")
        values[option.attribute] = tuple(value) if isinstance(value, list) else value
    for option in known.values():
        if option.default is REQUIRED and option.attribute not in values:
            raise ConfigError(f"{owner} needs the option {option.name}: {describe_type(option.type)}")
    try:
        return make(**values)
    except ConfigError as error:
        raise ConfigError(f"{owner}: {error}") from error


def describe_type(hint: object) -> str:
    """Returns what a value may be, in words.

    >>> describe_type(str | int)
    'text or a whole number'
    >>> describe_type(tuple[str, ...])
    'a list of text'
    """
    if typing.get_origin(hint) is tuple:
        return f"a list of {describe_type(typing.get_args(hint)[0])}"
    if _is_union(hint):
        return " or ".join(describe_type(part) for part in typing.get_args(hint))
    if typing.get_origin(hint) is typing.Literal:
        return " or ".join(repr(value) for value in typing.get_args(hint))
    return _WORDS[hint]


def _known(name: str, known: Mapping[str, Option], owner: str) -> Option:
    if name not in known:
        there = f"it has: {', '.join(sorted(known))}" if known else "it has none"
        raise ConfigError(f"{owner} has no option {name!r}; {there}")
    return known[name]


def _fits(value: object, hint: object) -> bool:
    if _is_union(hint):
        return any(_fits(value, part) for part in typing.get_args(hint))
    if typing.get_origin(hint) is typing.Literal:
        return isinstance(value, str) and value in typing.get_args(hint)
    if typing.get_origin(hint) is tuple:
        return isinstance(value, list | tuple) and all(_fits(one, typing.get_args(hint)[0]) for one in value)
    return type(value) is hint or (hint is float and type(value) is int)


def _is_union(hint: object) -> bool:
    return typing.get_origin(hint) in (typing.Union, types.UnionType)

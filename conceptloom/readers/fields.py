"""Paths to texts within a JSON record: `text`, `body.summary`, `caption_ko[]`, `body.dialogue[].utterance`."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from conceptloom.errors import ConfigError
from conceptloom.readers.base import Entry, Malformed
from conceptloom.readers.texts import checked, excerpt

Steps = tuple[tuple[str, bool], ...]


class Problem(NamedTuple):
    """What stands where a text should be."""

    reason: str
    detail: str


def parse_path(path: str) -> Steps:
    """The keys of a path, each with whether every element of its list is meant (`[]`). '' is the record itself.

    >>> parse_path("body.dialogue[].utterance")
    (('body', False), ('dialogue', True), ('utterance', False))
    """
    steps = tuple((part.removesuffix("[]"), part.endswith("[]")) for part in path.split(".")) if path else ()
    if path.count("[") > 1 or any(not key and (not each or at) for at, (key, each) in enumerate(steps)):
        raise ConfigError(f"field {path!r} is no path; write keys with dots between, one of them may end in []")
    return steps


def field_name(path: str, item: int) -> str:
    """The path of the item-th text: `caption_ko[]`, 1 -> `caption_ko[1]`."""
    return path.replace("[]", f"[{item}]")


def texts_at(value: Any, steps: Steps, record: int, raw: str) -> Iterator[Entry]:
    """The texts at a path within a record, each malformed for itself. `raw` is the record as it stands in the file."""
    for item, name, found in _reach(value, steps, "", None):
        if isinstance(found, str):
            yield checked(record, item or 0, found, name)
            continue
        if not isinstance(found, Problem):
            found = Problem("wrong_type", f"{name or 'the record'} is {kind_of(found)}, not text")
            item = (item or 0) if name else None
        yield Malformed(record, found.reason, excerpt(found.detail), excerpt(raw), item)


def kind_of(value: Any) -> str:
    """What JSON calls a value."""
    kinds = {type(None): "null", bool: "a truth value", str: "text", list: "an array", dict: "an object"}
    return kinds.get(type(value), "a number")


def _reach(value: Any, steps: Steps, name: str, item: int | None) -> Iterator[tuple[int | None, str, Any]]:
    """What stands at each place, with the place in the list, None outside it, and the path so far."""
    if not steps:
        yield item, name, value
        return
    (key, each), rest = steps[0], steps[1:]
    if key and not isinstance(value, dict):
        yield item, name, Problem("wrong_type", f"{name or 'the record'} is {kind_of(value)}, not an object")
        return
    if key and key not in value:
        yield item, name, Problem("missing_field", _missing(f"{name}.{key}".lstrip("."), value))
        return
    name, value = (f"{name}.{key}".lstrip("."), value[key]) if key else (name, value)
    if each:
        yield from _reach_each(value, rest, name)
    else:
        yield from _reach(value, rest, name, item)


def _reach_each(value: Any, rest: Steps, name: str) -> Iterator[tuple[int | None, str, Any]]:
    if not isinstance(value, list):
        yield None, name, Problem("wrong_type", f"{name or 'the record'} is {kind_of(value)}, not an array")
    elif not value:
        yield None, name, Problem("missing_field", f"{name or 'the record'} is an empty array")
    else:
        for item, element in enumerate(value):
            yield from _reach(element, rest, f"{name}[{item}]", item)


def _missing(name: str, value: dict[str, Any]) -> str:
    return f"there is no {name}, but {', '.join(list(value)[:10]) or 'nothing'}"

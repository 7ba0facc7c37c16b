"""Paths to texts within a JSON record: `text`, `body.summary`, `caption_ko[]`, `body.dialogue[].utterance`.

Several paths, separated by commas, are the fields of one record: `premise,hypothesis,label`.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from conceptloom.errors import ConfigError
from conceptloom.readers.base import Entry, Malformed
from conceptloom.readers.texts import checked, excerpt

Steps = tuple[tuple[str, bool], ...]


class Problem(NamedTuple):
    """What is wrong at the place of a text: a reason from REASONS, and the detail."""

    reason: str
    detail: str


def parse_path(path: str) -> Steps:
    """Returns the keys of a path, each with whether it means every element of a list (`[]`). '' is the record itself.

    >>> parse_path("body.dialogue[].utterance")
    (('body', False), ('dialogue', True), ('utterance', False))
    """
    steps = tuple((part.removesuffix("[]"), part.endswith("[]")) for part in path.split(".")) if path else ()
    if path.count("[") > 1 or any(not key and (not each or at) for at, (key, each) in enumerate(steps)):
        raise ConfigError(f"field {path!r} is not a path; write keys separated by dots, of which one may end in []")
    return steps


def parse_paths(paths: str) -> tuple[Steps, ...]:
    """Returns the steps of each path; raises ConfigError for an invalid or a repeated one."""
    parts = [part.strip() for part in paths.split(",")]
    if len(set(parts)) < len(parts):
        raise ConfigError(f"field {paths!r} names one path twice")
    return tuple(map(parse_path, parts))


def field_name(paths: str, item: int) -> str:
    """Returns the path of the item-th text: `caption_ko[]`, 1 -> `caption_ko[1]`; items alternate among several paths.

    >>> field_name("title,lines[]", 0), field_name("title,lines[]", 3)
    ('title', 'lines[1]')
    """
    parts = paths.split(",")
    place, path = divmod(item, len(parts))
    return parts[path].strip().replace("[]", f"[{place}]")


def texts_at(value: object, paths: Sequence[Steps], record: int, raw: str) -> Iterator[Entry]:
    """Yields the entries at some paths within a record, path by path; each text is valid or malformed by itself.

    `raw` is the record's text in the file. The n-th of P paths has the items n, n + P, n + 2P, ….
    """
    if len(paths) == 1:
        return _texts_at(value, paths[0], record, raw)
    return (
        entry if entry.item is None else entry._replace(item=entry.item * len(paths) + number)
        for number, steps in enumerate(paths)
        for entry in _texts_at(value, steps, record, raw)
    )


def _texts_at(value: object, steps: Steps, record: int, raw: str) -> Iterator[Entry]:
    for item, name, found in _reach(value, steps, "", None):
        if isinstance(found, str):
            yield checked(record, item or 0, found, name)
            continue
        if not isinstance(found, Problem):
            found = Problem("wrong_type", f"{name or 'the record'} is {kind_of(found)}, not text")
            item = (item or 0) if name else None
        yield Malformed(record, found.reason, excerpt(found.detail), excerpt(raw), item)


def kind_of(value: object) -> str:
    """Returns the JSON type of a value, in words."""
    kinds = {type(None): "null", bool: "a truth value", str: "text", list: "an array", dict: "an object"}
    return kinds.get(type(value), "a number")


def _reach(value: object, steps: Steps, name: str, item: int | None) -> Iterator[tuple[int | None, str, object]]:
    """Yields each value that the steps reach, with its index in the list (None outside a list) and its path."""
    if not steps:
        yield item, name, value
        return
    (key, each), rest = steps[0], steps[1:]
    if key:
        inner = f"{name}.{key}".lstrip(".")
        if not isinstance(value, dict):
            yield item, name, Problem("wrong_type", f"{name or 'the record'} is {kind_of(value)}, not an object")
            return
        if key not in value:
            yield item, name, Problem("missing_field", _missing(inner, value))
            return
        name, value = inner, value[key]
    if each:
        yield from _reach_each(value, rest, name)
    else:
        yield from _reach(value, rest, name, item)


def _reach_each(value: object, rest: Steps, name: str) -> Iterator[tuple[int | None, str, object]]:
    if not isinstance(value, list):
        yield None, name, Problem("wrong_type", f"{name or 'the record'} is {kind_of(value)}, not an array")
    elif not value:
        yield None, name, Problem("missing_field", f"{name or 'the record'} is an empty array")
    else:
        for item, element in enumerate(value):
            yield from _reach(element, rest, f"{name}[{item}]", item)


def _missing(name: str, value: dict[str, object]) -> str:
    return f"there is no {name}, but {', '.join(list(value)[:10]) or 'nothing'}"

"""Paths to texts within a JSON record: `text`, `body.summary`, `caption_ko[]`, `body.dialogue[].utterance`.

Several paths with commas between them are the fields of one record: `premise,hypothesis,label`.
"""

from collections.abc import Iterator, Sequence
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


def parse_paths(paths: str) -> tuple[Steps, ...]:
    """The steps of each of some paths; raises ConfigError for one that is no path, or stands twice."""
    parts = [part.strip() for part in paths.split(",")]
    if len(set(parts)) < len(parts):
        raise ConfigError(f"field {paths!r} names one path twice")
    return tuple(map(parse_path, parts))


def field_name(paths: str, item: int) -> str:
    """The path of the item-th text: `caption_ko[]`, 1 -> `caption_ko[1]`; of several paths the items take turns.

    >>> field_name("title,lines[]", 0), field_name("title,lines[]", 3)
    ('title', 'lines[1]')
    """
    parts = paths.split(",")
    place, path = divmod(item, len(parts))
    return parts[path].strip().replace("[]", f"[{place}]")


def texts_at(value: Any, paths: Sequence[Steps], record: int, raw: str) -> Iterator[Entry]:
    """The texts at some paths within a record, each malformed for itself, path after path.

    `raw` is the record as it stands in the file. The n-th of P paths has the items n, n + P, n + 2P, ….
    """
    if len(paths) == 1:
        return _texts_at(value, paths[0], record, raw)
    return (
        entry if entry.item is None else entry._replace(item=entry.item * len(paths) + number)
        for number, steps in enumerate(paths)
        for entry in _texts_at(value, steps, record, raw)
    )


def _texts_at(value: Any, steps: Steps, record: int, raw: str) -> Iterator[Entry]:
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

"""Conversion of settings from and to plain data: YAML files, `KEY=VALUE` assignments, errors that name the key."""

from typing import TypeVar

import yaml
from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from conceptloom.errors import ConfigError
from conceptloom.json_values import JsonObject
from conceptloom.pipelines.build.settings import Settings

C = TypeVar("C", bound=Settings)


def make_settings(kind: type[C], data: object, origin: str) -> C:
    """Returns typed settings built from plain data; raises ConfigError that names every invalid key."""
    try:
        return kind.model_validate(data)
    except ValidationError as error:
        raise ConfigError("; ".join(_line(one, kind) for one in error.errors()) + f" (in {origin})") from None


def _line(error: ErrorDetails, kind: type[BaseModel]) -> str:
    key = ".".join(str(part) for part in error["loc"] if not str(part).startswith("constrained")) or "the configuration"
    if error["type"] == "extra_forbidden":
        return f"unknown key {key}; allowed keys: {', '.join(_keys(kind, error['loc'][:-1]))}"
    return f"{key}: {error['msg'].removeprefix('Value error, ')}"


def _keys(kind: object, path: tuple[int | str, ...]) -> list[str]:
    for part in path:
        field = getattr(kind, "model_fields", {}).get(part)
        kind = field.annotation if field else kind
        arguments = getattr(kind, "__args__", ())
        kind = arguments[-1] if arguments else kind
    return sorted(getattr(kind, "model_fields", {}))


def to_yaml(settings: Settings) -> str:
    """Returns the resolved settings as YAML that `from_yaml` can read."""
    text: str = yaml.safe_dump(settings.model_dump(mode="json"), allow_unicode=True, sort_keys=False)
    return text


def from_yaml(text: str, origin: str) -> JsonObject:
    """Returns the mapping in a YAML text; raises ConfigError if the text is not a YAML mapping."""
    try:
        data = yaml.safe_load(text)
    except (yaml.YAMLError, RecursionError) as error:
        raise ConfigError(f"{origin} is not YAML: {' '.join(str(error).split())}") from None
    if data is None:
        return {}
    if not isinstance(data, dict):
        raise ConfigError(f"{origin} must contain a mapping, not {type(data).__name__}")
    return data


def set_key(data: JsonObject, assignment: str) -> None:
    """Sets a dotted key in place, as in `split.test=0.1`; the value is parsed as YAML.

    Raises ConfigError for an assignment of any other form.
    """
    key, equals, value = assignment.partition("=")
    if not equals or not key:
        raise ConfigError(f"--set expects KEY=VALUE, not {assignment!r}")
    *parents, last = key.split(".")
    for part in parents:
        data = data.setdefault(part, {})
        if not isinstance(data, dict):
            raise ConfigError(f"--set {key}: {part} is a value, not a group of keys")
    try:
        data[last] = yaml.safe_load(value)
    except (yaml.YAMLError, RecursionError) as error:
        raise ConfigError(f"--set {key}: {value!r} is not YAML: {' '.join(str(error).split())}") from None

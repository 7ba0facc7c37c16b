"""Settings from plain data and back: YAML files, `KEY=VALUE` assignments, and errors that name the key."""

from typing import Any, TypeVar

import yaml
from pydantic import BaseModel, ValidationError

from conceptloom.errors import ConfigError
from conceptloom.pipelines.build.settings import Settings

C = TypeVar("C", bound=Settings)


def make_settings(kind: type[C], data: object, origin: str) -> C:
    """Typed settings from plain data; raises ConfigError with one line for each key that is wrong."""
    try:
        return kind.model_validate(data)
    except ValidationError as error:
        raise ConfigError("; ".join(_line(one, kind) for one in error.errors()) + f" (in {origin})") from None


def _line(error: Any, kind: type[BaseModel]) -> str:
    key = ".".join(str(part) for part in error["loc"] if not str(part).startswith("constrained")) or "the configuration"
    if error["type"] == "extra_forbidden":
        return f"unknown key {key}; here may stand: {', '.join(_keys(kind, error['loc'][:-1]))}"
    return f"{key}: {error['msg'].removeprefix('Value error, ')}"


def _keys(kind: Any, path: tuple[Any, ...]) -> list[str]:
    for part in path:
        field = getattr(kind, "model_fields", {}).get(part)
        kind = field.annotation if field else kind
        arguments = getattr(kind, "__args__", ())
        kind = arguments[-1] if arguments else kind
    return sorted(getattr(kind, "model_fields", {}))


def to_yaml(settings: Settings) -> str:
    """The resolved settings as YAML that can be read back."""
    text: str = yaml.safe_dump(settings.model_dump(mode="json"), allow_unicode=True, sort_keys=False)
    return text


def from_yaml(text: str, origin: str) -> dict[str, Any]:
    """The mapping that a YAML text holds; raises ConfigError for anything else."""
    try:
        data = yaml.safe_load(text)
    except (yaml.YAMLError, RecursionError) as error:
        raise ConfigError(f"{origin} is not YAML: {' '.join(str(error).split())}") from None
    if data is None:
        return {}
    if not isinstance(data, dict):
        raise ConfigError(f"{origin} must hold a mapping of keys, not {type(data).__name__}")
    return data


def set_key(data: dict[str, Any], assignment: str) -> None:
    """Sets a dotted key, `split.test=0.1`, in place; the value is read as YAML. Raises ConfigError for another form."""
    key, equals, value = assignment.partition("=")
    if not equals or not key:
        raise ConfigError(f"--set wants KEY=VALUE, not {assignment!r}")
    *parents, last = key.split(".")
    for part in parents:
        data = data.setdefault(part, {})
        if not isinstance(data, dict):
            raise ConfigError(f"--set {key}: {part} is a value, not a group of keys")
    try:
        data[last] = yaml.safe_load(value)
    except (yaml.YAMLError, RecursionError) as error:
        raise ConfigError(f"--set {key}: {value!r} is not YAML: {' '.join(str(error).split())}") from None

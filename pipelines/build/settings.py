"""Typed configuration: an unknown key, a wrong type or an impossible value is an error that names the key."""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import fields
from typing import Annotated, Any, Literal, TypeVar

import yaml
from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError, field_validator, model_validator

from conceptloom.current import build_at
from conceptloom.errors import ConfigError
from conceptloom.filters import FILTERS, PRESETS, AnyFilter, make_filter
from conceptloom.languages.korean.rules import RULES
from conceptloom.languages.korean.taggers import TAGGERS
from conceptloom.readers import READERS
from conceptloom.registry import Registry
from conceptloom.similarity import DEFAULT_SCORER, ScorerOptions, make_scorer
from conceptloom.splits import POLICIES, Policy
from conceptloom.storage import is_remote


class Settings(BaseModel):
    """Base of all settings: frozen, and no key is ignored."""

    model_config = ConfigDict(extra="forbid", frozen=True)


def named(value: str, registry: Registry[Any]) -> str:
    """The name, if the registry has it; raises ValueError that lists what there is."""
    if value not in registry:
        raise ValueError(f"no {registry.kind} is called {value!r}; there are: {', '.join(registry)}")
    return value


@contextmanager
def refused() -> Iterator[None]:
    """Turns a ConfigError into the ValueError that pydantic reports with the key."""
    try:
        yield
    except ConfigError as error:
        raise ValueError(str(error)) from None


def _name_and_options(value: object) -> tuple[str, dict[str, object]]:
    if isinstance(value, str):
        return value, {}
    if not isinstance(value, dict) or not isinstance(value.get("name"), str):
        raise ValueError(f"{value!r} is neither a name nor a mapping of name and options, such as {{name: NAME}}")
    return value["name"], {name: option for name, option in value.items() if name != "name"}


class InputSettings(Settings):
    """One source: its files, and how they are read. A format or an encoding that is left out is found by content."""

    patterns: tuple[str, ...] = Field(min_length=1)
    format: str | None = None
    encoding: str | None = None
    options: dict[str, str | int | bool] = {}

    @field_validator("patterns")
    @classmethod
    def _ordered(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(sorted(set(value)))

    @field_validator("format")
    @classmethod
    def _known(cls, value: str | None) -> str | None:
        return value if value is None else named(value, READERS)


class FilterSettings(Settings):
    """Which filters run: a preset, less `off`, plus `on`, with options by filter."""

    preset: Literal["published", "paper", "none"] = "published"
    off: tuple[str, ...] = ()
    on: tuple[str, ...] = ()
    options: dict[str, dict[str, JsonValue]] = {}

    @field_validator("off", "on")
    @classmethod
    def _known(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(named(name, FILTERS) for name in value)

    @field_validator("options")
    @classmethod
    def _possible(cls, value: dict[str, dict[str, JsonValue]]) -> dict[str, dict[str, JsonValue]]:
        for name, options in value.items():
            with refused():
                make_filter(name, options)
        return value

    def names(self) -> tuple[str, ...]:
        """Returns the names of the filters, in the order in which they are asked."""
        names = [name for name in PRESETS[self.preset] if name not in self.off]
        return tuple(dict.fromkeys([*names, *self.on]))

    def chosen(self) -> tuple[AnyFilter, ...]:
        """Returns the filters with their options, in the same order."""
        return tuple(make_filter(name, self.options.get(name)) for name in self.names())


class KoreanIngestSettings(Settings):
    """Reading, filtering, tagging, concepts (section 3.1)."""

    tagger: str = "mecab"
    rule: str = "published"
    filters: FilterSettings = FilterSettings()
    maximum_malformed: float = Field(default=0.1, ge=0, le=1)

    @field_validator("tagger")
    @classmethod
    def _tagger(cls, value: str) -> str:
        return named(value, TAGGERS)

    @field_validator("rule")
    @classmethod
    def _rule(cls, value: str) -> str:
        return named(value, RULES)


class SelectSettings(Settings):
    """Postings, scorer, and how many sentences a posting keeps (section 3.1, equations 1 and 2).

    `scorer` is a name, or a mapping of `name` and the scorer's options.
    """

    scorer: str | dict[str, JsonValue] = DEFAULT_SCORER
    unit: Literal["concept", "morpheme"] = "concept"
    per_source: bool = True
    posting_limit: int = Field(default=100, ge=1)
    top_k: int = Field(default=2, ge=1)

    @field_validator("scorer", mode="before")
    @classmethod
    def _scorer(cls, value: object) -> object:
        name, options = _name_and_options(value)
        with refused():
            make_scorer(name, options)
        return value if options else name

    @property
    def scorer_name(self) -> str:
        """The name of the scorer."""
        return _name_and_options(self.scorer)[0]

    def chosen_scorer(self) -> ScorerOptions:
        """Returns the scorer with its options, not opened."""
        return make_scorer(*_name_and_options(self.scorer))


Size = Annotated[int, Field(ge=0, strict=True)] | Annotated[float, Field(gt=0, lt=1, strict=True)]
"""A number of sentences, or a fraction of them below 1."""


class SplitSettings(Settings):
    """Validation and test under a split policy (section 3, table 1).

    The default sizes are about the published shares: 1,000 and 2,040 of 46,228 sets.
    """

    policy: str = "unseen-pairs"
    validation: Size = 0.02
    test: Size = 0.04
    min_pairs: int = Field(default=1, ge=1)
    max_shared: int = Field(default=1, ge=0)
    stratify: bool = True

    @field_validator("policy")
    @classmethod
    def _policy(cls, value: str) -> str:
        return named(value, POLICIES)

    def chosen(self) -> Policy:
        """The policy, with those of the options that are its own."""
        make = POLICIES[self.policy].make
        return make(**{field.name: getattr(self, field.name) for field in fields(make)})


class PublishSettings(Settings):
    """The final files: the order of train, and how many rows a file holds at most."""

    train_order: Literal["shuffled", "curriculum"] = "shuffled"
    rows_per_file: int = Field(default=250_000, ge=1)


class BoundSettings(Settings):
    """Between what a number must be, both ends allowed."""

    min: float | None = Field(default=None, allow_inf_nan=False)
    max: float | None = Field(default=None, allow_inf_nan=False)

    @model_validator(mode="after")
    def _possible(self) -> "BoundSettings":
        if self.min is None and self.max is None:
            raise ValueError("give min, max or both")
        if self.min is not None and self.max is not None and self.min > self.max:
            raise ValueError("min is above max")
        return self


class GateSettings(Settings):
    """What a build must show before it is promoted. Null, false or nothing: that gate is not asked.

    No stage depends on it. `maximum_malformed` is that of stage ingest where it is null. `max_kept_fall` is not asked
    by default: a corpus that grows leaves a smaller share to selection.
    """

    max_fall: float | None = Field(default=0.1, ge=0, le=1)
    leak: bool = True
    maximum_malformed: float | None = Field(default=None, ge=0, le=1)
    max_kept_fall: float | None = Field(default=None, ge=0, le=100)
    bounds: dict[str, BoundSettings] = {}
    frozen: bool = False

    def chosen(self, maximum_malformed: float) -> dict[str, Any]:
        """The limit of each gate that is asked, by its name; `maximum_malformed` is that of stage ingest."""
        limits = {
            "max_fall": self.max_fall,
            "leak": self.leak or None,
            "maximum_malformed": maximum_malformed if self.maximum_malformed is None else self.maximum_malformed,
            "max_kept_fall": self.max_kept_fall,
            "bounds": {path: (bound.min, bound.max) for path, bound in self.bounds.items()},
            "frozen": self.frozen or None,
        }
        return {name: limit for name, limit in limits.items() if limit is not None}


_ACCELERATOR = re.compile(r"type:[^;\s]+;count:[1-9]\d*(;[^;\s]+)*", re.ASCII)
_RAM = re.compile(r"(?=.*[1-9])\d+(\.\d+)? ?[KMGT]i?B", re.ASCII)


class StepResources(Settings):
    """What the workers of one step should have: Beam's resource hints. A runner without such workers ignores them."""

    accelerator: str | None = None
    min_ram: str | None = None

    @field_validator("accelerator")
    @classmethod
    def _accelerator(cls, value: str | None) -> str | None:
        if value is not None and not _ACCELERATOR.fullmatch(value):
            raise ValueError(f"{value!r} is none: write it as type:nvidia-tesla-t4;count:1;install-nvidia-driver")
        return value

    @field_validator("min_ram")
    @classmethod
    def _ram(cls, value: str | None) -> str | None:
        if value is not None and not _RAM.fullmatch(value):
            raise ValueError(f"{value!r} is no size: write it as 16GB, with KB, MB, GB, TB, KiB, MiB, GiB or TiB")
        return value

    def hints(self) -> dict[str, str]:
        """The hints that are given, by the names that Beam has for them."""
        return {name: value for name, value in self.model_dump().items() if value is not None}


class ResourceSettings(Settings):
    """Where the steps run, never what they make: no part of a stage's fingerprint."""

    score: StepResources = StepResources()


class RecipeSettings(Settings):
    """What every recipe has: name, inputs by source, the seed, how many records of each file are read, and gates.

    `frozen` is an earlier build whose validation and test are kept.
    """

    recipe: str
    inputs: dict[str, InputSettings] = Field(min_length=1)
    seed: int = Field(default=0, ge=0)
    limit: int | None = Field(default=None, ge=1)
    frozen: str | None = Field(default=None, min_length=1)
    gates: GateSettings = GateSettings()

    @field_validator("inputs")
    @classmethod
    def _source_names(cls, value: dict[str, InputSettings]) -> dict[str, InputSettings]:
        for name in value:
            if not name.replace("-", "").replace("_", "").isalnum():
                raise ValueError(f"a source's name has letters, digits, - and _ only, not {name!r}")
        return dict(sorted(value.items()))

    @field_validator("frozen")
    @classmethod
    def _one_build(cls, value: str | None) -> str | None:
        # A link such as `current` may name another build before this one is done.
        return value if value is None or is_remote(value) else os.path.realpath(value)

    def policy(self) -> Any:
        """What the splits of a build promise of each other: what the gate `leak` asks for."""
        raise NotImplementedError

    def settled(self) -> "RecipeSettings":
        """These settings with the build that a name of the current one points at now: a promotion may come between."""
        return self if self.frozen is None else self.model_copy(update={"frozen": build_at(self.frozen)})

    def files(self) -> list[str]:
        """The patterns of everything that the workers read, and the build that they copy from."""
        patterns = [pattern for source in self.inputs.values() for pattern in source.patterns]
        return [*patterns, *([self.frozen] if self.frozen else [])]


class KoreanCommonGenSettings(RecipeSettings):
    """The recipe `korean-commongen`."""

    recipe: Literal["korean-commongen"] = "korean-commongen"
    ingest: KoreanIngestSettings = KoreanIngestSettings()
    select: SelectSettings = SelectSettings()
    split: SplitSettings = SplitSettings()
    publish: PublishSettings = PublishSettings()
    resources: ResourceSettings = ResourceSettings()

    def policy(self) -> Policy:
        """See RecipeSettings."""
        return self.split.chosen()


S = TypeVar("S", bound=Settings)


def make_settings(kind: type[S], data: Any, origin: str) -> S:
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

"""Typed settings that all recipes share: an unknown key, a wrong type or an impossible value is an error."""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import ClassVar, TypeVar

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from conceptloom.current import build_at
from conceptloom.errors import ConfigError
from conceptloom.readers import READERS
from conceptloom.registry import Registry
from conceptloom.storage import absolute, is_remote

S = TypeVar("S", bound="RecipeSettings")
"""The settings of a recipe."""

T = TypeVar("T")


class Settings(BaseModel):
    """Base class of all settings: frozen, and unknown keys are errors."""

    model_config = ConfigDict(extra="forbid", frozen=True)


def named(name: str, registry: Registry[T]) -> str:
    """Returns `name` if the registry has it; raises ValueError that lists the available names."""
    if name not in registry:
        raise ValueError(f"no {registry.kind} is called {name!r}; there are: {', '.join(registry)}")
    return name


@contextmanager
def refused() -> Iterator[None]:
    """Turns a ConfigError into the ValueError that pydantic reports with the key."""
    try:
        yield
    except ConfigError as error:
        raise ValueError(str(error)) from None


class InputSettings(Settings):
    """One source: its files and how to read them. Format and encoding are detected from content if omitted.

    Patterns are made absolute, so that the configuration that a build holds can be used from any folder.
    """

    patterns: tuple[str, ...] = Field(min_length=1)
    format: str | None = None
    encoding: str | None = None
    options: dict[str, str | int | bool] = {}

    @field_validator("patterns")
    @classmethod
    def _ordered(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(sorted({absolute(pattern) for pattern in value}))

    @field_validator("format")
    @classmethod
    def _known(cls, value: str | None) -> str | None:
        return value if value is None else named(value, READERS)


class BoundSettings(Settings):
    """The inclusive bounds of a number."""

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
    """The limits that a build must meet to be promoted. A gate whose limit is null, false or empty is disabled.

    No stage depends on these settings. If `maximum_malformed` is null, the limit of stage ingest applies.
    `max_kept_fall` is disabled by default: as a corpus grows, selection keeps a smaller share of it.
    """

    max_fall: float | None = Field(default=0.1, ge=0, le=1)
    leak: bool = True
    maximum_malformed: float | None = Field(default=None, ge=0, le=1)
    max_kept_fall: float | None = Field(default=None, ge=0, le=100)
    bounds: dict[str, BoundSettings] = {}
    frozen: bool = False

    def chosen(self, maximum_malformed: float) -> dict[str, object]:
        """Returns the limit of each enabled gate by name; `maximum_malformed` is the limit of stage ingest."""
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
    """Beam's resource hints for the workers of one step. A runner that does not support them ignores them."""

    accelerator: str | None = None
    min_ram: str | None = None

    @field_validator("accelerator")
    @classmethod
    def _accelerator(cls, value: str | None) -> str | None:
        if value is not None and not _ACCELERATOR.fullmatch(value):
            raise ValueError(f"{value!r} is not valid: write it as type:nvidia-tesla-t4;count:1;install-nvidia-driver")
        return value

    @field_validator("min_ram")
    @classmethod
    def _ram(cls, value: str | None) -> str | None:
        if value is not None and not _RAM.fullmatch(value):
            raise ValueError(f"{value!r} is not a size: write it as 16GB, with KB, MB, GB, TB, KiB, MiB, GiB or TiB")
        return value

    def hints(self) -> dict[str, str]:
        """Returns the hints that are set, by their Beam names."""
        return {name: value for name, value in self.model_dump().items() if value is not None}


class RecipeSettings(Settings):
    """The settings that all recipes share: name, inputs by source, seed, the limit of records per file, and gates.

    With a `limit` the build is that of the first records of each file; a large file of lines is read no further.

    `frozen` is an earlier build whose validation and test splits are kept.
    """

    no_data: ClassVar[frozenset[str]] = frozenset({"gates", "resources"})
    """The groups that change no data: what is checked at promotion, and where steps run."""

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
                raise ValueError(f"a source name may contain only letters, digits, - and _, not {name!r}")
        return dict(sorted(value.items()))

    @field_validator("frozen")
    @classmethod
    def _one_build(cls, value: str | None) -> str | None:
        # A link such as `current` may point at another build before this one is done.
        return value if value is None or is_remote(value) else os.path.realpath(value)

    @property
    def malformed_allowed(self) -> float:
        """The largest accepted share of malformed records of a source."""
        return 0.1

    @property
    def rows_per_file(self) -> int:
        """The maximum number of rows of a final file."""
        return 250_000

    def settled(self: S) -> S:
        """Returns these settings with `frozen` resolved: a promotion may move a link during the build."""
        return self if self.frozen is None else self.model_copy(update={"frozen": build_at(self.frozen)})

    def files(self) -> list[str]:
        """Returns all paths that the workers read: the input patterns and the frozen build."""
        patterns = [pattern for source in self.inputs.values() for pattern in source.patterns]
        return [*patterns, *([self.frozen] if self.frozen else [])]

"""Typed settings that every recipe has: an unknown key, a wrong type or an impossible value is an error."""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from conceptloom.current import build_at
from conceptloom.errors import ConfigError
from conceptloom.readers import READERS
from conceptloom.registry import Registry
from conceptloom.storage import is_remote

S = TypeVar("S", bound="RecipeSettings")
"""The settings of a recipe."""


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

    @property
    def malformed_allowed(self) -> float:
        """The largest share of malformed records of a source that a build accepts."""
        return 0.1

    @property
    def rows_per_file(self) -> int:
        """How many rows a final file holds at most."""
        return 250_000

    def settled(self: S) -> S:
        """These settings with the build that a name of the current one points at now: a promotion may come between."""
        return self if self.frozen is None else self.model_copy(update={"frozen": build_at(self.frozen)})

    def files(self) -> list[str]:
        """The patterns of everything that the workers read, and the build that they copy from."""
        patterns = [pattern for source in self.inputs.values() for pattern in source.patterns]
        return [*patterns, *([self.frozen] if self.frozen else [])]

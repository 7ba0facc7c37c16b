"""The settings of the recipe `korean-commongen`; the defaults reproduce the published data."""

from dataclasses import fields
from typing import Annotated, Any, Literal

from pydantic import Field, field_validator

from conceptloom.errors import ConfigError
from conceptloom.filters import FILTERS, PRESETS, make_filter
from conceptloom.languages.korean.rules import RULES
from conceptloom.languages.korean.taggers import TAGGERS
from conceptloom.pipelines.build.settings import RecipeSettings, Settings, StepResources, named
from conceptloom.similarity import DEFAULT_SCORER, SCORERS
from conceptloom.splits import POLICIES, Policy


class FilterSettings(Settings):
    """Which filters run: a preset, less `off`, plus `on`, with options by filter."""

    preset: Literal["published", "paper", "none"] = "published"
    off: tuple[str, ...] = ()
    on: tuple[str, ...] = ()
    options: dict[str, dict[str, Any]] = Field(default_factory=dict)

    @field_validator("off", "on")
    @classmethod
    def _known(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(named(name, FILTERS) for name in value)

    @field_validator("options")
    @classmethod
    def _possible(cls, value: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
        for name, options in value.items():
            try:
                make_filter(named(name, FILTERS), options)
            except ConfigError as error:
                raise ValueError(str(error)) from None
        return value

    def chosen(self) -> tuple[tuple[str, tuple[tuple[str, Any], ...]], ...]:
        """The filters in the order in which they are asked, each with its options."""
        names = [name for name in PRESETS[self.preset] if name not in self.off]
        names += [name for name in self.on if name not in names]
        return tuple((name, tuple(sorted(self.options.get(name, {}).items()))) for name in names)


class IngestSettings(Settings):
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
    """Postings, scorer, and how many sentences a posting keeps (section 3.1, equations 1 and 2)."""

    scorer: str = DEFAULT_SCORER
    unit: Literal["concept", "morpheme"] = "concept"
    per_source: bool = True
    posting_limit: int = Field(default=100, ge=1)
    top_k: int = Field(default=2, ge=1)

    @field_validator("scorer")
    @classmethod
    def _scorer(cls, value: str) -> str:
        return named(value, SCORERS)


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


class ResourceSettings(Settings):
    """Where the steps run, never what they make: no part of a stage's fingerprint."""

    score: StepResources = StepResources()


class KoreanCommonGenSettings(RecipeSettings):
    """The recipe `korean-commongen`."""

    recipe: Literal["korean-commongen"] = "korean-commongen"
    ingest: IngestSettings = IngestSettings()
    select: SelectSettings = SelectSettings()
    split: SplitSettings = SplitSettings()
    publish: PublishSettings = PublishSettings()
    resources: ResourceSettings = ResourceSettings()

    @property
    def malformed_allowed(self) -> float:
        """See RecipeSettings."""
        return self.ingest.maximum_malformed

    @property
    def rows_per_file(self) -> int:
        """See RecipeSettings."""
        return self.publish.rows_per_file

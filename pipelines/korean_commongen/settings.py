"""The settings of the recipe `korean-commongen`; the defaults reproduce the published data."""

from dataclasses import fields
from typing import Annotated, Literal

from pydantic import Field, JsonValue, field_validator

from conceptloom.filters import FILTERS, PRESETS, AnyFilter, make_filter, preset_options
from conceptloom.languages.korean.rules import RULES
from conceptloom.languages.korean.taggers import TAGGERS
from conceptloom.pipelines.build.settings import RecipeSettings, Settings, StepResources, named, refused
from conceptloom.similarity import DEFAULT_SCORER, ScorerOptions, make_scorer
from conceptloom.splits import POLICIES, Policy
from conceptloom.storage import absolute


def _name_and_options(value: object) -> tuple[str, dict[str, object]]:
    if isinstance(value, str):
        return value, {}
    if not isinstance(value, dict) or not isinstance(value.get("name"), str):
        raise ValueError(f"{value!r} is neither a name nor a mapping of name and options, such as {{name: NAME}}")
    return value["name"], {name: option for name, option in value.items() if name != "name"}


class FilterSettings(Settings):
    """Which filters run: a preset, less `off`, plus `on`, with options by filter, which replace the preset's."""

    preset: Literal["published", "paper", "none"] = "published"
    off: tuple[str, ...] = ()
    on: tuple[str, ...] = ()
    options: dict[str, dict[str, JsonValue]] = Field(default_factory=dict)

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
        return tuple(make_filter(name, self._options(name)) for name in self.names())

    def _options(self, name: str) -> dict[str, object]:
        return {**preset_options(self.preset, name), **self.options.get(name, {})}


class KoreanIngestSettings(Settings):
    """Reading, filtering, tagging, concepts (section 3.1).

    `complete_declaratives` adds the full stop that a declarative lacks, so that it ends in `다.` as section 3.1 wants.
    """

    tagger: str = "mecab"
    rule: str = "published"
    complete_declaratives: bool = True
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
        path = options.get("path")
        # As the patterns of the inputs, so that config.yaml can be used from any folder.
        found = {"path": absolute(path)} if isinstance(path, str) else {}
        return {"name": name, **options, **found} if options else name

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


class ResourceSettings(Settings):
    """Where the steps run, never what they make: no part of a stage's fingerprint."""

    score: StepResources = StepResources()


class KoreanCommonGenSettings(RecipeSettings):
    """The recipe `korean-commongen`."""

    recipe: Literal["korean-commongen"] = "korean-commongen"
    ingest: KoreanIngestSettings = KoreanIngestSettings()
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

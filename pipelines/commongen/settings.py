"""The settings of the recipe `commongen`; the defaults are the paper's."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import Field, field_validator, model_validator

from conceptloom.concepts import MiningRules, Quotas
from conceptloom.json_values import JsonObject
from conceptloom.languages.english.analysers import DEFAULT, EVERY, PUBLISHED, named_analyser
from conceptloom.languages.english.stop_concepts import stop_concepts
from conceptloom.pipelines.build.settings import RecipeSettings, Settings, named, refused
from conceptloom.splits.train_sets import TRAIN_POLICIES, TrainPolicy, train_policy
from conceptloom.storage import absolute

Amounts = dict[Annotated[int, Field(ge=1)], Any]
"""By set size: a number of sets, or a fraction below 1 of the candidates of that size (validated by Quotas)."""


class EnglishIngestSettings(Settings):
    """Settings of reading and of concept extraction."""

    analyser: str = DEFAULT
    unique_by: Literal["words", "text"] = "words"
    """What makes two captions the same one: their words, or their text with case and punctuation."""
    maximum_malformed: float = Field(default=0.1, ge=0, le=1)

    @field_validator("analyser")
    @classmethod
    def _analyser(cls, value: str) -> str:
        with refused():
            named_analyser(value)
        return value


class MineSettings(Settings):
    """Which concept sets are mined: all sets of these sizes in every sentence.

    With `distinct_words` a sentence supports a set only if distinct words of it supply the concepts; without, `lenses`
    alone supplies lens and lense.
    """

    sizes: tuple[int, ...] = (3, 4, 5)
    min_support: int = 1
    max_concepts: int = Field(default=16, le=64)
    distinct_words: bool = True
    stop_concepts: Literal["published"] | tuple[str, ...] = "published"
    """Concepts that no set may have: a list, or those that stand in many captions and in no published set."""

    @field_validator("stop_concepts", mode="before")
    @classmethod
    def _stopped(cls, value: object) -> object:
        if value != "published" and not isinstance(value, list | tuple):
            raise ValueError(f"must be published or a list, such as [man, make] or [], not {value!r}")
        return value

    @model_validator(mode="after")
    def _possible(self) -> "MineSettings":
        with refused():
            self.chosen()
        return self

    def chosen(self) -> MiningRules:
        """Returns these settings as the core takes them."""
        stopped = stop_concepts() if self.stop_concepts == "published" else self.stop_concepts
        return MiningRules(self.sizes, self.min_support, self.max_concepts, self.distinct_words, tuple(sorted(stopped)))


class SampleSettings(Settings):
    """How many candidates are drawn from all concept sets, weighted by score."""

    size: int = Field(default=100_000, ge=1)


class QuotaSettings(Settings):
    """How many sets go to dev and test, by set size, and which: see RANKS."""

    dev: Amounts = Quotas().dev  # type: ignore[assignment]
    test: Amounts = Quotas().test  # type: ignore[assignment]
    rank: Literal["published", "draw", "score"] = "published"
    min_support: int = Quotas().min_support

    @model_validator(mode="after")
    def _possible(self) -> "QuotaSettings":
        with refused():
            self.chosen()
        return self

    def chosen(self) -> Quotas:
        """Returns these settings as the core takes them."""
        return Quotas(self.dev, self.test, self.rank, self.min_support)


class OverlapSettings(Settings):
    """What train may share with dev and test, and how many captions each dev and test set gets as references.

    Where sets of dev and test stand in the same captions, they take `turns`, or dev gets what no set of test could have
    (`test-first`). These captions are excluded from train. With 0, dev and test have no references, for people to write
    them. A set of train keeps all other captions, or the first `train_references`, by their ids, if it has more.
    """

    policy: str = "final"
    unseen_dev_pairs: float = Field(default=0.9631, ge=0, le=1)
    max_shared: int = Field(default=2, ge=0)
    references: int = Field(default=5, ge=0)
    captions: Literal["turns", "test-first"] = "turns"
    train_references: int = Field(default=10_000, ge=1)

    @field_validator("policy")
    @classmethod
    def _policy(cls, value: str) -> str:
        return named(value, TRAIN_POLICIES)

    def chosen(self) -> TrainPolicy:
        """Returns the policy with the options that apply to it."""
        return train_policy(self.policy, dict(self))


class SetPublishSettings(Settings):
    """The final files: the maximum number of rows of each."""

    rows_per_file: int = Field(default=250_000, ge=1)


PRESETS: Mapping[str, JsonObject] = {
    "default": {},
    "published": {"ingest": {"analyser": PUBLISHED}},
    "every-lemma": {
        "ingest": {"analyser": EVERY, "unique_by": "text"},
        "mine": {"stop_concepts": (), "distinct_words": False},
        "quotas": {"rank": "score"},
        "overlap": {"captions": "test-first"},
    },
}
"""Values for settings that are not given: those of this version, the same with the published sets' own lemmas
(`specie`), and those of earlier builds, when every lemma of a word was a concept."""


class CommonGenSettings(RecipeSettings):
    """The recipe `commongen`. `conceptnet` is a file of ConceptNet: assertions, triples, or one name per line.

    `preset` names the values (PRESETS) of settings that are not given.
    """

    recipe: Literal["commongen"] = "commongen"
    preset: Literal["default", "published", "every-lemma"] = "default"
    conceptnet: str | None = Field(default=None, min_length=1)
    ingest: EnglishIngestSettings = EnglishIngestSettings()
    mine: MineSettings = MineSettings()
    sample: SampleSettings = SampleSettings()
    quotas: QuotaSettings = QuotaSettings()
    overlap: OverlapSettings = OverlapSettings()
    publish: SetPublishSettings = SetPublishSettings()

    @model_validator(mode="before")
    @classmethod
    def _from_preset(cls, values: Any) -> Any:
        if not isinstance(values, dict):
            return values
        own = PRESETS.get(str(values.get("preset", "default")), {})
        given = {name: values.get(name, {}) for name in own}
        return {**values, **{name: {**own[name], **part} for name, part in given.items() if isinstance(part, dict)}}

    @field_validator("conceptnet")
    @classmethod
    def _from_anywhere(cls, value: str | None) -> str | None:
        return value and absolute(value)

    @model_validator(mode="after")
    def _mined_sizes(self) -> "CommonGenSettings":
        # Frozen dev and test have the sizes of the earlier build.
        for split in () if self.frozen else ("dev", "test"):
            amounts = getattr(self.quotas, split)
            missing = sorted(size for size, amount in amounts.items() if amount and size not in self.mine.sizes)
            if missing:
                found = f"mine.sizes does not include {missing[0]}, only {', '.join(map(str, self.mine.sizes))}"
                raise ValueError(f"quotas.{split}.{missing[0]}: {found}; give quotas.{split} without it")
        return self

    @property
    def malformed_allowed(self) -> float:
        """See RecipeSettings."""
        return self.ingest.maximum_malformed

    @property
    def rows_per_file(self) -> int:
        """See RecipeSettings."""
        return self.publish.rows_per_file

    def files(self) -> list[str]:
        """See RecipeSettings."""
        return [*super().files(), *([self.conceptnet] if self.conceptnet else [])]

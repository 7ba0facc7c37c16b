"""Recipe `korean-commongen`: Korean CommonGen (Seo et al., 2022), from raw captions and dialogues to a data set."""

import apache_beam as beam
import pyarrow as pa

from conceptloom.code import plugin_code
from conceptloom.corpus.analysis import KoreanAnalyser
from conceptloom.filters import FILTERS
from conceptloom.gates import Build, Verdict, sentence_leaks
from conceptloom.json_values import JsonObject
from conceptloom.languages.korean.rules import RULES
from conceptloom.languages.korean.taggers import TAGGERS
from conceptloom.pipelines.build.context import Context, Receipts
from conceptloom.pipelines.build.frozen import check_frozen, frozen_copies, frozen_note, open_frozen
from conceptloom.pipelines.build.ingest_stage import check_ingest, reading_settings
from conceptloom.pipelines.build.publish_stage import check_train, data_files, stage_copies
from conceptloom.pipelines.build.recipe import RECIPES, DataRows, Recipe, Stage
from conceptloom.pipelines.korean_commongen.card import KOREAN
from conceptloom.pipelines.korean_commongen.costs import KoreanCosts
from conceptloom.pipelines.korean_commongen.demo import demo_settings
from conceptloom.pipelines.korean_commongen.explain import EXPLAINER
from conceptloom.pipelines.korean_commongen.settings import KoreanCommonGenSettings
from conceptloom.pipelines.korean_commongen.variant import VARIANTS
from conceptloom.schemas import DATA
from conceptloom.similarity import SCORERS
from conceptloom.splits import Sizes, frozen_assignment, require_pairs
from conceptloom.tasks.korean_commongen.frozen import TakeFrozen, frozen_rows
from conceptloom.tasks.korean_commongen.publish import Sentences
from conceptloom.tasks.korean_commongen.select import Selection
from conceptloom.tasks.publish import Copy, DataFile
from conceptloom.transforms.ingest import Ingest
from conceptloom.transforms.korean_commongen.frozen import SplitAgainstFrozen
from conceptloom.transforms.korean_commongen.select import Select
from conceptloom.transforms.korean_commongen.split import Split, SplitPlan
from conceptloom.transforms.publish import Publish
from conceptloom.variants import curriculum_order

KoreanContext = Context[KoreanCommonGenSettings]


def analyser_of(settings: KoreanCommonGenSettings) -> KoreanAnalyser:
    """Returns the core's view of the settings of stage ingest."""
    chosen = settings.ingest
    return KoreanAnalyser(chosen.tagger, chosen.rule, chosen.filters.chosen(), chosen.complete_declaratives)


def _ingest_settings(settings: KoreanCommonGenSettings) -> JsonObject:
    chosen = settings.ingest
    filters = [FILTERS[name].make for name in chosen.filters.names()]
    return {
        **reading_settings(settings),
        **chosen.model_dump(mode="json"),
        **analyser_of(settings).signature(),
        **plugin_code([*filters, TAGGERS[chosen.tagger].make, RULES[chosen.rule].concepts]),
    }


def _ingest(context: KoreanContext, pipeline: beam.Pipeline) -> object:
    settings = context.settings
    return pipeline | "Ingest" >> Ingest(
        files=context.plan.files,
        spans=list(context.plan.spans),
        buckets=context.buckets,
        analyser=analyser_of(settings),
        seed=settings.seed,
        limit=settings.limit,
        directory=context.directory("ingest"),
    )


def _select_settings(settings: KoreanCommonGenSettings) -> JsonObject:
    chosen = settings.select
    # A scorer's options are in its signature, without the places of its files.
    return {
        "seed": settings.seed,
        **chosen.model_dump(mode="json"),
        "scorer": chosen.scorer_name,
        "scorer_signature": chosen.chosen_scorer().signature(),
        **plugin_code([SCORERS[chosen.scorer_name].make]),
    }


def selection_of(settings: KoreanCommonGenSettings) -> Selection:
    """Returns the core's view of the settings of stage select."""
    chosen = settings.select
    return Selection(
        scorer=chosen.chosen_scorer(),
        unit=chosen.unit,
        per_source=chosen.per_source,
        limit=chosen.posting_limit,
        top=chosen.top_k,
        seed=settings.seed,
    )


def _select(context: KoreanContext, pipeline: beam.Pipeline) -> object:
    directories = context.directory("ingest"), context.directory("select")
    selection, hints = selection_of(context.settings), context.settings.resources.score.hints()
    return pipeline | "Select" >> Select(selection, context.buckets, *directories, hints)


def _check(settings: KoreanCommonGenSettings, output: str) -> tuple[str, ...]:
    # Asked for before anything runs: a file that is missing should not be found out after an hour of tagging.
    settings.select.chosen_scorer().signature()
    signature = analyser_of(settings).signature()
    if settings.frozen is None:
        return ()
    extraction = {"rule": settings.ingest.rule, "tagger": signature["tagger"]}
    frozen = check_frozen(settings, output, extraction)
    rows = pa.concat_tables([frozen_rows(file, data) for file, data in frozen.data()])
    require_pairs(frozen_assignment(rows), settings.split.chosen())
    return (frozen_note(frozen, "split.validation, split.test and split.stratify"),)


def _split_settings(settings: KoreanCommonGenSettings) -> JsonObject:
    if settings.frozen is None:
        return {"seed": settings.seed, **settings.split.model_dump(mode="json")}
    chosen = settings.split.model_dump(mode="json", exclude={"validation", "test", "stratify"})
    return {**chosen, "frozen": open_frozen(settings.frozen, settings.recipe).to_json()}


def split_plan(settings: KoreanCommonGenSettings, sentences: int) -> SplitPlan:
    """Returns the settings of stage split as the core takes them, for that many sentences."""
    chosen = settings.split
    validation, test = Sizes(chosen.validation, chosen.test).resolve(sentences)
    return SplitPlan(chosen.chosen(), validation, test, chosen.stratify, settings.seed)


def _split(context: KoreanContext, pipeline: beam.Pipeline) -> object:
    settings = context.settings
    source, directory = context.directory("select"), context.directory("split")
    if settings.frozen is not None:
        frozen = open_frozen(settings.frozen, settings.recipe)
        take = TakeFrozen(frozen.files, frozen.directory, directory)
        policy = settings.split.chosen()
        return pipeline | "Split" >> SplitAgainstFrozen(policy, take, context.buckets, source, directory)
    plan = split_plan(settings, context.kept("select"))
    return pipeline | "Split" >> Split(plan, context.buckets, source, directory)


def _check_split(context: KoreanContext, receipts: Receipts) -> JsonObject:
    cure = "freeze another build" if context.settings.frozen else "lower split.validation and split.test"
    policy = context.settings.split.policy
    missing = f"policy {policy} leaves no sentence for train: {cure}, or choose another split.policy"
    return check_train(context, receipts, missing, _wanted(context.settings))


def _wanted(settings: KoreanCommonGenSettings) -> dict[str, str]:
    """Returns the splits that settings ask for, with the keys that do; frozen ones are as they are."""
    names = () if settings.frozen else ("validation", "test")
    return {name: f"split.{name}" for name in names if getattr(settings.split, name)}


def _publish_settings(settings: KoreanCommonGenSettings) -> JsonObject:
    return settings.publish.model_dump(mode="json")


def _publish(context: KoreanContext, pipeline: beam.Pipeline) -> object:
    order = curriculum_order if context.settings.publish.train_order == "curriculum" else None
    copies = stage_copies(context, {"index": ["select"], "rejected": ["ingest", "select", "split"]})
    jobs: list[DataFile | Copy] = [*data_files(context, order), *copies, *frozen_copies(context)]
    return pipeline | "Publish" >> Publish(jobs, context.output, context.directory("publish"), Sentences())


def _report(context: KoreanContext) -> JsonObject:
    scorer = next(file["scorer"] for file in context.manifests["select"].files if "scorer" in file)
    return {
        "tagger": context.manifests["ingest"].settings["tagger"],
        "scorer": scorer,
        "frozen": context.manifests["split"].settings.get("frozen"),
    }


def _leaks(settings: KoreanCommonGenSettings, build: Build) -> list[Verdict]:
    return sentence_leaks(build, settings.split.chosen())


_TRANSFORMS = "conceptloom.transforms"
_OWN = f"{_TRANSFORMS}.korean_commongen"

RECIPE: Recipe[KoreanCommonGenSettings] = Recipe(
    name="korean-commongen",
    summary="Korean CommonGen (Seo et al., 2022): Korean captions and dialogues to content morphemes and sentences",
    settings=KoreanCommonGenSettings,
    stages=(
        Stage(
            "ingest",
            _ingest_settings,
            _ingest,
            check_ingest,
            code=(f"{_TRANSFORMS}.ingest", "conceptloom.corpus.analysis"),
        ),
        Stage("select", _select_settings, _select, code=(f"{_OWN}.select",)),
        Stage("split", _split_settings, _split, _check_split, code=(f"{_OWN}.split", f"{_OWN}.frozen")),
        Stage(
            "publish",
            _publish_settings,
            _publish,
            into_output=True,
            code=(f"{_TRANSFORMS}.publish", "conceptloom.tasks.korean_commongen.publish", "conceptloom.variants"),
        ),
    ),
    products=("data", "published", "rejected", "index", "report.json", "README.md", "config.yaml"),
    rows=DataRows(
        schema=DATA,
        headline="target",
        counted=lambda column: f"{column['sets']:>9,} concept sets, {column['unique_concepts']:,} concepts",
        line=lambda row: f"{'#'.join(row['concepts'])} -> {row['target']}",
    ),
    card=KOREAN,
    report=_report,
    made_by=("tagger", "scorer"),
    check=_check,
    leaks=_leaks,
    demo=demo_settings,
    explain=EXPLAINER,
    table="korean-commongen",
    variants=VARIANTS,
    costs=KoreanCosts(),
)
RECIPES.add(RECIPE.name, RECIPE)

"""Recipe `commongen`: CommonGen (Lin et al., 2020), from raw English captions to concept sets and their sentences."""

from posixpath import basename

import apache_beam as beam

from conceptloom import storage
from conceptloom.conceptnet import check_vocabulary
from conceptloom.concepts import Quotas
from conceptloom.corpus.captions import CaptionAnalyser
from conceptloom.errors import BuildError, ConfigError, InputError
from conceptloom.gates import Build, Verdict, set_leaks
from conceptloom.json_values import JsonObject
from conceptloom.pipelines.build.context import Context, Receipts
from conceptloom.pipelines.build.frozen import check_frozen, frozen_copies, frozen_note, open_frozen
from conceptloom.pipelines.build.ingest_stage import check_ingest, reading_settings
from conceptloom.pipelines.build.publish_stage import check_train, data_files, stage_copies
from conceptloom.pipelines.build.recipe import RECIPES, CommandOption, DataRows, Recipe, Stage
from conceptloom.pipelines.commongen.card import ENGLISH
from conceptloom.pipelines.commongen.costs import CommonGenCosts
from conceptloom.pipelines.commongen.demo import demo_settings
from conceptloom.pipelines.commongen.explain import EXPLAINER
from conceptloom.pipelines.commongen.settings import CommonGenSettings
from conceptloom.schemas import DATA
from conceptloom.tasks.commongen.frozen import BARE, TakeFrozenSets
from conceptloom.tasks.commongen.mine import TERMS, shards_of
from conceptloom.tasks.commongen.publish import Sets
from conceptloom.tasks.commongen.sample import SUPPORT_OF, MinedSets
from conceptloom.tasks.commongen.split.references import Stages
from conceptloom.tasks.commongen.split.train import CUT, OVER
from conceptloom.tasks.commongen.vocabulary import FILE as VOCABULARY
from conceptloom.tasks.commongen.vocabulary import ReadVocabulary
from conceptloom.transforms.commongen.mine import Mine
from conceptloom.transforms.commongen.sample import Sample
from conceptloom.transforms.commongen.split import SplitPlan, SplitSets
from conceptloom.transforms.ingest import Ingest
from conceptloom.transforms.publish import Publish

EnglishContext = Context[CommonGenSettings]


def _check(settings: CommonGenSettings, output: str) -> tuple[str, ...]:
    try:
        notes = [f"conceptnet: {check_vocabulary(_conceptnet(settings))}"]
    except InputError as error:
        raise InputError(f"--conceptnet {error}") from None
    if settings.frozen is not None:
        # Another file of ConceptNet is allowed: a word that it lacks is in no set of train.
        frozen = check_frozen(settings, output, {"analyser": _analyser(settings)})
        frozen.data()
        notes.append(frozen_note(frozen, "quotas and overlap.references"))
    return tuple(notes)


def _analyser(settings: CommonGenSettings) -> dict[str, str]:
    return CaptionAnalyser(settings.ingest.analyser).signature()["analyser"]


def _conceptnet(settings: CommonGenSettings) -> str:
    if settings.conceptnet is None:
        raise ConfigError(
            "recipe commongen wants ConceptNet's concepts: give --conceptnet FILE, the assertions "
            "(conceptnet-assertions-5.7.0.csv.gz of conceptnet.io), ConceptNet-100k triples, or a list of names"
        )
    return storage.absolute(settings.conceptnet)


def _ingest_settings(settings: CommonGenSettings) -> JsonObject:
    (file,) = storage.match(_conceptnet(settings))
    return {
        **reading_settings(settings),
        **settings.ingest.model_dump(mode="json"),
        "analyser": _analyser(settings),
        "conceptnet": [basename(file.path), file.size, file.modified],
    }


def _ingest(context: EnglishContext, pipeline: beam.Pipeline) -> object:
    settings, directory = context.settings, context.directory("ingest")
    return pipeline | "Ingest" >> Ingest(
        files=context.plan.files,
        spans=list(context.plan.spans),
        buckets=context.buckets,
        analyser=CaptionAnalyser(settings.ingest.analyser, settings.ingest.unique_by),
        seed=settings.seed,
        limit=settings.limit,
        directory=directory,
        prepare=ReadVocabulary(_conceptnet(settings), directory),
    )


def _mine_settings(settings: CommonGenSettings) -> JsonObject:
    # The words of the list, not its name: another list makes another build.
    return {**settings.mine.model_dump(mode="json"), "stop_concepts": settings.mine.chosen().stop_concepts}


def _shards(context: EnglishContext) -> int:
    return shards_of(context.kept("ingest"))


def _mine(context: EnglishContext, pipeline: beam.Pipeline) -> object:
    return pipeline | "Mine" >> Mine(
        rules=context.settings.mine.chosen(),
        buckets=context.buckets,
        shards=_shards(context),
        source_directory=context.directory("ingest"),
        directory=context.directory("mine"),
    )


def _check_mine(context: EnglishContext, receipts: Receipts) -> JsonObject:
    if not sum(receipts.numbers["made"].values()):
        smallest = min(context.settings.mine.sizes)
        raise BuildError(
            f"no sentence holds {smallest} concepts, or none of its sets has mine.min_support sentences: is this the "
            "right file of ConceptNet?"
        )
    return {}


def _sample_settings(settings: CommonGenSettings) -> JsonObject:
    # If dev and test are frozen, all candidates go to train.
    quotas = settings.quotas.model_dump(mode="json") if settings.frozen is None else None
    return {"seed": settings.seed, "sample": settings.sample.model_dump(mode="json"), "quotas": quotas}


def _sample(context: EnglishContext, pipeline: beam.Pipeline) -> object:
    settings = context.settings
    terms = next(file["blake2b"] for file in context.manifests["mine"].files if file["path"] == TERMS)
    mined = MinedSets(context.directory("mine"), sum(context.handed_on("mine").values()), terms)
    quotas = settings.quotas.chosen() if settings.frozen is None else Quotas({}, {})
    return pipeline | "Sample" >> Sample(
        mined=mined,
        shards=_shards(context),
        draws=quotas.draws(settings.sample.size, settings.seed),
        quotas=quotas,
        directory=context.directory("sample"),
    )


def _split_settings(settings: CommonGenSettings) -> JsonObject:
    if settings.frozen is None:
        return {"seed": settings.seed, **settings.overlap.model_dump(mode="json")}
    chosen = settings.overlap.model_dump(mode="json", exclude={"references"})
    return {"seed": settings.seed, **chosen, "frozen": open_frozen(settings.frozen, settings.recipe).to_json()}


def _split(context: EnglishContext, pipeline: beam.Pipeline) -> object:
    settings = context.settings
    directory, take = context.directory("split"), None
    if settings.frozen is not None:
        frozen = open_frozen(settings.frozen, settings.recipe)
        take = TakeFrozenSets(frozen.files, frozen.directory, directory)
    stages = Stages(context.directory("ingest"), context.directory("mine"))
    return pipeline | "Split" >> SplitSets(
        SplitPlan(
            policy=settings.overlap.chosen(),
            references=settings.overlap.references,
            test_first=settings.overlap.captions == "test-first",
            train_references=settings.overlap.train_references,
            hot=_largest_support(context) > settings.overlap.train_references,
            seed=settings.seed,
        ),
        buckets=context.buckets,
        candidates=context.directory("sample"),
        stages=stages,
        directory=directory,
        take=take,
    )


def _largest_support(context: EnglishContext) -> int:
    """Returns how many sentences hold the candidate that most hold: few corpora have sets to be cut, for which a graph
    needs steps of their own."""
    largest: dict[str, int] = context.manifests["sample"].summary["numbers"].get("largest", {})
    return largest.get("support", 0)


def _check_split(context: EnglishContext, receipts: Receipts) -> JsonObject:
    cure = "freeze another build" if context.settings.frozen else "lower the quotas of dev and test (fractions will do)"
    policy = context.settings.overlap.policy
    cure = f"{cure}, raise sample.size, or choose another overlap.policy"
    missing = f"policy {policy} leaves no concept set for train: {cure}"
    return check_train(context, receipts, missing, _wanted(context.settings))


def _wanted(settings: CommonGenSettings) -> dict[str, str]:
    """Returns the splits that settings ask for, with the keys that do; frozen ones are as they are."""
    quotas = {} if settings.frozen else {"validation": "dev", "test": "test"}
    return {split: f"quotas.{name}" for split, name in quotas.items() if any(getattr(settings.quotas, name).values())}


def _publish_settings(settings: CommonGenSettings) -> JsonObject:
    return settings.publish.model_dump(mode="json")


def _publish(context: EnglishContext, pipeline: beam.Pipeline) -> object:
    copies = stage_copies(context, {"index": ["split"], "rejected": ["ingest", "mine", "sample", "split"]})
    directory = context.directory("publish")
    return pipeline | "Publish" >> Publish(
        [*data_files(context), *copies, *frozen_copies(context)], context.output, directory, Sets()
    )


def _without_references(context: EnglishContext, split: str) -> int:
    """Returns the number of sets of a split without a caption: rows without a source, and counts of frozen files."""
    files = context.manifests["split"].files
    own = sum(file["splits"].get(split, {}).get("", 0) for file in files if "splits" in file)
    return own + sum(file[BARE] for file in files if BARE in file and f"/{split}-" in file["path"])


def _over(numbers: JsonObject) -> JsonObject:
    """Returns how many captions, by source, were left out of sets of train that had enough, and of how many sets."""
    return {"captions": numbers.get(OVER, {}), "sets": numbers.get(CUT, {}).get("all", 0)}


def _held_support(numbers: JsonObject) -> JsonObject:
    """Returns the support of dev's and test's sets at some quantiles, by split; empty if these are frozen."""
    return {name.removeprefix(SUPPORT_OF): one for name, one in numbers.items() if name.startswith(SUPPORT_OF)}


def _report(context: EnglishContext) -> JsonObject:
    ingest, mined = (context.manifests[name] for name in ("ingest", "mine"))
    vocabulary = next(file for file in ingest.files if file["path"] == VOCABULARY)
    numbers = mined.summary["numbers"]
    return {
        "analyser": ingest.settings["analyser"],
        "conceptnet": {
            "file": ingest.settings["conceptnet"][0],
            "concepts": vocabulary["rows"],
            "blake2b": vocabulary["blake2b"],
        },
        "capped": {name: numbers[f"capped_{name}"] for name in ("sentences", "concepts")},
        OVER: _over(context.manifests["split"].summary["numbers"]),
        "stop_concepts": mined.settings["stop_concepts"],
        "held_out_support": _held_support(context.manifests["sample"].summary["numbers"]),
        "mined": {"sets": numbers["made"], "sum_of_supports": numbers["supports"]["all"]},
        "frozen": context.manifests["split"].settings.get("frozen"),
        "without_references": {split: _without_references(context, split) for split in ("validation", "test")},
    }


def _leaks(settings: CommonGenSettings, build: Build) -> list[Verdict]:
    return set_leaks(build, settings.overlap.chosen())


_TRANSFORMS = "conceptloom.transforms"
_OWN = f"{_TRANSFORMS}.commongen"

RECIPE: Recipe[CommonGenSettings] = Recipe(
    name="commongen",
    summary="CommonGen (Lin et al., 2020): English captions to concept sets and the sentences that hold them",
    settings=CommonGenSettings,
    stages=(
        Stage(
            "ingest",
            _ingest_settings,
            _ingest,
            check_ingest,
            code=(f"{_TRANSFORMS}.ingest", "conceptloom.corpus.captions", "conceptloom.tasks.commongen.vocabulary"),
        ),
        Stage("mine", _mine_settings, _mine, _check_mine, code=(f"{_OWN}.mine",)),
        Stage("sample", _sample_settings, _sample, code=(f"{_OWN}.sample",)),
        Stage("split", _split_settings, _split, _check_split, code=(f"{_OWN}.split",)),
        Stage(
            "publish",
            _publish_settings,
            _publish,
            into_output=True,
            code=(f"{_TRANSFORMS}.publish", "conceptloom.tasks.commongen.publish"),
        ),
    ),
    products=("data", "published", "annotation", "rejected", "index", "report.json", "README.md", "config.yaml"),
    rows=DataRows(
        schema=DATA,
        headline="target",
        counted=lambda column: f"{column['sets']:>9,} concept sets, {column['distinct']['concepts']:,} concepts",
        line=lambda row: f"{'#'.join(row['concepts'])} -> {row['target']}",
    ),
    card=ENGLISH,
    report=_report,
    made_by=("analyser", "conceptnet"),
    check=_check,
    leaks=_leaks,
    options=(
        CommandOption("conceptnet", "A file of ConceptNet (assertions, triples, or names): its words are concepts."),
    ),
    demo=demo_settings,
    explain=EXPLAINER,
    table="commongen",
    costs=CommonGenCosts(shards_of),
)
RECIPES.add(RECIPE.name, RECIPE)

"""English builds for the end-to-end tests, and what must be in them by plain dictionaries and loops.

The oracle takes sentences with their concepts and words, which of these each word may stand for, and the concepts that
no set has.
"""

import atexit
import functools
import json
import shutil
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import yaml
from builds import SHARED, Row, rows, stage_rows
from scipy.sparse import csr_array
from scipy.sparse.csgraph import maximum_bipartite_matching

from conceptloom.languages.english.analysers import make_analyser
from conceptloom.languages.english.stop_concepts import stop_concepts
from conceptloom.pipelines import RECIPES
from conceptloom.pipelines.build.configuration import make_settings
from conceptloom.pipelines.build.context import Context
from conceptloom.pipelines.build.engine import Build, Observer
from conceptloom.pipelines.commongen.demo import demo_settings
from conceptloom.runners.direct import DirectRunner

RECIPE = "commongen"
STAGES = ("ingest", "mine", "sample", "split", "publish")
SPLITS = ("train", "validation", "test")
DEMO = demo_settings()
ENGLISH = SHARED.parent / "en"
NAMES = ENGLISH / "conceptnet" / "concept_names.txt"
SIZES = (3, 4, 5)


def build_english(
    output: Path,
    only: str | None = None,
    runner: Any = None,
    observer: Observer | None = None,
    update: bool = False,
    **settings: Any,
) -> Context:
    """A build by the API, in this process unless `runner` says otherwise; of the sample corpora by default."""
    recipe = RECIPES[RECIPE]
    chosen = make_settings(recipe.settings, {**DEMO, **settings}, "the test")
    runner, observer = runner or DirectRunner(), observer or Observer()
    return Build(recipe, chosen, str(output), runner, observer, update=update).run(only)


@functools.cache
def sample_english() -> Path:
    """The directory of a finished build of the sample corpora, made once a session. Not to be changed."""
    directory = Path(tempfile.mkdtemp(prefix="conceptloom-e2e-"))
    atexit.register(shutil.rmtree, directory, ignore_errors=True)
    build_english(directory / "samples")
    return directory / "samples"


class Found(NamedTuple):
    """A concept set: the captions that hold it, their distinct words, and their lengths together."""

    captions: frozenset[str]
    words: int
    length: int


@functools.cache
def sets_of(directory: Path) -> dict[frozenset[str], Found]:
    """Every concept set of three to five concepts of a build's sentences."""
    holders = defaultdict[frozenset[str], list[Row]](list)
    analysis = config_of(directory)
    stopped = stop_concepts() if analysis["mine"]["stop_concepts"] == "published" else frozenset()
    for sentence, concepts in supported(sentences_of(directory), analysis["ingest"]["analyser"], stopped):
        holders[frozenset(concepts)].append(sentence)
    return {
        concepts: Found(
            frozenset(row["text"] for row in held),
            len({word for row in held for word in row["words"]}),
            sum(len(row["words"]) for row in held),
        )
        for concepts, held in holders.items()
    }


def config_of(directory: Path) -> dict[str, Any]:
    """The settings that a build holds."""
    found: dict[str, Any] = yaml.safe_load((directory / "config.yaml").read_text(encoding="utf-8"))
    return found


def supported(
    sentences: list[Row], name: str = "lemma", stopped: frozenset[str] = frozenset()
) -> Iterator[tuple[Row, tuple[str, ...]]]:
    """Each sentence with each set of three to five concepts of it, in sorted order, that distinct words supply."""
    vocabulary = frozenset(concept for sentence in sentences for concept in sentence["concepts"])
    analyser = make_analyser(name, vocabulary)
    for sentence, words in zip(sentences, analyser.matches([sentence["text"] for sentence in sentences]), strict=True):
        ambiguous = any(len(word) > 1 for word in words)
        for size in SIZES:
            for chosen in combinations(sorted({*sentence["concepts"]} - stopped), size):
                if not ambiguous or supplied(chosen, words):
                    yield sentence, chosen


def supplied(chosen: tuple[str, ...], words: list[tuple[str, ...]]) -> bool:
    """Whether distinct words may stand for the concepts: a matching that covers them."""
    graph = np.array([[concept in word for word in words] for concept in chosen])
    return bool((maximum_bipartite_matching(csr_array(graph), perm_type="column") >= 0).all())


def scores(found: Mapping[frozenset[str], Found]) -> dict[frozenset[str], Fraction]:
    """The paper's formula in exact fractions."""
    degrees = Counter(concept for concepts in found for concept in concepts)
    return {
        concepts: Fraction(len(one.captions) * one.words * len(found), one.length * max(degrees[c] for c in concepts))
        for concepts, one in found.items()
    }


def pairs(sets: Iterable[Iterable[str]]) -> set[frozenset[str]]:
    """The distinct pairs of concepts of some sets."""
    return {frozenset(pair) for concepts in sets for pair in combinations(concepts, 2)}


def assert_tuples_counted(column: Mapping[str, Any], split: str, data: Mapping[str, list[Row]]) -> None:
    """A column of the statistics has its split's concepts, pairs and triples, and those that train never shows."""
    for width, name in enumerate(("concepts", "pairs", "triples"), 1):
        own, seen = (
            {frozenset(c) for row in data[s] for c in combinations(row["concepts"], width)} for s in (split, "train")
        )
        assert column["distinct"][name] == len(own)
        assert split == "train" or column["unseen"][name] == len(own - seen)


def data_of(directory: Path) -> dict[str, list[Row]]:
    """The published rows of each split."""
    return {split: rows(directory, f"data/{split}-*.parquet") for split in SPLITS}


def sentences_of(directory: Path) -> list[Row]:
    """The sentences of stage ingest."""
    return stage_rows(directory, "ingest", "sentences")


def coco_captions(count: int) -> list[str]:
    """The first real captions."""
    path = ENGLISH / "captions" / "captions_val2017.json"
    return [note["caption"] for note in json.loads(path.read_text(encoding="utf-8"))["annotations"][:count]]

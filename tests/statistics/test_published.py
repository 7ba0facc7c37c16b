"""Statistics of the published Korean CommonGen data against its paper and against independent plain programs."""

import json
from collections import Counter
from itertools import combinations
from pathlib import Path

import pytest

from conceptloom.examples import Example
from conceptloom.statistics.additional import Additional, additional_morphemes
from conceptloom.statistics.summary import DatasetStatistics, dataset_statistics

DATA = Path(__file__).resolve().parents[3] / "shared" / "data" / "ko"
pytestmark = [pytest.mark.skipif(not DATA.is_dir(), reason="the real data is not in ../shared/data"), pytest.mark.slow]


def read(name: str, source: str | None) -> list[Example]:
    lines = (json.loads(line) for line in (DATA / name).read_text(encoding="utf-8").splitlines())
    scenes = ((line["concept-set"], line["scene"]) for line in lines)
    return [
        Example(tuple(concepts.split("#")), (scene,) if isinstance(scene, str) else tuple(scene), source)
        for concepts, scene in scenes
    ]


@pytest.fixture(scope="module")
def train() -> list[Example]:
    return read("published/captions.jsonl", "captions") + read("published/dialogue_summaries.jsonl", "dialogues")


@pytest.fixture(scope="module")
def held_out() -> list[Example]:
    return read("outputs/references.jsonl", None)


@pytest.fixture(scope="module")
def statistics(train: list[Example], held_out: list[Example]) -> DatasetStatistics:
    return dataset_statistics(train, held_out[:300], held_out)


def test_the_published_test_has_the_numbers_of_table_1(statistics: DatasetStatistics) -> None:
    test = statistics.test
    assert (test.sets, test.sentences, test.average_length) == (2040, 6120, 23.54)
    assert test.sizes == (334, 604, 577, 513, 12)
    assert test.unique_concepts == 3270
    assert test.source_rates == {}


def test_train_is_counted_as_a_plain_program_counts(train: list[Example], statistics: DatasetStatistics) -> None:
    bins = Counter(min(max(len(set(row.concepts)), 3), 7) for row in train)
    assert statistics.train.sizes == tuple(bins[size] for size in range(3, 8))
    assert statistics.train.unique_concepts == len({concept for row in train for concept in row.concepts})
    assert statistics.train.average_length == round(sum(len(row.sentences[0]) for row in train) / len(train), 2)
    rates = {"captions": round(984200 / 21593, 2), "dialogues": round(1175100 / 21593, 2)}
    assert statistics.train.source_rates == rates
    assert statistics.train.unseen is None


@pytest.mark.parametrize("part", ["validation", "test"])
def test_unseen_tuples_are_those_of_a_plain_program(
    part: str, train: list[Example], held_out: list[Example], statistics: DatasetStatistics
) -> None:
    rows = held_out[:300] if part == "validation" else held_out
    published, sound = [], []
    for width in (1, 2, 3):
        seen = {frozenset(chosen) for row in train for chosen in combinations(row.concepts, width)}
        ordered = {chosen for row in rows for chosen in combinations(row.concepts, width)}
        published.append(sum(frozenset(chosen) not in seen for chosen in ordered))
        sound.append(len({frozenset(chosen) for chosen in ordered} - seen))
    counted = statistics.splits()[part].unseen
    assert counted is not None
    assert (counted.published, counted.sound) == (tuple(published), tuple(sound))
    assert published[1] > sound[1]


def extract(sentences: list[str]) -> list[list[str]]:
    """The published concept rule, written anew from its description."""
    pytest.importorskip("MeCab")
    from conceptloom.languages.korean.taggers.mecab import MecabTagger

    return [concepts(sentence, tokens[:-1]) for sentence, tokens in zip(sentences, MecabTagger().tokens(sentences))]


def concepts(sentence: str, tokens: list) -> list[str]:  # type: ignore[type-arg]
    found, chain = [], []
    for token in tokens:
        if token.tag.startswith("NNG"):
            chain.append(token.surface)
            continue
        if chain:
            joined = sentence[sentence.find(chain[0]) : sentence.find(chain[-1]) + len(chain[-1])]
            found.append(chain[0] if len(chain) == 1 else joined or "".join(chain))
            chain = []
        if token.tag.startswith(("MM", "MAG", "VV", "VA")) and token.surface not in ("대해", "대해서"):
            found.append(token.surface)
    return found


def test_the_additional_morphemes_are_the_papers(held_out: list[Example]) -> None:
    assert additional_morphemes(held_out, extract) == Additional(published=4682, sound=2471)

"""What the costs of recipe commongen grow with, against plain loops over the sentences of a build."""

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from builds import rows
from english_builds import DEMO, RECIPE, build_english, data_of, sentences_of, sets_of
from hypothesis import given
from hypothesis import strategies as st

import conceptloom.pipelines.build.inputs
import conceptloom.tasks.commongen.mine
from conceptloom.concepts.routing import shard_of
from conceptloom.hashing import text_id
from conceptloom.pipelines import RECIPES
from conceptloom.pipelines.build.configuration import make_settings
from conceptloom.pipelines.build.context import Context
from conceptloom.pipelines.commongen.costs import CommonGenCosts
from conceptloom.pipelines.commongen.counts import SetCounts, routed
from conceptloom.pipelines.estimation.model import Drawn, SampleRun, Samples, StageCosts
from conceptloom.tasks.commongen.mine import shards_of

COSTS = CommonGenCosts(shards_of)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Context:
    """A build of the sample corpora in several buckets and shards, with fewer candidates than sets, by score alone."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(conceptloom.pipelines.build.inputs, "BUCKET_BYTES", 8000)
        patch.setattr(conceptloom.tasks.commongen.mine, "SHARD_SENTENCES", 60)
        settings = {
            "preset": "every-lemma",
            "mine": {"distinct_words": True},
            "quotas": {**DEMO["quotas"], "rank": "score"},
            "sample": {"size": 1500},
        }
        return build_english(tmp_path_factory.mktemp("costs") / "out", **settings)


@pytest.fixture(scope="module")
def counts(built: Context) -> SetCounts:
    counted = COSTS.count(built)
    assert isinstance(counted, SetCounts)
    return counted


@pytest.mark.slow
def test_sets_in_captions_are_counted(built: Context, counts: SetCounts) -> None:
    directory = Path(built.output)
    sentences = sentences_of(directory)
    assert counts.occurrences == sum(len(found.captions) for found in sets_of(directory).values())
    assert counts.terms == len({concept for row in sentences for concept in row["concepts"]})
    leads = Counter(len(row["concepts"]) - 2 for row in sentences if len(row["concepts"]) > 2)
    assert dict(enumerate(counts.leads.tolist())) == {number: leads[number] for number in range(max(leads) + 1)}


@pytest.mark.slow
def test_candidates_are_counted(built: Context, counts: SetCounts) -> None:
    """A candidate's lead is its rarest concept; each shard hands on as many sets as all candidates are."""
    directory = Path(built.output)
    sentences = sentences_of(directory)
    everywhere = Counter(concept for row in sentences for concept in row["concepts"])
    held = Counter(concept for row in sentences if len(row["concepts"]) > 2 for concept in row["concepts"])
    candidates = rows(directory, "stages/3-sample/sets.parquet")
    leads = [min(row["concepts"], key=lambda concept: (everywhere[concept], concept)) for row in candidates]
    assert counts.holders == sum(held[lead] for lead in leads)
    mined = [file["rows"] for file in built.manifests["mine"].files if file["path"].startswith("mined-")]
    assert counts.shards == len(mined) > 2 and len(candidates) == 1500 > min(mined)
    assert counts.drawn == sum(min(rows, 1500) for rows in mined) and counts.merged == 1500
    train = data_of(directory)["train"]
    assert counts.train == len(train) and counts.references == sum(len(row["references"]) for row in train)


@pytest.mark.slow
def test_each_set_is_seen_in_the_units_of_its_captions(built: Context) -> None:
    """Captions are drawn in units of seven; every third caption stands in another unit as well."""
    texts = sorted(row["text"] for row in sentences_of(Path(built.output)))
    places = [(place // 7, text) for place, text in enumerate(texts)]
    places += [(1000 + place, text) for place, text in enumerate(texts[::3])]
    units, heads = zip(*((unit, int(text_id(text)[:16], 16)) for unit, text in places), strict=True)
    seen = COSTS.look(built, Drawn(np.array(units, dtype=np.uint64), np.array(heads, dtype=np.uint64)))
    units_of: dict[str, set[int]] = {}
    for unit, text in places:
        units_of.setdefault(text, set()).add(unit)
    found = sets_of(Path(built.output)).values()
    expected = Counter(len(set[int]().union(*(units_of[text] for text in one.captions))) for one in found)
    assert Counter(seen.tolist()) == expected


@given(st.lists(st.integers(0, 6), min_size=1, max_size=4), st.integers(1, 40))
@pytest.mark.slow
def test_captions_leave_for_the_shards_of_their_leads(sizes: list[int], shards: int) -> None:
    """Dealt by the product's own hash, a copy for each shard: as many as chance says."""
    many, leads = 3000, np.bincount(sizes)
    dealt = shard_of(np.arange(many * max(sum(sizes), 1), dtype=np.int32), shards)
    copies = start = 0
    for _ in range(many):
        for size in sizes:
            copies += len(set(dealt[start : start + size].tolist()))
            start += size
    assert routed(leads * many, shards) == pytest.approx(copies, rel=0.05)


def test_a_sample_has_its_share_of_candidates_and_quotas() -> None:
    settings = make_settings(
        RECIPES[RECIPE].settings,
        {**DEMO, "limit": 9, "sample": {"size": 10_000}, "quotas": {"dev": {3: 500, 4: 0.25}, "test": {5: 90}}},
        "the test",
    )
    small = COSTS.smaller(settings, 0.1)
    assert (small.limit, small.sample.size) == (None, 1000)
    assert (small.quotas.dev, small.quotas.test) == ({3: 50, 4: 0.25}, {5: 9})
    assert (
        small.model_copy(update={name: getattr(settings, name) for name in ("limit", "sample", "quotas")}) == settings
    )
    assert COSTS.smaller(settings, 1e-9).sample.size == 1


def sampled(captions: int, settings: Any) -> SampleRun:
    """A corpus without copies, of four concepts a caption; a candidate's lead stands in a hundredth of the captions."""
    sets, shards = 5 * captions, 1 + captions // 100
    candidates = min(settings.sample.size, sets)
    train = candidates * 0.8
    more = SetCounts(
        occurrences=sets,
        leads=np.array([0, 0, captions]),
        terms=50,
        drawn=min(sets, shards * candidates),
        merged=candidates,
        holders=candidates * captions / 100,
        train=train,
        references=train * (1 + captions / 4000),
        shards=shards,
    )
    done = {"ingest": (captions, captions), "mine": (captions, captions), "sample": (sets, candidates)}
    done["split"] = (candidates, round(candidates * 0.9))
    costs = {name: StageCosts(read, kept, 0, 0, 0, 0, {}, {}) for name, (read, kept) in done.items()}
    return SampleRun(1 + captions // 500, costs, more, 0.0)


@pytest.mark.parametrize("size", [2000, 10**6])
def test_counts_grow_as_they_would_in_the_whole(size: int) -> None:
    """With every caption and set seen once, eight times the sample is a corpus of the same law."""
    settings = make_settings(RECIPES[RECIPE].settings, {**DEMO, "sample": {"size": size}}, "the test")
    costs = CommonGenCosts(lambda captions: 1 + int(captions) // 100)
    runs = [sampled(captions, costs.smaller(settings, captions / 8000)) for captions in (250, 500, 1000)]
    once = np.ones(1000, dtype=np.int64)
    *measured, whole = costs.rows(Samples(settings, 8.0, 17, once, runs, once))
    more = sampled(8000, settings).counts
    assert [rows["candidates"] for rows in measured] == [min(5 * n, round(size * n / 8000)) for n in (250, 500, 1000)]
    assert (whole["read"], whole["kept"], whole["mined"], whole["sets"]) == (8000, 8000, 8000, 40_000)
    assert whole["candidates"] == min(size, 40_000) and whole["not_drawn"] == 40_000 - whole["candidates"]
    assert whole["divided"] == pytest.approx(whole["candidates"] * 0.9, rel=0.01)
    assert whole["merged"] == min(40_000, 6 * size) and whole["shards"] == 81
    for name in ("occurrences", "terms", "holders", "train", "references"):
        assert whole[name] == pytest.approx(getattr(more, name), rel=0.01), name
    assert whole["drawn"] == min(40_000, 81 * size) and whole["routed"] == pytest.approx(8000 * (2 - 1 / 81))
    assert whole["shard_sets"] == 40_000 / 81 and whole["bucket_captions"] == 8000 / 17

"""The ablations: which rows and concepts they leave, and that chance in them is uniform and reproducible."""

from collections import Counter

import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from conceptloom.hashing import text_id
from conceptloom.schemas import DATA
from conceptloom.variants import (
    PAPER_SEEDS,
    curriculum_order,
    curriculum_rows,
    high_level,
    high_level_rows,
    reextracted_rows,
    source_rows,
)

SENTENCES = [
    (["손", "흔들"], "손을 흔든다.", "dialogues"),
    (["개", "공"], "개가 공을 문다.", "captions"),
    (["새"], "새가 있다.", "birds"),
    (["말", "들판"], "말이 들판에 있다.", "captions"),
]
ROWS = pa.Table.from_pylist(
    [
        {
            "id": text_id(text),
            "concepts": concepts,
            "target": text,
            "references": [text],
            "source": source,
            "locator": "",
        }
        for concepts, text, source in SENTENCES
    ],
    schema=DATA,
)


def targets(rows: pa.Table) -> list[str]:
    return rows["target"].to_pylist()


@settings(deadline=None)
@given(st.lists(st.text(max_size=3), min_size=2, max_size=9, unique=True), st.sampled_from(PAPER_SEEDS), st.text())
def test_one_concept_is_deleted_and_the_order_stays(concepts: list[str], seed: int, key: str) -> None:
    left = high_level(concepts, seed, key)
    assert len(left) == len(concepts) - 1
    assert [concept for concept in concepts if concept in left] == list(left)
    assert left == high_level(concepts, seed, key)


def test_every_concept_is_as_likely_to_be_deleted() -> None:
    concepts = ("가", "나", "다", "라")
    deleted = Counter((set(concepts) - set(high_level(concepts, 42, str(key)))).pop() for key in range(20_000))
    assert all(abs(deleted[concept] - 5000) < 300 for concept in concepts)


def test_seeds_and_keys_draw_apart() -> None:
    concepts = [f"개념{number}" for number in range(100_000)]
    assert len({high_level(concepts, seed, key) for seed in PAPER_SEEDS for key in ("a", "b")}) == 10


def test_a_single_concept_stays() -> None:
    assert high_level(("새",), 42, "새가 있다.") == ("새",)
    assert high_level((), 42, "") == ()


def test_high_level_rows_do_not_depend_on_their_order() -> None:
    variant = high_level_rows(ROWS, 42).to_pylist()
    backwards = high_level_rows(ROWS.take(pa.array([3, 2, 1, 0])), 42).to_pylist()
    assert variant == backwards[::-1]
    assert [row["target"] for row in variant] == ROWS["target"].to_pylist()
    assert [len(row["concepts"]) for row in variant] == [1, 1, 1, 1]


def test_source_rows_keep_the_order() -> None:
    assert targets(source_rows(ROWS, "captions")) == ["개가 공을 문다.", "말이 들판에 있다."]
    assert targets(source_rows(ROWS, "books")) == []


def test_captions_come_first_then_dialogues_then_the_rest() -> None:
    captions, dialogues = ["개가 공을 문다.", "말이 들판에 있다."], ["손을 흔든다."]
    assert targets(curriculum_rows(ROWS)) == [*captions, *dialogues, "새가 있다."]
    assert curriculum_order(["zoo", "dialogues", "books", "captions"]) == ["captions", "dialogues", "books", "zoo"]


def test_reextracted_rows_keep_everything_but_the_concepts() -> None:
    kept, empty = reextracted_rows(ROWS, lambda texts: [text.split()[:2] if "이" in text else [] for text in texts], 0)
    assert targets(kept) == ["말이 들판에 있다."]
    assert sorted(kept["concepts"].to_pylist()[0]) == ["들판에", "말이"]
    assert sorted(targets(kept) + targets(empty)) == sorted(targets(ROWS))
    assert kept.schema == DATA

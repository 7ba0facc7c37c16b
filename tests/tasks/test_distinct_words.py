"""The work of stages mine and split on one shard: which captions support a set, with distinct words and without."""

from pathlib import Path

import pyarrow as pa
import pytest

from conceptloom.concepts import MiningRules
from conceptloom.corpus.captions import CaptionAnalyser, encode_vocabulary
from conceptloom.hashing import text_id
from conceptloom.tables import read_table, write_table
from conceptloom.tasks.commongen.mine import CodeShard, CountTerms, MineShard, lexicons, merge_terms
from conceptloom.tasks.commongen.split.references import Stages

VOCABULARY = frozenset({"lens", "lense", "camera", "data", "datum", "rise", "rose", "sun", "dog"})
BOTH = "A lens and two lenses of a camera."
TEXTS = ["Two lenses of a camera and a dog.", BOTH, "The sun rose over data on a dog."]
BEFORE: dict[str, set[str]] = {
    "camera#lens#lense": {TEXTS[0], BOTH},
    "rise#rose#sun": {TEXTS[2]},
    "data#rise#rose": {TEXTS[2]},
    "data#datum#sun": {TEXTS[2]},
    "data#dog#sun": {TEXTS[2]},
    "datum#dog#rise": {TEXTS[2]},
}
DISTINCT = {**BEFORE, "camera#lens#lense": {BOTH}, **{name: set() for name in list(BEFORE)[1:4]}}


def ingested(directory: Path) -> None:
    """The captions as stage ingest leaves them, in one shard."""
    texts = sorted(TEXTS, key=text_id)
    same = {"source": ["s"] * 3, "locator": ["l"] * 3, "copies": [1] * 3}
    block = pa.table({"id": list(map(text_id, texts)), "text": texts, **same})
    kept, _ = CaptionAnalyser().open(encode_vocabulary(VOCABULARY)).rows(block, 0)
    write_table(str(directory / "sentences-00000.parquet"), kept)


def mined(directory: Path, rules: MiningRules) -> tuple[dict[str, int], pa.Table]:
    """The support of each set, by its spelling; and the sets as stage split chooses them."""
    counted = [one.data for one in CountTerms(MiningRules(), str(directory)).run(0, [], None) if one.tag == "terms"]
    terms = merge_terms(counted)
    code = CodeShard(rules, 1, str(directory), str(directory))
    routed = [one.data for one in code.run(0, [], terms) if one.tag == "routed"]
    list(MineShard(rules, 1, str(directory)).run(0, routed, None))
    found = read_table(str(directory / "mined-00000.parquet"))
    names = ["#".join(sorted(one)) for one in lexicons(terms)[0].strings(found["concepts"]).to_pylist()]
    chosen = pa.table({"set": pa.array(range(len(found)), pa.uint64()), "numbers": found["concepts"], "name": names})
    return dict(zip(names, found["support"].to_pylist(), strict=True)), chosen


@pytest.mark.parametrize(("distinct", "expected"), [(True, DISTINCT), (False, BEFORE)])
def test_support_and_references_follow_the_same_rule(
    tmp_path: Path, distinct: bool, expected: dict[str, set[str]]
) -> None:
    ingested(tmp_path)
    supports, chosen = mined(tmp_path, MiningRules((3,), distinct_words=distinct))
    assert {name: supports.get(name, 0) for name in expected} == {name: len(texts) for name, texts in expected.items()}
    references = Stages(str(tmp_path), str(tmp_path)).references(0, chosen)
    names = chosen["name"].to_pylist()
    held = {name: set[str]() for name in names}
    for row in references.to_pylist():
        held[names[row["set"]]].add(row["text"])
    assert {name: len(texts) for name, texts in held.items()} == supports
    assert {name: held.get(name, set()) for name in expected} == expected
    stored = read_table(str(tmp_path / "coded-00000.parquet"))
    assert stored.column_names == ["id", "length", "concepts", "words", *(["clashes"] if distinct else [])]

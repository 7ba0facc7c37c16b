"""The real files, each with the reader that fits, against the counts that their description states."""

import csv
import io
import json
from pathlib import Path

import pytest
from reading import DATA, needs_data, read_path, reasons, texts

from conceptloom import storage
from conceptloom.readers import count_lines, find_encoding, find_format, make_reader, read_head
from conceptloom.readers.published import format_json, format_text, read_examples

pytestmark = [needs_data, pytest.mark.slow]

FILES = [
    ("ko/published/captions.jsonl", "published", {}, 9_842),
    ("ko/published/dialogue_summaries.jsonl", "published", {}, 11_751),
    ("ko/outputs/references.jsonl", "published", {}, 3 * 2_040),
    ("ko/captions/xtd10.txt", "lines", {}, 1_000),
    ("ko/captions/crossmodal3600.txt", "lines", {}, 3_600),
    ("ko/dialogue/chatbot.csv", "table", {"column": "Q"}, 11_823),
    ("ko/dialogue/tatoeba_kor.tsv", "table", {"column": 2}, 5_749),
    ("ko/dialogue/klue_nli_cp949.csv", "table", {"column": "premise"}, 27_998),
    ("ko/dialogue/3i4k.tsv", "table", {"column": 2}, 61_255),
    ("ko/similarity/sts-train.tsv", "table", {"column": "sentence1"}, 5_749),
    ("ko/similarity/sts-dev.tsv", "table", {"column": "sentence1"}, 1_500),
    ("ko/similarity/sts-test.tsv", "table", {"column": "sentence2"}, 1_379),
    ("ko/similarity/klue-sts-v1.1_dev.json", "json", {"field": "sentence1"}, 519),
    ("ko/entities/naver_ner_test.tsv", "table", {"column": 1}, 9_000),
    ("ko/ethics/beep_train.tsv", "table", {"column": "comments"}, 7_896),
    ("ko/ethics/beep_dev.tsv", "table", {"column": "comments"}, 471),
    ("ko/ethics/apeach_test.csv", "table", {"column": "text"}, 3_770),
    ("ko/outputs/KoGPT2_quantitative.txt", "lines", {}, 2_040),
    ("ko/outputs/mT5_large_quantitative.txt", "lines", {}, 2_040),
    ("en/captions/Flickr8k.token.txt", "flickr", {}, 40_460),
    ("en/captions/train.1.en.gz", "lines", {}, 29_000),
    ("en/captions/conceptual_captions_val.tsv", "conceptual-captions", {}, 15_833),
    ("en/captions/captions_val2017.json", "coco", {}, 25_014),
    ("en/captions/coco_val2014_refs.json", "coco-references", {}, 162_150),
    ("en/captions/activitynet_val_1.json", "activitynet", {}, 17_505),
    ("en/commongen/commongen.dev.jsonl", "commongen", {}, 4_018),
    ("en/commongen/train_trg.txt", "lines", {}, 33_694),
    ("en/comve/train.csv", "table", {"column": "Correct Statement"}, 10_000),
    ("en/csqa/dev.jsonl", "jsonl", {"field": "question.stem"}, 1_221),
    ("en/stories/cloze_val.csv", "table", {"column": "InputSentence1"}, 1_871),
]


@pytest.mark.parametrize(("name", "format", "options", "count"), FILES, ids=[file[0] for file in FILES])
def test_every_record_is_read(name: str, format: str, options, count: int) -> None:
    path = DATA / name
    head = read_head(str(path))
    encoding = find_encoding(head)
    assert find_format(str(path), head) == format
    assert encoding == ("cp949" if "cp949" in name else "utf-8")
    entries = read_path(path, make_reader(format, options), encoding)
    assert set(reasons(entries)) == {""}
    assert len(entries) == count


@pytest.mark.parametrize(
    ("name", "options", "count"),
    [
        ("captions_val2017.json", {"items": "annotations.item", "field": "caption"}, 25_014),
        ("activitynet_val_1.json", {"items": "*", "field": "sentences[]"}, 17_505),
        ("coco_val2014_refs.json", {"items": "*.item", "field": "[]"}, 162_150),
    ],
)
def test_documents_that_are_no_arrays_are_read_by_their_prefix(name: str, options, count: int) -> None:
    entries = read_path(DATA / "en/captions" / name, make_reader("json", options))
    assert (len(entries), set(reasons(entries))) == (count, {""})


@pytest.mark.parametrize(
    "path", sorted((DATA / "ko").rglob("*.*")) if DATA.is_dir() else [], ids=lambda path: path.name
)
def test_the_lines_of_every_file_are_those_of_a_split(path: Path) -> None:
    content = path.read_bytes()
    encoding = find_encoding(content[:65_536])
    lines = content.decode(encoding).split("\n")
    expected = [line.removesuffix("\r") for line in (lines if lines[-1] else lines[:-1])]
    assert texts(read_path(path, make_reader("lines", {}), encoding)) == expected
    assert count_lines(str(path)) == len(expected)


@pytest.mark.parametrize(("name", "column"), [("apeach_test.csv", "text"), ("../dialogue/chatbot.csv", "A")])
def test_tables_are_those_of_the_standard_parser(name: str, column: str) -> None:
    path = DATA / "ko/ethics" / name
    rows = csv.DictReader(io.StringIO(path.read_text("utf-8").replace("\r\n", "\n"), newline=""))
    assert texts(read_path(path, make_reader("table", {"column": column}))) == [row[column] for row in rows]


@pytest.mark.parametrize(
    "name", ["published/captions.jsonl", "published/dialogue_summaries.jsonl", "outputs/references.jsonl"]
)
def test_published_examples_are_written_as_they_were(name: str, tmp_path) -> None:
    path = DATA / "ko" / name
    references = "references" in name
    examples = list(read_examples(str(path)))
    lines = path.read_text("utf-8").splitlines()
    assert [json.loads(format_json(e, references=references)) for e in examples] == [json.loads(line) for line in lines]
    text = "\n".join(format_text(example, references=references) for example in examples)
    storage.write_bytes(str(tmp_path / "a.txt"), text.encode())
    assert list(read_examples(str(tmp_path / "a.txt"))) == examples

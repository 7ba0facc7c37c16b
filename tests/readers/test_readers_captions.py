"""Captions of images and videos, and CommonGen's files."""

import csv
import io
import json
import re
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from reading import DATA, needs_data, places, read, read_path, reasons, texts, zipped

from conceptloom.errors import ConfigError, InputError
from conceptloom.examples import Example
from conceptloom.readers import READERS, Reader, find_format, make_reader, read_head
from conceptloom.readers.commongen import read_parallel, target_of
from conceptloom.statistics.files import load_examples

LINE = st.text(st.characters(exclude_characters="\n\r\t\0", exclude_categories=["Cs"]), max_size=20)
CAPTIONS = st.lists(LINE.filter(str.strip), min_size=1, max_size=6)


def coco(captions: list[str], *, images_first: bool = True) -> bytes:
    images = [{"license": 1, "file_name": "1.jpg", "coco_url": "http://x/1.jpg", "id": 1}]
    annotations = [{"image_id": 1, "id": at, "caption": caption} for at, caption in enumerate(captions)]
    parts = {"info": {"year": 2017}, "licenses": [], "images": images, "annotations": annotations}
    order = parts if images_first else ("info", "annotations", "images")
    return json.dumps({name: parts[name] for name in order}).encode()


def by_image(captions: list[str]) -> bytes:
    return json.dumps({"7": [captions]}).encode()


def video(captions: list[str]) -> bytes:
    return json.dumps({"v_a": {"duration": 5.5, "timestamps": [[0, 1.5]], "sentences": captions}}, indent=1).encode()


def vatex(captions: list[str]) -> bytes:
    return json.dumps([{"videoID": "a_1_2", "enCap": captions, "chCap": ["一"]}]).encode()


def flickr8k(captions: list[str]) -> bytes:
    return "".join(f"1_a.jpg#{at}\t{caption}\r\n" for at, caption in enumerate(captions)).encode()


def conceptual(captions: list[str]) -> bytes:
    return "".join(f"{caption}\thttps://a.b/c.jpg?d=1\n" for caption in captions).encode()


def flickr30k(captions: list[str]) -> bytes:
    rows = "".join(f"1.jpg| {at}| {caption}\n" for at, caption in enumerate(captions))
    return f"image_name| comment_number| comment\n{rows}".encode()


def scenes(captions: list[str]) -> bytes:
    return json.dumps({"concept_set": "dog_N#run_V", "scene": captions, "reason": ["n/a"]}).encode() + b"\n"


FORMATS = {
    "coco": coco,
    "coco-references": by_image,
    "activitynet": video,
    "vatex": vatex,
    "flickr": flickr8k,
    "conceptual-captions": conceptual,
    "commongen": scenes,
}


@pytest.mark.parametrize("format", FORMATS)
@given(captions=CAPTIONS)
def test_every_caption_is_read_and_the_format_found(format: str, captions: list[str]) -> None:
    content = FORMATS[format](captions)
    entries = read(make_reader(format, {}), content)
    assert (texts(entries), set(reasons(entries))) == (captions, {""})
    for path in ("a", "a.txt", "a.json.gz", "a.tsv"):
        if format in ("flickr", "conceptual-captions") or not path.endswith("tsv"):
            assert find_format(path, content) == format


@pytest.mark.parametrize("format", FORMATS)
def test_each_format_may_be_zipped(format: str, tmp_path) -> None:
    path = zipped(tmp_path / "a.gz", FORMATS[format](["one", "two"]))
    assert texts(read_path(path, detected(path))) == ["one", "two"]


@given(CAPTIONS)
def test_flickr30k_tables_are_read_without_their_header(captions: list[str]) -> None:
    entries = read(make_reader("flickr", {}), flickr30k(captions))
    assert texts(entries) == captions
    assert [entry.record for entry in entries] == list(range(2, len(captions) + 2))
    assert find_format("results.csv", flickr30k(captions)) == "flickr"


def test_the_broken_row_of_flickr30k_is_told() -> None:
    content = b"1.jpg| 3| A dog .\n2199200615.jpg| 4   A dog runs across the grass .\n2.jpg| 0| A cat .\n"
    entries = read(make_reader("flickr", {}), content)
    assert (texts(entries), reasons(entries)) == (["A dog .", "A cat ."], ["", "broken_example", ""])
    assert "NAME| NUMBER| caption" in entries[1].detail and entries[1].text.startswith("2199200615")


@given(st.lists(st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1), min_size=1, max_size=5))
@pytest.mark.parametrize("header", [("image", "caption"), ("image_id", "split", "caption"), ("caption", "image")])
def test_a_table_of_images_and_captions_is_no_list_of_lines(header: tuple[str, ...], captions: list[str]) -> None:
    """Flickr8k is handed on as captions.txt, a csv: as lines, the names of images became text."""
    text = io.StringIO()
    rows = csv.writer(text)
    rows.writerow(header)
    rows.writerows([caption if name == "caption" else "1.jpg" for name in header] for caption in captions)
    content = text.getvalue().encode()
    assert find_format("captions.txt", content) == "image-captions"
    assert texts(read(make_reader("image-captions", {}), content)) == captions


TOLD = [
    ("flickr", b"a.jpg#0\tone\n\na.jpg#x\ttwo\nb.jpg#1\t\xff", ["", "", "broken_example", "undecodable"]),
    ("conceptual-captions", b"one\thttp://a\ntwo\n\tb\thttp://b\nc\tftp://c", ["", *["broken_example"] * 3]),
    ("coco", b'{"annotations": [{"caption": 1}, {}, {"caption": "a"}]}', ["wrong_type", "missing_field", ""]),
    ("coco", rb'{"annotations": [{"caption": "\ud800"}]}', ["undecodable"]),
    ("coco", b'{"images": []}', ["missing_field"]),
    ("coco-references", b'{"1": [["a", 2]], "2": []}', ["", "wrong_type"]),
    ("activitynet", b'{"v": {"sentences": []}, "w": {}, "x": {"sentences": [" a"]}}', ["missing_field"] * 2 + [""]),
    ("vatex", b'[{"enCap": "a"}, {"enCap": ["a", null]}]', ["wrong_type", "", "wrong_type"]),
    ("commongen", b'{"scene": ["a"]}\n{"scene": 1}\n{"a"', ["", "wrong_type", "broken_json"]),
]


@pytest.mark.parametrize(("format", "content", "expected"), TOLD)
def test_what_is_malformed_is_told(format: str, content: bytes, expected: list[str]) -> None:
    assert reasons(read(make_reader(format, {}), content)) == expected


def test_places_and_fields() -> None:
    assert places(read(make_reader("coco", {}), coco(["a", "b"]))) == [(1, 0), (2, 0)]
    assert places(read(make_reader("activitynet", {}), video(["a", "b"]))) == [(1, 0), (1, 1)]
    named = {name: make_reader(name, {}).field(1) for name in FORMATS}
    assert named == {
        "coco": "caption",
        "coco-references": "[1]",
        "activitynet": "sentences[1]",
        "vatex": "enCap[1]",
        "flickr": "caption",
        "conceptual-captions": "caption",
        "commongen": "scene[1]",
    }


def test_options_choose_the_language_and_the_reasons() -> None:
    assert texts(read(make_reader("vatex", {"language": "zh"}), vatex(["a"]))) == ["一"]
    reasons_reader = make_reader("commongen", {"field": "reason"})
    assert texts(read(reasons_reader, scenes(["a"]))) == ["n/a"]
    with pytest.raises(ConfigError, match="option field of format commongen"):
        make_reader("commongen", {"field": "target"})


@pytest.mark.parametrize(
    ("path", "content", "expected"),
    [
        ("a.json", coco(["a"], images_first=False), "coco"),
        ("a.json", coco(["a"] * 3000)[: 1 << 16], "coco"),
        ("a.json", b'{"images": [{"id": 1, "file_name": "a.jpg"}, {"id"', "coco"),
        ("a.jsonl", b'{"a": 1, "text": "b"}\n{"a": 2, "text": "c"}', "jsonl"),
        ("a.jsonl", b'{"v": {"timestamps": [], "sentences": []}}\n{"text": "c"}', "jsonl"),
        ("a.json", b'[{"captions": ["enCap"]}]', "json"),
        ("a.json", b'{"concept_set": "a#b", "scene": ["x"]}', "published"),
        ("a.csv", b"image,caption\n1.jpg,a\n", "image-captions"),
        ("a.csv", b"caption,link\na,b\n", "table"),
        ("a.csv", b"name| 3| text\nother| 4| text\n", "table"),
        ("a.tsv", b"text\tlink\nsee\there\n", "table"),
        ("a.txt", b"see http://a.b/c\nor not\n", "lines"),
    ],
)
def test_like_files_are_told_apart(path: str, content: bytes, expected: str) -> None:
    assert find_format(path, content) == expected


@given(st.lists(st.tuples(st.sampled_from(["dog run", "run dog", "a b c"]), LINE), min_size=1), st.booleans())
def test_parallel_text_is_read_by_set(tmp_path_factory, rows: list[tuple[str, str]], packed: bool) -> None:
    folder = tmp_path_factory.mktemp("parallel")
    source, target = ("".join(row[side] + "\n" for row in rows).encode() for side in (0, 1))
    if packed:
        zipped(folder / "dev.src_alpha.txt.gz", source), zipped(folder / "dev.tgt.txt.gz", target)
    else:
        (folder / "dev_src.txt").write_bytes(source), (folder / "dev_trg.txt").write_bytes(target)
    path = str(folder / ("dev.src_alpha.txt.gz" if packed else "dev_src.txt"))
    expected = {
        concepts: Example(
            tuple(concepts.split()), tuple(text for other, text in rows if other == concepts and text.strip()), "dev"
        )
        for concepts, _ in rows
    }
    assert load_examples(f"dev={path}") == list(expected.values())


def test_parallel_text_that_does_not_match_is_an_error(tmp_path) -> None:
    source, target = tmp_path / "a_src.txt", tmp_path / "a_trg.txt"
    source.write_bytes(b"a b\nc d\n")
    with pytest.raises(InputError, match=r"a_src\.txt: its sentences are missing; put .*a_trg\.txt or .*a_tgt"):
        load_examples(str(source))
    for content, message in [(b"x\n", "a_src.txt: line 2 has no"), (b"x\ny\nz\n", "a_trg.txt: line 3 has no")]:
        target.write_bytes(content)
        with pytest.raises(InputError, match=re.escape(message)):
            load_examples(str(source))
    source.write_bytes(b"a b\n \n")
    target.write_bytes(b"x\ny\n")
    with pytest.raises(InputError, match="line 2 has no concepts"):
        load_examples(str(source))
    target.write_bytes(b"x\n\xff\n")
    with pytest.raises(InputError, match=r"a_trg\.txt: line 2: undecodable"):
        list(read_parallel(str(source), str(target)))


@pytest.mark.parametrize("name", ["source.txt", "a_src.csv", "srcs.txt", "train_trg.txt"])
def test_other_names_are_no_parallel_text(name: str) -> None:
    assert target_of(name) is None


@needs_data
@pytest.mark.slow
def test_the_captions_are_those_of_a_plain_program() -> None:
    folder = DATA / "en/captions"
    coco17 = json.loads((folder / "captions_val2017.json").read_text("utf-8"))["annotations"]
    nets = json.loads((folder / "activitynet_val_1.json").read_text("utf-8"))
    flickr = (folder / "Flickr8k.token.txt").read_text("utf-8").split("\n")
    pairs = (folder / "conceptual_captions_val.tsv").read_text("utf-8").split("\n")
    expected = {
        "captions_val2017.json": [row["caption"] for row in coco17],
        "activitynet_val_1.json": [text for row in nets.values() for text in row["sentences"]],
        "Flickr8k.token.txt": [line.split("\t")[1] for line in flickr if line],
        "conceptual_captions_val.tsv": [line.split("\t")[0] for line in pairs if line],
    }
    for name, wanted in expected.items():
        path = folder / name
        assert texts(read_path(path, detected(path))) == wanted


def detected(path) -> Reader:
    return make_reader(find_format(str(path), read_head(str(path))), {})


@needs_data
def test_the_published_train_text_is_read() -> None:
    folder = DATA / "en/commongen"
    lines = [(folder / f"train_{side}.txt").read_text("utf-8").split("\n")[:-1] for side in ("src", "trg")]
    examples = load_examples(str(folder / "train_src.txt"))
    assert sum(len(example.sentences) for example in examples) == 33_694
    assert {(" ".join(e.concepts), text) for e in examples for text in e.sentences} == set(zip(*lines))
    assert len(examples) == len(set(lines[0]))


@needs_data
def test_the_published_dev_set_has_the_numbers_of_its_paper() -> None:
    examples = load_examples(str(DATA / "en/commongen/commongen.dev.jsonl"))
    sizes = Counter(len(example.concepts) for example in examples)
    assert (len(examples), sizes) == (993, {3: 493, 4: 250, 5: 250})
    assert len({concept for example in examples for concept in example.concepts}) == 766
    assert sum(len(example.sentences) for example in examples) == 4_018


def test_concepts_keep_what_only_looks_like_a_tag(tmp_path) -> None:
    (tmp_path / "a.jsonl").write_text(
        '{"concept_set": "a_N#b", "scene": ["x"]}\n{"concept_set": "a_N#b_V", "scene": "x"}'
    )
    assert [example.concepts for example in load_examples(str(tmp_path / "a.jsonl"))] == [("a_N", "b"), ("a", "b")]


def test_each_format_says_what_it_is() -> None:
    assert all(READERS[format].summary for format in FORMATS)

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from reading import places, read, reasons, texts, zipped

from conceptloom.errors import InputError
from conceptloom.examples import Example
from conceptloom.readers import make_reader
from conceptloom.readers.published import format_json, format_text, read_examples

PUBLISHED = make_reader("published", {})
ODD = st.text(st.sampled_from('ab강 #=[]{}SOE"\\\n\r\t\0\ud800\u2028') | st.characters(), max_size=12)
EXAMPLES = st.builds(
    Example,
    st.lists(ODD, max_size=4).map(tuple),
    st.lists(ODD | st.just("a = b"), max_size=3).map(tuple),
    st.none(),
)
PLAIN = st.text(st.sampled_from("가나다 .,?!#"), min_size=1, max_size=12)
CONCEPT = st.text(st.sampled_from("가나다"), min_size=1, max_size=5)


@given(st.lists(EXAMPLES), st.booleans(), st.sampled_from([format_json, format_text]))
def test_what_can_be_written_is_read_again(tmp_path_factory, examples, references: bool, write) -> None:
    lines, kept = [], []
    for example in examples:
        try:
            lines.append(write(example, references=references))
        except ValueError:
            continue
        kept.append(example)
    path = tmp_path_factory.mktemp("published") / "a"
    path.write_bytes("".join(line + "\n" for line in lines).encode())
    assert list(read_examples(str(path))) == kept


@given(st.lists(CONCEPT, min_size=1), st.lists(PLAIN, min_size=1), st.sampled_from([format_json, format_text]))
def test_plain_examples_can_be_written(concepts: list[str], sentences: list[str], write) -> None:
    assert write(Example(tuple(concepts), tuple(sentences)), references=True)
    assert write(Example(tuple(concepts), tuple(sentences[:1])))


def test_the_formats_are_those_of_the_data_set() -> None:
    train, test = Example(("개", "달리"), ("개가 달린다.",)), Example(("개", "달리"), ("개가 달린다.", "달리는 개."))
    assert json.loads(format_json(train)) == {"concept-set": "개#달리", "scene": "개가 달린다."}
    assert json.loads(format_json(test, references=True))["scene"] == ["개가 달린다.", "달리는 개."]
    assert format_text(train) == "[SOS] 개#달리 = 개가 달린다. [EOS]"
    assert format_text(test, references=True) == "[SOS] 개#달리 = 개가 달린다. = 달리는 개. [EOS]"


@pytest.mark.parametrize("write", [format_json, format_text])
@pytest.mark.parametrize(
    "example",
    [
        Example(("a#b",), ("x",)),
        Example((), ("x",)),
        Example(("",), ("x",)),
        Example(("a",), ()),
        Example(("a",), ("x", "y")),
        Example(("a",), ("\ud800",)),
        Example(("a",), ("x\0",)),
        Example(("a",), ("x" * (1 << 20),)),
    ],
)
def test_what_cannot_be_written_is_refused(example: Example, write) -> None:
    with pytest.raises(ValueError, match="example"):
        write(example)


@pytest.mark.parametrize(
    "example", [Example(("a",), ("x = y",)), Example(("a = b",), ("x",)), Example(("a",), ("x\ny",))]
)
def test_what_only_json_can_hold(example: Example, tmp_path) -> None:
    with pytest.raises(ValueError, match="cannot be written"):
        format_text(example, references=True)
    assert format_json(example)


def test_the_reader_gives_each_sentence_and_what_is_malformed() -> None:
    lines = [
        '{"concept-set": "a#b", "scene": "one"}',
        '{"concept_set": "a_V#b_N", "scene": ["two", "three"]}',
        "[SOS] a#b = four [EOS]",
        "[SOS] a#b = five = six [EOS]",
        "",
        "[SOS] a#b four [EOS]",
        '{"concept-set": "a#b"}',
        '{"concept-set": "a#b", "scene": [1]}',
        '{"concept-set": "a##b", "scene": "x"}',
        '{"concept-set": "a"',
        r'{"concept-set": "a", "scene": ["ok", "\ud800"]}',
    ]
    entries = read(PUBLISHED, "\r\n".join(lines).encode())
    assert texts(entries) == ["one", "two", "three", "four", "five", "six", "", "ok"]
    assert places(entries) == [(1, 0), (2, 0), (2, 1), (3, 0), (4, 0), (4, 1), (5, 0), (11, 0)]
    bad = ["broken_example", "missing_field", "wrong_type", "broken_example", "broken_json", "", "undecodable"]
    assert reasons(entries)[7:] == bad
    assert [entry.item for entry in entries[7:]] == [None, None, 0, None, None, 0, 1]
    assert PUBLISHED.field(1) == "scene[1]"


def test_a_set_without_references_is_a_set_but_no_text(tmp_path) -> None:
    """In a build's files for validation and test, references may still have to be written."""
    path = tmp_path / "v.jsonl"
    path.write_text('{"concept-set": "a#b", "scene": []}\n{"concept-set": "c", "scene": ["x"]}\n')
    assert list(read_examples(str(path))) == [Example(("a", "b"), ()), Example(("c",), ("x",))]
    assert reasons(read(PUBLISHED, path.read_bytes())) == ["broken_example", ""]
    assert format_json(Example(("a", "b"), ()), references=True) == '{"concept-set": "a#b", "scene": []}'
    with pytest.raises(ValueError, match="cannot be written"):
        format_text(Example(("가", "나"), ()), references=True)


@pytest.mark.parametrize("line", [b"[SOS] a [EOS]", b"\xff", b"{", rb'{"concept-set": "\ud800", "scene": "x"}'])
def test_a_malformed_line_is_an_error_with_file_and_line(line: bytes, tmp_path) -> None:
    path = zipped(tmp_path / "broken.gz", b"[SOS] a = b [EOS]\n\n" + line)
    examples = read_examples(str(path))
    assert next(examples) == Example(("a",), ("b",))
    with pytest.raises(InputError, match=r"^\S+broken\.gz: line 3: "):
        next(examples)

"""References and predictions as files: every format, and everything that can be wrong with them."""

import gzip
import json
from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pytest

from conceptloom.errors import InputError
from conceptloom.manifest import Manifest
from conceptloom.metrics.inputs.item_tables import items_of
from conceptloom.metrics.inputs.pairing import Paired, pair
from conceptloom.metrics.inputs.references import read_references
from conceptloom.schemas import DATA
from conceptloom.tables import write_table

SETS = [
    ("개#공", ["개가 공을 문다.", "공과 개가 있다."]),
    ("방#책", ["방에 책이 있다."]),
    ("길 옆#차", ["차가 있다.", "길 옆에 차가 있다."]),
]


def write(path: Path, lines: Sequence[str], end: str = "\n") -> str:
    path.write_text("\n".join(lines) + end, encoding="utf-8")
    return str(path)


def json_lines(path: Path, rows: Sequence[object], end: str = "\n") -> str:
    return write(path, [json.dumps(row, ensure_ascii=False) for row in rows], end)


@pytest.fixture
def references(tmp_path: Path) -> str:
    return json_lines(tmp_path / "references.jsonl", [{"concept-set": key, "scene": scene} for key, scene in SETS])


def paired(references: str, path: str) -> Paired:
    return pair(read_references(references), path)


def found(references: str, path: str) -> tuple[list[str], list[tuple[str, int, tuple[int, ...]]]]:
    """The predictions in the order of the references, and the notes."""
    result = paired(references, path)
    return [item.prediction for item in items_of(result.items)], [(n.what, n.times, n.lines) for n in result.notes]


def test_a_prediction_for_each_set(references: str, tmp_path: Path) -> None:
    path = write(tmp_path / "p.txt", ["가 ", "나", "다"])
    items = items_of(paired(references, path).items)
    assert [(one.key, one.concepts, list(one.references), one.prediction) for one in items] == [
        (key, tuple(key.split("#")), scene, text) for (key, scene), text in zip(SETS, "가나다")
    ]


def test_a_prediction_for_each_sentence(references: str, tmp_path: Path) -> None:
    items = items_of(paired(references, write(tmp_path / "p.txt", list("가나다라마"))).items)
    pairs = [(key, (sentence,)) for key, scene in SETS for sentence in scene]
    assert [(one.key, one.references) for one in items] == pairs
    assert "".join(one.prediction for one in items) == "가나다라마"


def test_a_prediction_for_each_sentence_taken_by_set(references: str, tmp_path: Path) -> None:
    result = pair(read_references(references), write(tmp_path / "p.txt", list("가나다라라")), by_set=True)
    items = items_of(result.items)
    assert [(one.key, list(one.references)) for one in items] == SETS
    assert "".join(one.prediction for one in items) == "가다라"
    assert [(note.what, note.times) for note in result.notes] == [("more_predictions", 1)]
    as_sets = pair(read_references(references), write(tmp_path / "q.txt", list("가다라")), by_set=True)
    assert as_sets.items.equals(result.items) and not as_sets.notes


def test_parallel_text_taken_by_set(tmp_path: Path) -> None:
    source = write(tmp_path / "dev_src.txt", ["dog ball", "book", "dog ball"])
    write(tmp_path / "dev_trg.txt", ["A dog.", "A book.", "A ball."])
    result = pair(read_references(source), write(tmp_path / "p.txt", list("aba")), by_set=True)
    items = items_of(result.items)
    assert [(one.key, one.references, one.prediction) for one in items] == [
        ("dog ball", ("A dog.", "A ball."), "a"),
        ("book", ("A book.",), "b"),
    ]
    assert not result.notes


def test_text_format_and_gzip(references: str, tmp_path: Path) -> None:
    lines = [f"[SOS] {key} = {' = '.join(scene)} [EOS]" for key, scene in SETS]
    path = tmp_path / "test.txt.gz"
    path.write_bytes(gzip.compress("\n".join(lines).encode()))
    read = read_references(str(path))
    assert read.digest == read_references(references).digest
    assert read.sets.drop_columns("source").equals(read_references(references).sets.drop_columns("source"))
    assert [note.what for note in read.notes] == ["no_final_newline"]


def test_parallel_text(tmp_path: Path) -> None:
    source = write(tmp_path / "dev_src.txt", ["dog ball", "book", "dog ball"])
    write(tmp_path / "dev_trg.txt", ["A dog has a ball.", "A book.", "A ball and a dog."], end="")
    read = read_references(source)
    assert read.sets["references"].to_pylist() == [["A dog has a ball.", "A ball and a dog."], ["A book."]]
    assert read.lines["references"].to_pylist() == [["A dog has a ball."], ["A book."], ["A ball and a dog."]]
    by_line = items_of(pair(read, write(tmp_path / "p.txt", ["1", "2", "3"])).items)
    assert [(one.key, one.concepts, one.prediction) for one in by_line] == [
        ("dog ball", ("dog", "ball"), "1"),
        ("book", ("book",), "2"),
        ("dog ball", ("dog", "ball"), "3"),
    ]
    by_set = items_of(pair(read, write(tmp_path / "q.txt", ["1", "2"])).items)
    assert [(one.key, len(one.references), one.prediction) for one in by_set] == [
        ("dog ball", 2, "1"),
        ("book", 1, "2"),
    ]


def test_tags_of_concepts_stay_in_the_key(tmp_path: Path) -> None:
    path = json_lines(tmp_path / "dev.jsonl", [{"concept_set": "dog_N#run_V", "scene": ["A dog runs."]}])
    (item,) = items_of(paired(path, write(tmp_path / "p.txt", ["x"])).items)
    assert (item.key, item.concepts) == ("dog_N#run_V", ("dog", "run"))


def test_a_build(tmp_path: Path) -> None:
    rows = [
        {
            "id": f"i{n}",
            "concepts": key.split("#"),
            "target": scene[0],
            "references": scene,
            "source": "s",
            "locator": "",
        }
        for n, (key, scene) in enumerate(SETS)
    ]
    write_table(str(tmp_path / "data" / "test-00000.parquet"), pa.Table.from_pylist(rows[:2], DATA))
    write_table(str(tmp_path / "data" / "test-00001.parquet"), pa.Table.from_pylist(rows[2:], DATA))
    Manifest("x", "f", {}, ()).write(str(tmp_path))
    predictions = json_lines(tmp_path / "p.jsonl", [{"id": f"i{n}", "prediction": str(n)} for n in (2, 0, 1)])
    items = items_of(paired(str(tmp_path), predictions).items)
    assert [(one.key, one.prediction, one.source) for one in items] == [
        ("i0", "0", "s"),
        ("i1", "1", "s"),
        ("i2", "2", "s"),
    ]
    by_set = json_lines(tmp_path / "q.jsonl", [{"concept-set": key, "pred_scene": [key]} for key, _ in SETS])
    assert found(str(tmp_path), by_set) == ([key for key, _ in SETS], [])
    with pytest.raises(InputError, match="no split 'validation'; choose another --split"):
        read_references(str(tmp_path), "validation")


def test_same_set_twice_takes_predictions_in_turn(tmp_path: Path) -> None:
    references = json_lines(tmp_path / "r.jsonl", [{"concept-set": "a#b", "scene": [x]} for x in ("x", "y")])
    path = json_lines(tmp_path / "p.jsonl", [{"concept-set": "a#b", "prediction": x} for x in ("1", "2", "3")])
    assert found(references, path) == (["1", "2"], [("duplicate_ids", 1, (3,))])


def test_keys_in_any_order_and_all_that_is_odd(references: str, tmp_path: Path) -> None:
    rows = [
        {"concept-set": "길 옆#차", "prediction": ["c", "d"]},
        {"concept-set": "no#such", "prediction": "x"},
        {"concept-set": "개#공", "prediction": ""},
        {"concept-set": "길 옆#차", "prediction": "e"},
    ]
    path = json_lines(tmp_path / "p.jsonl", rows, end="")
    assert found(references, path) == (
        ["", "", "c"],
        [
            ("no_final_newline", 1, ()),
            ("empty_predictions", 1, (3,)),
            ("more_predictions", 1, (1,)),
            ("duplicate_ids", 1, (4,)),
            ("unknown_ids", 1, (2,)),
            ("missing_predictions", 1, ()),
        ],
    )


@pytest.mark.parametrize("key", ["id", "key"])
def test_numbers_as_ids(tmp_path: Path, key: str) -> None:
    references = json_lines(
        tmp_path / "r.jsonl", [{"concept-set": "7", "scene": ["x"]}, {"concept-set": "8", "scene": "y"}]
    )
    path = json_lines(tmp_path / "p.jsonl", [{key: 8, "prediction": "b"}, {key: 7, "prediction": "a"}])
    assert found(references, path) == (["a", "b"], [])


def test_lists_as_concept_sets(references: str, tmp_path: Path) -> None:
    path = json_lines(tmp_path / "p.jsonl", [{"concept_set": key.split("#"), "scene": key} for key, _ in SETS[::-1]])
    assert found(references, path)[0] == [key for key, _ in SETS]


def test_concept_sets_in_another_order_are_the_same_sets(references: str, tmp_path: Path) -> None:
    rows: list[object] = [{"concept-set": "#".join(reversed(key.split("#"))), "prediction": key} for key, _ in SETS]
    rows.append({"concept-set": "공#개", "prediction": "again"})
    path = json_lines(tmp_path / "p.jsonl", rows)
    assert found(references, path) == ([key for key, _ in SETS], [("duplicate_ids", 1, (4,))])


def test_sets_that_differ_only_in_their_order_keep_their_own_predictions(tmp_path: Path) -> None:
    keys = ["a#b", "b#a"]
    references = json_lines(tmp_path / "r.jsonl", [{"concept-set": key, "scene": [key]} for key in keys])
    path = json_lines(tmp_path / "p.jsonl", [{"concept-set": key, "prediction": key} for key in reversed(keys)])
    assert found(references, path) == (keys, [])


def test_tagged_sets_in_another_order(tmp_path: Path) -> None:
    path = json_lines(tmp_path / "dev.jsonl", [{"concept_set": "dog_N#run_V", "scene": ["A dog runs."]}])
    for number, key in enumerate(("run_V#dog_N", "run#dog")):
        said = json_lines(tmp_path / f"{number}.jsonl", [{"concept_set": key, "prediction": "x"}])
        assert found(path, said) == (["x"], [])


@pytest.mark.parametrize("name", ["prediction", "pred_scene", "output", "scene", "generated_text", "text"])
def test_names_of_the_text(references: str, tmp_path: Path, name: str) -> None:
    path = json_lines(tmp_path / "p.jsonl", [{name: x} for x in "abc"])
    assert found(references, path) == (list("abc"), [])


@pytest.mark.parametrize("indent", [None, 2])
def test_a_json_array(references: str, tmp_path: Path, indent: int | None) -> None:
    keyed = [{"concept-set": key, "generated_text": key} for key, _ in SETS[::-1]]
    path = write(tmp_path / "p.json", [json.dumps(keyed, ensure_ascii=False, indent=indent)])
    assert found(references, path) == ([key for key, _ in SETS], [])
    plain = write(tmp_path / "q.json", [json.dumps(["가", " 나", ""], ensure_ascii=False, indent=indent)])
    assert found(references, plain) == (["가", "나", ""], [("empty_predictions", 1, (3,))])


def test_text_that_starts_with_a_bracket_is_text(references: str, tmp_path: Path) -> None:
    lines = ["[MASK] a", "[1, 2]", "c"]
    assert found(references, write(tmp_path / "p.txt", lines)) == (lines, [])


def test_json_lines_without_keys_stand_in_order(references: str, tmp_path: Path) -> None:
    path = json_lines(tmp_path / "p.jsonl", [{"prediction": x} for x in "abc"])
    assert found(references, path) == (["a", "b", "c"], [])


def test_predictions_in_the_text_format(references: str, tmp_path: Path) -> None:
    path = write(tmp_path / "p.txt", [f"[SOS] {key} = {key}! [EOS]" for key, _ in SETS[::-1]])
    assert found(references, path)[0] == [f"{key}!" for key, _ in SETS]


def test_empty_predictions_are_not_shifted(references: str, tmp_path: Path) -> None:
    path = write(tmp_path / "p.txt", ["", "나", " "])
    assert found(references, path) == (["", "나", ""], [("empty_predictions", 2, (1, 3))])


@pytest.mark.parametrize("lines", [3, 5])
def test_blank_lines_at_the_end_are_noted(references: str, tmp_path: Path, lines: int) -> None:
    path = write(tmp_path / "p.txt", [*"abcde"[:lines], "", ""])
    texts, notes = found(references, path) if lines == 5 else ([], [])
    if lines == 5:
        assert (texts, notes) == (list("abcde"), [("blank_lines_at_end", 2, (6, 7))])
    else:
        # Three lines and two blank ones could also be a prediction for each sentence: they are read so, with a note.
        assert found(references, path) == (["a", "b", "c", "", ""], [("empty_predictions", 2, (4, 5))])


def test_one_blank_line_at_the_end(references: str, tmp_path: Path) -> None:
    path = write(tmp_path / "p.txt", ["a", "b", "c", ""])
    assert found(references, path) == (["a", "b", "c"], [("blank_lines_at_end", 1, (4,))])


def test_line_ends_and_marks_of_other_systems(references: str, tmp_path: Path) -> None:
    path = tmp_path / "p.txt"
    path.write_bytes(b"\xef\xbb\xbf" + "가\r\n나\u2028\r\n다\r\n".encode())
    assert found(references, str(path)) == (["가", "나", "다"], [])


def test_notes_read_well(references: str, tmp_path: Path) -> None:
    path = write(tmp_path / "p.txt", ["", "나", "다"], end="")
    assert [str(note) for note in paired(references, path).notes] == [
        f"{path}: the last line has no line end: was the file cut off?",
        f"{path}: 1 prediction is empty and scores 0 (line 1)",
    ]
    many = write(tmp_path / "q.txt", [""] * 6, end="x\n")
    assert [str(note) for note in pair(read_references(many_sets(tmp_path, 6)), many).notes] == [
        f"{many}: 5 predictions are empty and score 0 (line 1, 2, 3, 4, 5)"
    ]


def test_sets_whose_references_are_still_to_be_written_are_left_out(tmp_path: Path) -> None:
    """A build's validation file has them, and predictions have a line for each set."""
    rows = [{"concept-set": key, "scene": scene if at != 1 else []} for at, (key, scene) in enumerate(SETS)]
    references = json_lines(tmp_path / "references.jsonl", rows)
    path = write(tmp_path / "p.txt", ["a", "b", "c"])
    paired_all = paired(references, path)
    assert paired_all.items["prediction"].to_pylist() == ["a", "c"]
    assert paired_all.items["key"].to_pylist() == [SETS[0][0], SETS[2][0]]
    (note,) = paired_all.notes
    assert str(note) == f"{path}: 1 set of the references has no sentence to compare with, and is left out"
    keyed = json_lines(tmp_path / "k.jsonl", [{"id": key, "prediction": key} for key, _ in SETS[::-1]])
    assert paired(references, keyed).items["prediction"].to_pylist() == [SETS[0][0], SETS[2][0]]


def many_sets(tmp_path: Path, count: int) -> str:
    return json_lines(tmp_path / "many.jsonl", [{"concept-set": f"a#{n}", "scene": ["x"]} for n in range(count)])


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (["a", "b"], "has 2 predictions, and .* has 3 sets with 5 sentences: give one for each, in their order"),
        (["a", "", "b", "c"], r"has 4 predictions \(empty: line 2\)"),
        ([""], "there are no predictions"),
        (['{"prediction": "a"}', "b"], "line 2: broken_json"),
        (['{"prediction": "a"}', "[]"], "line 2 is not a JSON object"),
        (['{"prediction": "a", "id": "1"}', '{"prediction": "b"}'], "line 2 has no id or key"),
        (['{"id": "1"}'], "line 1 has no text in prediction or"),
        (['{"id": "1", "prediction": 3}'], "line 1 has no text"),
        (['{"id": "1", "prediction": "a"}'], "no id or concept set occurs in"),
        (['{"prediction": "\\ud800"}'], "line 1: undecodable"),
        (['[{"id": "1", "prediction": "a"},', "]"], "this JSON array cannot be read: "),
        (['[{"id": "1", "prediction": "a"}, {"id": "2"}]'], "p.txt: element 2 has no text in prediction or"),
        (['[{"id": "1", "prediction": "a"}, "b"]'], "p.txt: element 2 has no id or key"),
        (["[SOS] a#b = c [EOS]", "d"], r"line 2 is not \[SOS\]"),
        (["a", "\0", "b"], "line 2: control_characters"),
    ],
)
def test_predictions_that_cannot_be_used(references: str, tmp_path: Path, lines: list[str], message: str) -> None:
    path = write(tmp_path / "p.txt", lines)
    with pytest.raises(InputError, match=message) as caught:
        paired(references, path)
    assert path in str(caught.value)


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ([""], "there are no references"),
        (['{"concept-set": "a#b"}'], "line 1: missing_field: there is no scene"),
        (['{"concept-set": "a#b", "scene": ["x", " "]}'], "line 1: reference 2 is empty; fix this line"),
        (["", '{"concept-set": "a#b", "scene": []}'], "there are no references"),
        (["plain text"], "line 1: broken_example"),
    ],
)
def test_references_that_cannot_be_used(tmp_path: Path, lines: list[str], message: str) -> None:
    path = write(tmp_path / "r.jsonl", lines)
    with pytest.raises(InputError, match=message) as caught:
        read_references(path)
    assert path in str(caught.value)


def test_parallel_text_of_two_lengths(tmp_path: Path) -> None:
    source = write(tmp_path / "src.txt", ["a b", "c"])
    target = write(tmp_path / "trg.txt", ["x"])
    with pytest.raises(InputError, match="src.txt: line 2 has no counterpart in .*trg.txt"):
        read_references(source)
    Path(target).write_text("x\n\n", encoding="utf-8")
    assert read_references(source).sets["references"].to_pylist() == [["x"], []]


def test_a_directory_that_is_no_build(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=f"{tmp_path}: cannot be read"):
        read_references(str(tmp_path))
    write(tmp_path / "x.txt", ["x"])
    with pytest.raises(InputError, match="this directory holds no finished build; name one, or a file"):
        read_references(str(tmp_path))


def test_digest_changes_with_any_sentence(references: str, tmp_path: Path) -> None:
    other = json_lines(tmp_path / "o.jsonl", [{"concept-set": key, "scene": scene[:1]} for key, scene in SETS])
    assert read_references(references).digest != read_references(other).digest

"""The table as text and as JSON, on a data set small enough to count by hand."""

import json

from conceptloom.examples import Example
from conceptloom.statistics.summary import dataset_statistics
from conceptloom.statistics.text_table import text_table

TRAIN = [
    Example(("개", "공", "물", "풀"), ("개가 공을 문다.",), "captions"),
    Example(("개", "집"), ("개가 집에 있다.",), "dialogues"),
    Example(("새",), ("새다.",), "captions"),
]
TEST = [
    Example(("집", "개", "공"), ("집에 공이 있다.", "개 집 공 새"), "captions"),
    Example(("공", "집"), ("집 공", "집 새 새"), "captions"),
]
TABLE = """\
                            train    test
concept sets                    3       2
  size <=3                      2       2
  size 4                        1       0
  size 5                        0       0
  size 6                        0       0
  size >=7                      0       0
unique concepts                 6       3
  unseen single                 -       0
  unseen pair                   -       2
  unseen triple                 -       1
  unseen pair, unordered        -       1
  unseen triple, unordered      -       1
additional morphemes            -       2
additional, distinct            -       1
sentences                       3       4
average length               7.00    6.00
captions %                  66.67  100.00
dialogues %                 33.33    0.00"""


def split_words(sentences: list[str]) -> list[list[str]]:
    return [sentence.split() for sentence in sentences]


def test_the_table_counted_by_hand() -> None:
    assert text_table(dataset_statistics(TRAIN, None, TEST, split_words)) == TABLE


def test_json_has_every_number_and_no_column_without_a_split() -> None:
    answer = json.loads(json.dumps(dataset_statistics(TRAIN, TEST, TEST, split_words).to_json()))
    assert list(answer) == ["train", "validation", "test"] and answer["validation"] == answer["test"]
    assert answer["train"]["unseen"] is None and answer["train"]["additional_morphemes"] is None
    assert answer["test"]["additional_morphemes"] == {"published": 2, "sound": 1}
    assert answer["test"]["unseen"]["published"] == {"singles": 0, "pairs": 2, "triples": 1}
    assert answer["train"]["sizes"] == {"<=3": 2, "4": 1, "5": 0, "6": 0, ">=7": 0}


def test_an_empty_split_is_all_zeros() -> None:
    empty = dataset_statistics([], None, []).test
    assert (empty.sets, empty.sentences, empty.average_length, empty.source_rates) == (0, 0, 0, {})

import pickle

import pytest

from conceptloom.errors import ConfigError
from conceptloom.readers import READERS, format_options, make_reader


def test_every_format_is_there_with_a_summary() -> None:
    names = """activitynet aihub-captions aihub-dialogues coco coco-references commongen conceptual-captions flickr
    image-captions json jsonl lines published table vatex"""
    assert list(READERS) == names.split()
    assert all(entry.summary for _, entry in READERS.items())


@pytest.mark.parametrize("format", list(READERS))
def test_readers_are_made_printed_and_pickled(format: str) -> None:
    reader = make_reader(format, {})
    assert pickle.loads(pickle.dumps(reader)) == reader == eval(repr(reader), {type(reader).__name__: type(reader)})
    assert isinstance(reader.splittable, bool) and isinstance(reader.field(0), str)


def test_options_have_the_names_that_users_write() -> None:
    assert {name: option.default for name, option in format_options("json").items()} == {
        "field": "text",
        "items": "item",
    }
    assert make_reader("json", {"field": "caption", "items": "annotations.item"}).field(0) == "caption"


@pytest.mark.parametrize(
    ("format", "options", "message"),
    [
        ("lines", {"field": "a"}, "format lines has no option 'field'; it has none"),
        ("json", {"path": "a"}, "format json has no option 'path'; it has: field, items"),
        ("jsonl", {"field": 3}, "option field of format jsonl is 3; it may be text"),
        ("aihub-captions", {"language": "fr"}, "is 'fr'; it may be 'ko' or 'en'"),
        ("aihub-captions", {"language": ["ko"]}, "it may be 'ko' or 'en'"),
        ("table", {"column": True}, "it may be text or a whole number"),
        ("table", {"column": None}, "it may be text or a whole number"),
        ("table", {"header": "yes"}, "it may be true or false or null"),
        ("table", {"delimiter": 1}, "it may be text or null"),
        ("jsonl", {"field": "a..b"}, "format jsonl: field 'a..b' is not a path"),
        ("xml", {}, "no format is called 'xml'; there are: activitynet, aihub-captions"),
    ],
)
def test_a_wrong_option_is_an_error_that_says_what_it_may_be(format: str, options, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        make_reader(format, options)
    assert message in str(caught.value)

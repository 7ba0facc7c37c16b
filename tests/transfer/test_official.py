"""CommonsenseQA as the authors' code packs it: against lines of their file, and against its rule word by word."""

import json
from importlib.metadata import PackageNotFoundError
from pathlib import Path
from typing import NoReturn

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conceptloom.errors import ConfigError, InputError
from conceptloom.transfer import official_sets, packed_lines, read_questions, tagged
from conceptloom.transfer.csqa import Choice, Question
from conceptloom.transfer.official import GENERAL, Token, concepts_of_question

FILE = Path(__file__).parents[2].parent / "shared" / "data" / "en" / "csqa" / "dev.jsonl"
DOOR = Question(
    "q1",
    "A revolving door is convenient for two direction travel, but it also serves as a security measure at a what?",
    (Choice("A", "bank"), Choice("E", "new york")),
    "A",
    "revolving door",
)
PRINTED = Question("q2", "Where would you find printed magazines?", (Choice("A", "train station"),), "A", "magazines")
PUBLISHED = ["revolving door door serve bank direction travel", "revolving door door serve new york direction travel"]
"""Two lines of the authors' file; they put the words of a line in no order."""

FORMS = {
    **dict.fromkeys(("door", "direction", "travel", "security", "measure"), "NOUN"),
    **dict.fromkeys(("serves", "printed", "find", "would", "is"), "VERB"),
    **dict.fromkeys(("magazines", "what"), "NOUN"),
}
"""What a tagger says of the questions' words, with mistakes that only the stop words mend."""
LEMMAS = {"serves": "Serve", "printed": "print", "magazines": "magazine"}


@pytest.fixture(scope="module")
def model(tmp_path_factory) -> str:
    """A small pipeline: tags and lemmas by the form of the word, saved as a model of the user's is."""
    spacy = pytest.importorskip("spacy", reason="wants pip install 'conceptloom[spacy]'")
    pipeline = spacy.blank("en")
    rules = pipeline.add_pipe("attribute_ruler")
    for form, tag in FORMS.items():
        rules.add([[{"LOWER": form}]], {"POS": tag, "LEMMA": LEMMAS.get(form, form)})
    rules.add([[{"LOWER": {"NOT_IN": list(FORMS)}}]], {"POS": "X", "LEMMA": "x"})
    path = tmp_path_factory.mktemp("spacy") / "model"
    pipeline.to_disk(path)
    return f"spacy:{path}"


def test_lines_of_the_authors_file(model: str) -> None:
    sets = official_sets([DOOR, PRINTED], tagged([DOOR.stem, PRINTED.stem], model))
    assert [sorted(" ".join(one.concepts).split()) for one in sets[:2]] == [sorted(line.split()) for line in PUBLISHED]
    assert sets[1].concepts == ("revolving door", "door", "direction", "travel", "serve", "new", "york")
    assert sets[2].concepts == ("magazines", "find", "print", "magazine", "train", "station")
    assert [one.choice.label for one in sets] == ["A", "E", "A"]


@given(
    st.lists(
        st.builds(
            Token,
            st.sampled_from(["a", "b", "c", "d", "e", "f", "people", "go"]),
            st.sampled_from(["NOUN", "VERB", "ADJ", "PROPN", ""]),
            st.booleans(),
        ),
        max_size=12,
    ),
    st.sampled_from(["a", "people", "a b"]),
)
def test_the_rule_word_by_word(tokens: list[Token], concept: str) -> None:
    taken: list[str] = []
    for lemma, tag, is_stop in tokens:
        if len(taken) < 4 and tag in ("NOUN", "VERB") and not is_stop and lemma not in ("people", "go"):
            taken.append(lemma)
    found = concepts_of_question(concept, tokens)
    assert set(found) == {concept, *taken} and len(set(found)) == len(found) and found[0] == concept


def test_general_words_are_left_out_of_the_text_only() -> None:
    people = Question("q", "What do people do?", (Choice("A", "go there and go"),), "A", "people")
    (found,) = official_sets([people], [[Token("people", "NOUN", False), Token("man", "NOUN", False)]])
    assert found.concepts == ("people", "go", "there", "and")
    assert len(GENERAL) == 17


def test_sentences_are_packed_into_the_choices(tmp_path: Path) -> None:
    path = tmp_path / "q.jsonl"
    choices = [{"label": "A", "text": "é"}, {"label": "B", "text": "b"}]
    inner = {"question_concept": "x", "choices": choices, "stem": "s"}
    line = json.dumps({"answerKey": "A", "id": "1", "question": inner})
    path.write_text(f"{line}\n\n{line}\n")
    packed = packed_lines(str(path), ["G 1 .", "G2", "G3", "G4"])
    assert [[choice.pop("CG") for choice in json.loads(one)["question"]["choices"]] for one in packed] == [
        ["G 1 .", "G2"], ["G3", "G4"],
    ]  # fmt: skip
    assert packed[0] == line.replace('"\\u00e9"', '"\\u00e9", "CG": "G 1 ."').replace('"b"', '"b", "CG": "G2"')
    with pytest.raises(InputError, match="there are 3 generated sentences for 4 choices"):
        packed_lines(str(path), ["a", "b", "c"])


def _no_package(name: str) -> NoReturn:
    raise PackageNotFoundError(name)


def test_what_is_missing_is_said(model: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError, match="question q1: there is no question_concept"):
        official_sets([DOOR._replace(concept="")], tagged([DOOR.stem], model))
    for name in ("lemma", "spacy:"):
        with pytest.raises(ConfigError, match=f"need a tagger, '{name}' is none; give --analyser spacy:en_core_web_sm"):
            list(tagged(["a"], name))
    import spacy

    spacy.blank("en").to_disk(tmp_path / "blank")
    with pytest.raises(ConfigError, match=r"this model gives no tags \(pos\)"):
        list(tagged(["Dogs run."], f"spacy:{tmp_path / 'blank'}"))
    with pytest.raises(ConfigError, match="spaCy finds no such model"):
        list(tagged(["a"], "spacy:no_model"))
    monkeypatch.setattr("conceptloom.languages.english.analysers.version", _no_package)
    with pytest.raises(ConfigError, match="needs spaCy"):
        list(tagged(["a"], model))


@pytest.mark.skipif(not FILE.exists(), reason="the real data is not in ../shared/data")
@pytest.mark.slow
def test_the_published_questions(model: str) -> None:
    questions = list(read_questions(str(FILE)))
    sets = official_sets(questions, tagged([one.stem for one in questions], model))
    raw = [json.loads(line)["question"] for line in FILE.open(encoding="utf-8")]
    assert [one.concepts[0] for one in sets[::5]] == [each["question_concept"] for each in raw]
    assert all({*one.choice.text.split()} <= {*one.concepts} for one in sets) and len(sets) == 5 * len(raw)

"""CommonsenseQA: concept sets of questions and choices, prompts, final inputs."""

import json
from pathlib import Path

import pytest

from conceptloom.errors import ConfigError, InputError
from conceptloom.transfer import STYLES, choice_sets, final_inputs, nouns_and_verbs, prompt, read_questions
from conceptloom.transfer.csqa import Choice, Question

FILE = Path(__file__).parents[2].parent / "shared" / "data" / "en" / "csqa" / "dev.jsonl"
NAMES = FILE.parents[1] / "conceptnet" / "concept_names.txt"
DOOR = Question(
    "q1",
    "A revolving door is convenient for two direction travel, but it also serves as a security measure at a what?",
    (Choice("A", "bank"), Choice("B", "department store"), Choice("C", "very convenient"), Choice("D", "door")),
    "A",
    "revolving door",
)
STEM = ("revolve", "door", "two", "direction", "travel", "serve", "security", "measure")


def line(asked: Question, **changes: object) -> str:
    choices = [choice._asdict() for choice in asked.choices]
    inner = {"question_concept": asked.concept, "choices": choices, "stem": asked.stem}
    return json.dumps({"answerKey": asked.answer, "id": asked.id, "question": inner} | changes)


def texts(questions: list[Question]) -> list[str]:
    return [text for one in questions for text in (one.stem, *(choice.text for choice in one.choices))]


def test_the_nouns_and_verbs_of_question_and_choice() -> None:
    sets = choice_sets([DOOR], nouns_and_verbs(texts([DOOR])))
    assert [one.concepts for one in sets] == [(*STEM, "bank"), (*STEM, "department", "store"), STEM, STEM]
    few = choice_sets([DOOR], nouns_and_verbs(texts([DOOR]), known=frozenset(("door", "bank"))))
    assert [one.concepts for one in few] == [("door", "bank"), ("door",), ("door",), ("door",)]
    # A word with several candidate concepts is its own concept.
    thought = Question("q", "He saw what she thought.", (Choice("A", "leaves"),))
    assert choice_sets([thought], nouns_and_verbs(texts([thought])))[0].concepts == ("saw", "thought", "leaf")


def test_prompts() -> None:
    assert prompt(("dog", "run"), "t5") == "generate a sentence with: dog run"
    assert prompt(("dog", "run"), "gpt2") == "dog run ="
    assert prompt(("dog", "run"), "plain") == "dog run"
    with pytest.raises(ConfigError, match="no prompt is called 'bart'; there are: gpt2, t5, plain"):
        prompt(("dog",), "bart")


def test_final_inputs() -> None:
    sets = choice_sets([DOOR], nouns_and_verbs(texts([DOOR])))
    found = final_inputs(sets, ["A man  stands in a bank .", "b", "", "d"])
    assert found[0] == f"<s>G: A man stands in a bank . | Q: {DOOR.stem} </s> C: bank </s>"
    assert found[1].endswith("</s> C: department store </s>")
    with pytest.raises(InputError, match="there are 3 generated sentences for 4 choices; give one line for each"):
        final_inputs(sets, ["a", "b", "c"])


def test_reading(tmp_path: Path) -> None:
    path = tmp_path / "q.jsonl"
    untold = DOOR._replace(answer="")
    spaced = DOOR._replace(stem=f" {DOOR.stem}\n".replace(" ", "  "))
    test_line = json.dumps({key: value for key, value in json.loads(line(DOOR)).items() if key != "answerKey"})
    without = json.loads(line(DOOR))
    del without["question"]["question_concept"]
    path.write_text("\n".join((line(DOOR), "", line(spaced), test_line, json.dumps(without))))
    assert list(read_questions(str(path))) == [DOOR, DOOR, untold, DOOR._replace(concept="")]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ("{", "broken_json"),
        ("[1]", "not a CommonsenseQA question: a part has the wrong type"),
        ('"q"', "not a CommonsenseQA question: a part has the wrong type"),
        ('{"id": "x"}', "not a CommonsenseQA question: there is no 'question'"),
        (line(DOOR, question={"stem": "x"}), "not a CommonsenseQA question: there is no 'choices'"),
        (line(DOOR, question={"stem": 3, "choices": []}), "not a CommonsenseQA question: a part has the wrong type"),
        (line(DOOR, question={"stem": "x", "choices": []}), "the answer 'A' is not among the choices"),
        (line(DOOR, question={"stem": "x", "question_concept": 1, "choices": []}), "not a CommonsenseQA question: "),
        (line(DOOR, answerKey="E"), "the answer 'E' is not among the choices"),
    ],
)
def test_lines_that_are_no_questions(tmp_path: Path, wrong: str, message: str) -> None:
    path = tmp_path / "q.jsonl"
    path.write_text(f"{line(DOOR)}\n{wrong}\n")
    with pytest.raises(InputError, match=rf"q\.jsonl: line 2: {message}"):
        list(read_questions(str(path)))


@pytest.mark.skipif(not FILE.exists(), reason="the real data is not in ../shared/data")
@pytest.mark.slow
def test_the_published_questions() -> None:
    questions = list(read_questions(str(FILE)))
    raw = [json.loads(text) for text in FILE.open(encoding="utf-8")]
    assert [one.id for one in questions] == [each["id"] for each in raw]
    assert all(len(one.choices) == 5 for one in questions)
    sets = choice_sets(questions, nouns_and_verbs(texts(questions)))
    assert len(sets) == 5 * len(raw) and all(one.concepts for one in sets)
    # A concept is a word of the question or the choice, except for its ending.
    near = [concept[:2] in f"{one.question.stem} {one.choice.text}".lower() for one in sets for concept in one.concepts]
    assert sum(near) > 0.98 * len(near)
    assert all("\n" not in prompt(one.concepts, style) for one in sets for style in STYLES)
    inputs = final_inputs(sets, [f"g{at}" for at in range(len(sets))])
    assert inputs[7].startswith("<s>G: g7 | Q: ") and raw[1]["question"]["choices"][2]["text"] in inputs[7]

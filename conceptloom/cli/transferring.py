"""`conceptloom transfer csqa`: prompts for the concept sets of another task, and that task's inputs."""

from typing import TYPE_CHECKING

import typer

from conceptloom.json_values import JsonObject

if TYPE_CHECKING:
    from conceptloom.transfer import ChoiceSet


def add_commands(app: typer.Typer) -> None:
    """Adds this module's commands."""
    group = typer.Typer(help="Generated sentences for other tasks.", no_args_is_help=True, rich_markup_mode=None)
    # Without a callback, a group with a single command would be that command.
    group.callback()(_group)
    group.command("csqa")(csqa)
    app.add_typer(group, name="transfer")


def _group() -> None:
    """Generated sentences as context for other tasks."""


def csqa(
    file: str = typer.Argument(help="CommonsenseQA's JSON lines."),
    style: str = typer.Option("t5", help="The prompt: gpt2 (c1 c2 =), t5 (generate a sentence with: c1 c2), plain."),
    generated: str | None = typer.Option(
        None, help="A file with one generated sentence in a line for each prompt: print the final inputs."
    ),
    analyser: str = typer.Option("lemma", help="What finds nouns and verbs: lemma, or spacy:MODEL."),
    conceptnet: str | None = typer.Option(None, help="A file of ConceptNet: use only its single-word concepts."),
    as_json: bool = typer.Option(False, "--json", help="Print JSON lines with ids, labels, concepts and answers."),
) -> None:
    """Prints a prompt for each choice of each question, or the final input with the sentence generated for it."""
    import json

    from conceptloom.conceptnet import read_vocabulary
    from conceptloom.readers.lines import sound_lines
    from conceptloom.transfer import choice_sets, final_inputs, nouns_and_verbs, prompt, read_questions

    questions = list(read_questions(file))
    known = read_vocabulary(conceptnet) if conceptnet else None
    texts = [text for one in questions for text in (one.stem, *(choice.text for choice in one.choices))]
    sets = choice_sets(questions, nouns_and_verbs(texts, analyser, known))
    lines = [prompt(one.concepts, style) for one in sets]
    key = "prompt"
    if generated:
        key, lines = "input", final_inputs(sets, list(sound_lines(generated)))
    for one, line in zip(sets, lines, strict=True):
        print(json.dumps(_fields(one) | {key: line}, ensure_ascii=False) if as_json else line)


def _fields(one: "ChoiceSet") -> JsonObject:
    return {
        "id": one.question.id,
        "label": one.choice.label,
        "concepts": one.concepts,
        "right": one.choice.label == one.question.answer if one.question.answer else None,
    }

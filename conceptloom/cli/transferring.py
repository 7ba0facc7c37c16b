"""`conceptloom transfer csqa`: prompts for the concept sets of another task, and that task's inputs."""

from typing import TYPE_CHECKING

import typer

from conceptloom.errors import ConfigError
from conceptloom.json_values import JsonObject

if TYPE_CHECKING:
    from conceptloom.transfer import ChoiceSet

MODES = ("paper", "official")


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
    mode: str = typer.Option("paper", help="Whose sets: paper (its text), or official (its authors' code)."),
    style: str = typer.Option("t5", help="The prompt: gpt2 (c1 c2 =), t5 (generate a sentence with: c1 c2), plain."),
    generated: str | None = typer.Option(
        None, help="A file with one generated sentence in a line for each prompt: print the final inputs."
    ),
    analyser: str | None = typer.Option(
        None,
        help="What finds nouns and verbs: lemma:every, lemma or spacy:MODEL (official: a model).",
    ),
    conceptnet: str | None = typer.Option(None, help="A file of ConceptNet: use only its single-word concepts."),
    as_json: bool = typer.Option(False, "--json", help="Print JSON lines with ids, labels, concepts and answers."),
) -> None:
    """Prints a prompt for each choice of each question, or the final input with the sentence generated for it.

    With --mode official the inputs are the questions' own JSON lines, each choice with its sentence as CG.
    """
    import json

    from conceptloom.readers.lines import sound_lines
    from conceptloom.transfer import final_inputs, packed_lines, prompt

    sentences = list(sound_lines(generated)) if generated else []
    if generated and mode == "official":
        print("\n".join(packed_lines(file, sentences)))
        return
    sets = _sets(file, mode, analyser, conceptnet)
    key, lines = "prompt", [prompt(one.concepts, style) for one in sets]
    if generated:
        key, lines = "input", final_inputs(sets, sentences)
    for one, line in zip(sets, lines, strict=True):
        print(json.dumps(_fields(one) | {key: line}, ensure_ascii=False) if as_json else line)


def _sets(file: str, mode: str, analyser: str | None, conceptnet: str | None) -> "list[ChoiceSet]":
    """Raises ConfigError for an unknown mode, and for a vocabulary where the official code has none."""
    from conceptloom.conceptnet import read_vocabulary
    from conceptloom.languages.english.analysers import EVERY
    from conceptloom.transfer import choice_sets, nouns_and_verbs, official_sets, read_questions, tagged
    from conceptloom.transfer.official import DEFAULT_ANALYSER

    if mode not in MODES:
        raise ConfigError(f"no mode is called {mode!r}; there are: {', '.join(MODES)}")
    questions = list(read_questions(file))
    stems = [one.stem for one in questions]
    if mode == "official":
        if conceptnet:
            raise ConfigError("the official code takes no vocabulary; leave out --conceptnet, or --mode official")
        return official_sets(questions, tagged(stems, analyser or DEFAULT_ANALYSER))
    known = read_vocabulary(conceptnet) if conceptnet else None
    texts = [*stems, *(choice.text for one in questions for choice in one.choices)]
    return choice_sets(questions, nouns_and_verbs(texts, analyser or EVERY, known))


def _fields(one: "ChoiceSet") -> JsonObject:
    return {
        "id": one.question.id,
        "label": one.choice.label,
        "concepts": one.concepts,
        "right": one.choice.label == one.question.answer if one.question.answer else None,
    }

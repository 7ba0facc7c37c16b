"""Recipe-specific options for the commands that take a recipe."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import typer
from typer.core import TyperCommand

from conceptloom.errors import UsageError
from conceptloom.json_values import JsonObject

if TYPE_CHECKING:
    from conceptloom.pipelines.build.recipe import AnyRecipe

RECIPE_HELP = "The recipe; `conceptloom recipes` lists them all, and --help after its name shows its own options."
_RECIPE, _SETTINGS = "conceptloom.recipe", "conceptloom.settings"


class RecipeCommand(TyperCommand):
    """A command that also accepts the options of the recipe named in its arguments.

    These are extracted before the others are parsed: typer has no stable way to add parameters to a single call.
    """

    # Typer's base class is click's, or a copy of it, depending on the version: these types have no common name.
    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Extracts the recipe's own options, then parses the others."""
        recipe = ctx.meta[_RECIPE] = _named_recipe(args)
        keys = [option.key for option in recipe.options] if recipe else []
        ctx.meta[_SETTINGS], others = taken(keys, args)
        return super().parse_args(ctx, others)

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        """Writes the recipe's own options after those of the command."""
        recipe = ctx.meta.get(_RECIPE)
        if recipe and recipe.options:
            with formatter.section(f"Options of recipe {recipe.name}"):
                formatter.write_dl([(f"{_flag(option.key)} TEXT", option.help) for option in recipe.options])
        super().format_epilog(ctx, formatter)


def own_settings(context: typer.Context) -> JsonObject:
    """Returns the settings given by the recipe's own options, by key."""
    return dict(context.meta.get(_SETTINGS, {}))


def taken(keys: Sequence[str], args: Sequence[str]) -> tuple[dict[str, str], list[str]]:
    """Splits arguments into the values of the options for `keys`, and the other arguments. Stops at `--`.

    Raises UsageError if an option has no value. The last of several values counts.

    >>> taken(["conceptnet"], ["commongen", "--conceptnet", "names.txt", "--limit=3", "--", "--conceptnet=x"])
    ({'conceptnet': 'names.txt'}, ['commongen', '--limit=3', '--', '--conceptnet=x'])
    """
    flags, given, others = {_flag(key): key for key in keys}, dict[str, str](), list[str]()
    waiting = iter(args)
    for argument in waiting:
        name, equals, value = argument.partition("=")
        if argument == "--":
            return given, [*others, argument, *waiting]
        if name not in flags:
            others.append(argument)
            continue
        found = value if equals else next(waiting, None)
        if found is None:
            raise UsageError(f"{name} needs a value")
        given[flags[name]] = found
    return given, others


def _flag(key: str) -> str:
    return f"--{key.replace('_', '-')}"


def _named_recipe(args: Sequence[str]) -> "AnyRecipe | None":
    """Returns the recipe named in the arguments, or None if there is none or it does not exist."""
    before = args[: args.index("--")] if "--" in args else args
    names = [argument for argument in before if not argument.startswith("-")]
    if not names:
        return None
    from conceptloom.pipelines import RECIPES  # imports Beam too

    return next((RECIPES[name] for name in names if name in RECIPES), None)

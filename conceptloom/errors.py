"""The errors that a user can fix. Each message names the place and the remedy, in one line."""

from typing import ClassVar


class ConceptloomError(Exception):
    """Base of every error whose message is meant for the user."""

    status: ClassVar[int] = 1
    """The exit status of a command that ends with it."""


class UsageError(ConceptloomError):
    """The arguments of a command contradict each other, or one is missing."""

    status = 2


class ConfigError(ConceptloomError):
    """A setting is unknown, has the wrong type, or cannot be satisfied."""


class InputError(ConceptloomError):
    """An input file is missing, unreadable, or contains nothing usable."""


class OutputError(ConceptloomError):
    """The output location cannot be used, or a finished build in it is damaged."""


class BuildError(ConceptloomError):
    """A stage ran, but its result must not be published (the ledger does not add up, too much malformed input)."""


class GateError(ConceptloomError):
    """A finished build does not pass its gates. The build is kept."""

    status = 3

"""The errors that a user can mend. Each message names the place and the cure, in one line."""


class ConceptloomError(Exception):
    """Base of every error whose message is meant for the user."""


class ConfigError(ConceptloomError):
    """A setting is unknown, has the wrong type, or cannot be met."""


class InputError(ConceptloomError):
    """An input file is missing, unreadable, or holds nothing usable."""


class OutputError(ConceptloomError):
    """The output place cannot be used, or a finished build in it is damaged."""


class BuildError(ConceptloomError):
    """A stage ran and its result must not be published (arithmetic of the ledger, too much malformed input)."""

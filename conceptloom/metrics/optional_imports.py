"""Packages of the extra `evaluation`: imported when a metric needs one, an error with the cure where it is missing."""

import importlib
from types import ModuleType

from conceptloom.errors import ConfigError

INSTALL = "pip install 'conceptloom[evaluation]'"


def import_optional(module: str) -> ModuleType:
    """The module of that name, imported; raises ConfigError that says how to install it."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise ConfigError(f"this needs the package {module} ({error}): {INSTALL}") from None

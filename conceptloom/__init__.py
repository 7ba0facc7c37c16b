"""Generative-commonsense data sets from raw Korean and English text.

`evaluate` scores predictions and `open_build` opens a finished data set, in a notebook or a program: see `api`.
"""

import importlib

__version__ = "0.1.0"

_API = ("Build", "EvaluationResult", "evaluate", "open_build")
"""What `api` has is found here too. Its types are in __init__.pyi."""


def __getattr__(name: str) -> object:
    """Returns a name of `api`, imported when it is asked for: the command line and workers do not wait for it."""
    if name not in _API:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.api"), name)

"""torch and transformers, imported when something asks for them (extra `neural`)."""

from typing import Any, NamedTuple, TypeAlias

from conceptloom.errors import ConfigError

Module: TypeAlias = Any
"""A module of a package that may be missing, or an object of one: neither has types here."""
Tensor: TypeAlias = Any
"""A torch.Tensor."""


class Packages(NamedTuple):
    """The two packages that models need."""

    torch: Module
    transformers: Module


def import_packages(owner: str) -> Packages:
    """Returns the packages; raises ConfigError with the line that installs them. `owner` is what needs them."""
    try:
        import torch
        import transformers
    except ImportError:
        raise ConfigError(f"{owner} needs torch and transformers: pip install 'conceptloom[neural]'") from None
    transformers.utils.logging.disable_progress_bar()
    return Packages(torch, transformers)

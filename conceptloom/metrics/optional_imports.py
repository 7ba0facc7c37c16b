"""What the extra `evaluation` brings: imported when a metric asks for it, and told where it is missing."""

import importlib
from typing import Any

from conceptloom.errors import ConfigError


def wanted(module: str) -> Any:
    """An optional module, imported; raises ConfigError that says how it is installed."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise ConfigError(f"this preset wants {module} ({error}): pip install 'conceptloom[evaluation]'") from None

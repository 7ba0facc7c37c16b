"""JSON values without nan, which JSON does not have."""

import math


def null_for_nan(value: object) -> object:
    """A JSON value with None for every nan, in lists and objects too.

    >>> null_for_nan({"mean": float("nan"), "ends": [0.5, float("nan")]})
    {'mean': None, 'ends': [0.5, None]}
    """
    if isinstance(value, dict):
        return {name: null_for_nan(part) for name, part in value.items()}
    if isinstance(value, list):
        return [null_for_nan(part) for part in value]
    return None if isinstance(value, float) and math.isnan(value) else value

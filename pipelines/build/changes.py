"""What would change a finished build: settings that differ from those that it was built with."""

import json
from collections.abc import Iterator
from contextlib import suppress

from conceptloom.current import is_current
from conceptloom.errors import ConfigError, OutputError
from conceptloom.json_values import JsonObject
from conceptloom.manifest import read_manifest
from conceptloom.pipelines.build.configuration import make_settings
from conceptloom.pipelines.build.settings import RecipeSettings

LONGEST = 60
"""The most characters of a value that a message shows."""


def check_same_settings(settings: RecipeSettings, output: str) -> None:
    """Raises OutputError that names the settings in which a finished build at `output` differs from these.

    Groups that change no data (`RecipeSettings.no_data`) may differ. The current build is left to the checks of its
    own: it may not be changed at all.
    """
    found = read_manifest(output)
    changes = list(changed_settings(settings, found.settings)) if found else []
    if changes and not is_current(output):
        raise OutputError(
            f"{output} is a finished build with other settings ({'; '.join(changes)}): --update changes it and keeps "
            "the stages that still hold, --overwrite builds it anew; or choose another --output"
        )


def changed_settings(settings: RecipeSettings, recorded: JsonObject) -> Iterator[str]:
    """Yields `key: old -> new` for each setting of the data that differs; one newer than the record had its default.

    Values are shown as JSON, cut to LONGEST characters.
    """
    # An earlier version may have had settings that are no more: these differ too.
    with suppress(ConfigError):
        recorded = make_settings(type(settings), recorded, "a manifest").model_dump(mode="json")
    old, new = dict(_leaves(recorded)), dict(_leaves(settings.model_dump(mode="json")))
    for key in sorted(key for key in old.keys() | new.keys() if key.partition(".")[0] not in settings.no_data):
        before, after = _shown(old, key), _shown(new, key)
        if before != after:
            yield f"{key}: {_cut(before)} -> {_cut(after)}"


def _leaves(data: JsonObject, above: str = "") -> Iterator[tuple[str, object]]:
    for name, value in data.items():
        key = f"{above}{name}"
        if isinstance(value, dict) and value:
            yield from _leaves(value, f"{key}.")
        elif value != {}:
            yield key, value


def _shown(leaves: JsonObject, key: str) -> str:
    return json.dumps(leaves[key], ensure_ascii=False) if key in leaves else "not set"


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"

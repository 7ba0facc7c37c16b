"""Beam's worker environments, where the tasks of a job run; checked before a job is submitted."""

import json

from apache_beam.options.pipeline_options import PipelineOptions, PortableOptions

from conceptloom.errors import ConfigError

LOOPBACK = "LOOPBACK"
"""The tasks run in the process that drives the build."""

_WANTS = {
    LOOPBACK: "",
    "EXTERNAL": "the address of the worker pool, reachable from the engine's machines: --environment_config=HOST:PORT",
    "PROCESS": """the command that starts a worker: --environment_config='{"command": "/opt/apache/beam/boot"}'""",
    "DOCKER": "an image with the package installed: --environment_config=IMAGE",
}


def environment(options: PipelineOptions, default: str | None) -> str:
    """Returns the environment that the options select, or `default`; raises ConfigError for invalid options."""
    portable = options.view_as(PortableOptions)
    kind = portable.environment_type or default
    if kind is None:
        raise ConfigError(f"the options do not say where the tasks run: --environment_type={' | '.join(_WANTS)}")
    if kind not in _WANTS:
        raise ConfigError(f"no --environment_type is called {kind!r}; there are: {', '.join(_WANTS)}")
    config = portable.environment_config
    if _WANTS[kind] and not config and not portable.environment_options:
        raise ConfigError(f"--environment_type={kind} needs {_WANTS[kind]}")
    if kind == LOOPBACK and config:
        raise ConfigError(f"--environment_type={LOOPBACK} takes no --environment_config: the tasks run in this process")
    if kind == "PROCESS" and config and not _names_command(config):
        raise ConfigError(f"--environment_config={config} is not JSON with a command; PROCESS needs {_WANTS[kind]}")
    return kind


def _names_command(config: str) -> bool:
    try:
        found = json.loads(config)
    except ValueError:
        return False
    return isinstance(found, dict) and bool(found.get("command"))

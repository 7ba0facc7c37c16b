"""The Prism runner: Beam's own portable runner, a single binary that runs jobs on one machine."""

import os
import shutil
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager

from apache_beam.options.pipeline_options import PipelineOptions, PrismRunnerOptions
from apache_beam.version import __version__ as beam_version

from conceptloom.errors import ConfigError
from conceptloom.runners.environments import LOOPBACK, environment
from conceptloom.runners.job_server import JobServer, named, started
from conceptloom.runners.options import parsed
from conceptloom.runners.portable import PortableRunner, opened

_CURE = (
    f"build it with `go install github.com/apache/beam/sdks/v2/go/cmd/prism@v{beam_version}` and give its path as "
    "--prism_location: nothing is downloaded"
)


@contextmanager
def open_prism(workers: int, options: tuple[str, ...] = ()) -> Iterator[PortableRunner]:
    """Yields a runner on Prism; raises ConfigError if no binary is given or the options are invalid."""
    given = parsed(options)
    with opened(workers, environment(given, LOOPBACK), _server(given), options) as runner:
        yield runner


def _server(options: PipelineOptions) -> AbstractContextManager[JobServer]:
    server = named(options)
    if server:
        return server
    binary = options.view_as(PrismRunnerOptions).prism_location
    if not binary:
        raise ConfigError(f"no Prism binary is given: {_CURE}")
    if not os.path.isfile(binary) or shutil.which(os.path.abspath(binary)) is None:
        raise ConfigError(f"--prism_location={binary} is not a program: {_CURE}")
    return started("Prism", lambda port, _: _command(os.path.abspath(binary), options, port))


def _command(binary: str, options: PipelineOptions, port: int) -> list[str]:
    level = options.view_as(PrismRunnerOptions).prism_log_level
    return [binary, f"--job_port={port}", "--serve_http=false", "--log_kind=text", f"--log_level={level}"]

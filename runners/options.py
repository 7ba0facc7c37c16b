"""Beam's pipeline options, as a user gives them: one that cannot be read, or that nobody knows, is an error."""

import contextlib
import io
from collections.abc import Collection, Sequence

from apache_beam.options.pipeline_options import PipelineOptions

from conceptloom.errors import ConfigError


def parsed(flags: Sequence[str]) -> PipelineOptions:
    """Returns the options; raises ConfigError for one whose value cannot be read."""
    said = io.StringIO()
    try:
        # The parser prints its usage and leaves the process.
        with contextlib.redirect_stderr(said):
            options = PipelineOptions(list(flags))
            options.get_all_options()
    except SystemExit:
        raise ConfigError(f"pipeline options: {said.getvalue().strip().rpartition('error: ')[2]}") from None
    return options


def unknown(options: PipelineOptions, also: Collection[str] = ()) -> list[str]:
    """Returns a complaint about each option that neither Beam nor its engine (`also`: the names of its own options) knows."""
    known = {*options.get_all_options(), *also}
    names = options.get_all_options(retain_unknown_options=True)
    return [f"no pipeline option is called --{name}" for name in names if name not in known]


def check_known(options: PipelineOptions, also: Collection[str] = ()) -> None:
    """Raises ConfigError that names every unknown option, as `unknown` finds them: Beam itself passes over them."""
    complaints = unknown(options, also)
    if complaints:
        raise ConfigError("; ".join(complaints))

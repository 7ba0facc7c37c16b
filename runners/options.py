"""Beam's pipeline options as given by a user; an invalid or unknown option is an error."""

import contextlib
import io
from collections.abc import Collection, Sequence
from typing import Any, TypeVar

from apache_beam.options.pipeline_options import PipelineOptions

from conceptloom.errors import ConfigError

Options = TypeVar("Options", bound=PipelineOptions)


class OptionsParsedOnce(PipelineOptions):
    """Pipeline options whose flags are parsed once for each kind of options.

    Beam asks for a view several times for each step of a pipeline, and parses all flags for it: a third of the time
    that a pipeline of ours takes to construct and start.
    """

    def view_as(self, cls: type[Options]) -> Options:
        """Returns the view of that kind; like all views it reads and writes the values of these options."""
        views: dict[type[PipelineOptions], Any] = self.__dict__.setdefault("_views", {})
        if cls not in views:
            views[cls] = super().view_as(cls)
        view: Options = views[cls]
        return view


def parsed(flags: Sequence[str]) -> PipelineOptions:
    """Returns the parsed options; raises ConfigError for an option with an invalid value."""
    said = io.StringIO()
    try:
        # The parser prints its usage and exits the process.
        with contextlib.redirect_stderr(said):
            options = PipelineOptions(list(flags))
            options.get_all_options()
    except SystemExit:
        raise ConfigError(f"pipeline options: {said.getvalue().strip().rpartition('error: ')[2]}") from None
    return options


def unknown(options: PipelineOptions, also: Collection[str] = ()) -> list[str]:
    """Returns an error message for each option that neither Beam nor the engine (`also`) knows."""
    known = {*options.get_all_options(), *also}
    names = options.get_all_options(retain_unknown_options=True)
    return [f"no pipeline option is called --{name}" for name in names if name not in known]


def check_known(options: PipelineOptions, also: Collection[str] = ()) -> None:
    """Raises ConfigError that lists every unknown option (see `unknown`); Beam itself ignores them."""
    complaints = unknown(options, also)
    if complaints:
        raise ConfigError("; ".join(complaints))

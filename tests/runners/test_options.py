"""Pipeline options that are parsed once: the same values as Beam's own, for every kind of view."""

import copy
import pickle

import pytest
from apache_beam.options.pipeline_options import PipelineOptions, StandardOptions, TypeOptions, WorkerOptions

from conceptloom.runners.options import OptionsParsedOnce

FLAGS = ["--streaming", "--num_workers=7", "--no_pipeline_type_check", "--unheard_of=1"]


@pytest.mark.parametrize("kind", [StandardOptions, TypeOptions, WorkerOptions])
def test_views_are_those_of_beam(kind: type[PipelineOptions]) -> None:
    ours, theirs = OptionsParsedOnce(FLAGS), PipelineOptions(FLAGS)
    for _ in range(2):
        assert ours.view_as(kind).get_all_options() == theirs.view_as(kind).get_all_options()
    assert ours.get_all_options() == theirs.get_all_options()


def test_what_one_view_writes_all_others_read() -> None:
    options = OptionsParsedOnce(FLAGS)
    options.view_as(WorkerOptions).num_workers = 3
    assert options.view_as(WorkerOptions).num_workers == 3
    assert options.view_as(TypeOptions).view_as(WorkerOptions).num_workers == 3


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))])
def test_a_copy_is_one_of_its_own(copied: object) -> None:
    """Beam copies the options of a pipeline."""
    options = OptionsParsedOnce(FLAGS)
    options.view_as(WorkerOptions).num_workers = 3
    other = copied(options)  # type: ignore[operator]
    other.view_as(WorkerOptions).num_workers = 4
    assert options.view_as(WorkerOptions).num_workers == 3
    assert other.view_as(WorkerOptions).num_workers == 4
    assert other.view_as(StandardOptions).streaming is True

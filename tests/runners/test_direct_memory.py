"""The direct runner's word on memory, which the others do without, and the processes that it starts."""

import os

import apache_beam as beam
import pytest

from conceptloom import parallel
from conceptloom.runners import DirectRunner
from conceptloom.runners.direct import cores
from conceptloom.runners.portable import PortableRunner

MEMORY = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def test_what_fits_is_not_warned_of() -> None:
    assert DirectRunner().warning(MEMORY // 1000) is None


def test_what_does_not_fit_is_warned_of_with_a_cure() -> None:
    said = DirectRunner().warning(MEMORY)
    assert said is not None and f"this machine has {MEMORY / 2**30:.1f}" in said and "--runner" in said


def test_every_worker_takes_memory() -> None:
    with DirectRunner.with_workers(MEMORY // 2**28) as many:
        assert many.warning(0) is not None
    assert DirectRunner().warning(0) is None


def test_an_engine_that_keeps_its_shuffle_on_disks_does_not_warn() -> None:
    assert PortableRunner.warning(PortableRunner.__new__(PortableRunner), 1000 * MEMORY) is None


@pytest.mark.slow
def test_a_little_text_starts_no_processes_unless_they_are_asked_for() -> None:
    """Asked by building nothing: a stage without steps opens the pool that the runner has decided on."""
    for workers, size, started in ((None, 1000, False), (None, MEMORY, cores() > 1), (2, 1000, True)):
        with DirectRunner.with_workers(workers) as runner:
            runner.begin(size)
            runner.run("nothing", lambda pipeline: pipeline | beam.Create([1]))
            assert (parallel._pool is not None) is started

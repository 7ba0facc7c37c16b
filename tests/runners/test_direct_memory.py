"""The direct runner's word on memory: the others keep their shuffle elsewhere."""

import os

from conceptloom.runners import DirectRunner
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

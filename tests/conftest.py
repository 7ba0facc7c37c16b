"""What several tests share, and which of them are slow."""

import io
import signal
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from emulator import Store, running_store
from hypothesis import settings

from conceptloom import storage

TESTS = Path(__file__).parent
SLOW_FOLDERS = ("e2e", "image", "packaging", "runners", "samples")
"""Whole builds, real engines, installations: all tests in them are slow. Elsewhere one that takes seconds says so."""
FAST = "not slow"


def pytest_configure(config: pytest.Config) -> None:
    """Fast tests try a property on fewer examples, unless it names a number itself.

    A shell's background jobs ignore Ctrl-C, and so would every command that a test starts and stops.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if config.getoption("markexpr") == FAST and not config.getoption("--hypothesis-profile"):
        settings.register_profile("fast", max_examples=10, deadline=None, database=None)
        settings.load_profile("fast")


def pytest_collection_modifyitems(items: Sequence[pytest.Item]) -> None:
    """Marks what lies in a slow folder."""
    for item in items:
        if _is_slow(item.path):
            item.add_marker(pytest.mark.slow)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leaves slow folders out where only fast tests are wanted: to import their modules takes seconds."""
    return True if config.getoption("markexpr") == FAST and _is_slow(collection_path) else None


def _is_slow(path: Path) -> bool:
    return path.is_relative_to(TESTS) and path.relative_to(TESTS).parts[:1] in [(name,) for name in SLOW_FOLDERS]


@pytest.fixture
def given_out(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many bytes each read of a file gave, from here on."""
    found, opened = list[int](), storage.open_read

    class Counted(io.BufferedReader):
        def read(self, size: int | None = -1, /) -> bytes:
            data = super().read(size)
            found.append(len(data))
            return data

    monkeypatch.setattr(storage, "open_read", lambda path, start=0: Counted(opened(path, start).detach()))
    return found


@pytest.fixture(scope="session")
def running() -> Iterator[Store]:
    """An emulator of object storage, one for the session."""
    with running_store() as store:
        yield store


@pytest.fixture
def store(running: Store, monkeypatch: pytest.MonkeyPatch) -> Store:
    """The emulator, for this process too; it counts from here on."""
    for name, value in running.environment().items():
        monkeypatch.setenv(name, value)
    running.forget()
    return running

"""What several tests share."""

from collections.abc import Iterator

import pytest
from emulator import Store, running_store


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

"""Blocks that wait in files: what goes in comes out, nothing is left behind, and a damaged file is an error."""

import errno
import random
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import pytest

from conceptloom import storage
from conceptloom.errors import BuildError, OutputError
from conceptloom.spill import MARK, SMALL, Spill, opened, size, spilling, waiting, whole
from conceptloom.tasks.base import RECEIPTS, SPENT, Output, run_spilling


@dataclass(frozen=True)
class Upper:
    """Sends each block in capitals to its bucket and the next, and the side input behind them."""

    outputs: ClassVar[tuple[str, ...]] = ("upper", RECEIPTS)

    def run(self, bucket: int, blocks: Iterable[bytes], side: bytes | None) -> Iterator[Output]:
        """See Task."""
        for block in blocks:
            yield Output("upper", bucket, block.upper())
            yield Output("upper", bucket + 1, block.upper() + (side or b""))
        yield Output(RECEIPTS, 0, b"{}" * SMALL)
        yield Output("counted", bucket, b"1" * 2 * SMALL)


@pytest.fixture
def spill(tmp_path: Path) -> Iterator[Spill]:
    with spilling(str(tmp_path / "shuffle")):
        found = opened()
        assert found is not None
        yield found


def some_blocks() -> list[bytes]:
    draw = random.Random(7)
    lengths = (0, 1, SMALL, SMALL + 1, 10 * SMALL, 300_000)
    return [draw.randbytes(length) for length in lengths] + [MARK, MARK + b"x" * 20]


def put(spill: Spill, blocks: list[bytes]) -> list[bytes]:
    with spill.writer() as writer:
        return [writer.put(block) for block in blocks]


@pytest.mark.parametrize("side", [None, b"beside" * 100])
def test_a_task_gets_and_sends_the_same_by_way_of_files(spill: Spill, side: bytes | None) -> None:
    blocks = [b"ab" * 300, b"c", b"d" * 9000]
    shared = None if side is None else put(spill, [side])[0]
    results = [one for one in run_spilling(spill, Upper(), 3, put(spill, blocks), shared) if one.tag != SPENT]
    sent = [(block.upper(), block.upper() + (side or b"")) for block in blocks]
    expected = [(bucket, data) for pair in sent for bucket, data in zip((3, 4), pair, strict=True)]
    assert [(one.bucket, spill.content(one.data)) for one in results if one.tag == "upper"] == expected
    assert max(len(one.data) for one in results if one.tag == "upper") <= SMALL
    assert [one.data for one in results if one.tag != "upper"] == [b"{}" * SMALL, b"1" * 2 * SMALL]


def test_what_waits_is_what_was_put(spill: Spill) -> None:
    blocks = some_blocks()
    references = put(spill, blocks)
    assert max(map(len, references)) <= SMALL
    found = spill.blocks(reversed(references))
    assert list(found) == blocks[::-1]
    assert list(found) == blocks[::-1], "a second time"
    assert list(map(whole, references)) == blocks
    assert list(map(size, references)) == list(map(len, blocks))


def test_calls_write_files_of_their_own(spill: Spill) -> None:
    one, other = put(spill, [b"a" * 1000, b"b" * 1000]), put(spill, [b"c" * 1000])
    assert [block[:1] for block in spill.blocks([*other, *one])] == [b"c", b"a", b"b"]
    files = list(Path(spill.directory).iterdir())
    assert sorted(file.stat().st_size for file in files) == [1000, 2000]


def test_small_blocks_need_no_file(spill: Spill) -> None:
    assert put(spill, [b"", b"x" * SMALL]) == [b"", b"x" * SMALL]
    assert list(Path(spill.directory).iterdir()) == []


def test_without_a_directory_blocks_stay_as_they_are() -> None:
    for block in some_blocks():
        assert waiting(block) == whole(block) == block and size(block) == len(block)
    assert opened() is None


def test_the_directory_goes_with_the_stage(tmp_path: Path) -> None:
    path = tmp_path / "stage" / "shuffle"
    path.mkdir(parents=True)
    (path / "left").write_bytes(b"by a build that was killed")
    with spilling(str(path)):
        assert list(path.iterdir()) == []
        waiting(b"x" * 1000)
        assert len(list(path.iterdir())) == 1
    assert list((tmp_path / "stage").iterdir()) == []
    assert opened() is None


def _fail(path: Path) -> None:
    with spilling(str(path)):
        waiting(b"x" * 1000)
        raise RuntimeError("the stage")


def test_the_directory_goes_when_the_stage_fails(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="the stage"):
        _fail(tmp_path / "shuffle")
    assert list(tmp_path.iterdir()) == []
    assert opened() is None


def test_a_call_that_outlives_its_stage_leaves_nothing(tmp_path: Path) -> None:
    with spilling(str(tmp_path / "shuffle")):
        spill = opened()
    assert spill is not None
    with pytest.raises(OutputError, match="shuffle"):
        put(spill, [b"x" * 1000])
    assert list(tmp_path.iterdir()) == []


def test_a_directory_that_somebody_deleted_is_no_error_at_the_end(tmp_path: Path) -> None:
    with spilling(str(tmp_path / "shuffle")):
        storage.delete_tree(str(tmp_path / "shuffle"))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("left", [None, 0, 999])
def test_a_file_that_is_not_whole_is_named_with_the_cure(spill: Spill, left: int | None) -> None:
    (reference,) = put(spill, [b"x" * 1000])
    (file,) = Path(spill.directory).iterdir()
    if left is None:
        file.unlink()
    else:
        file.write_bytes(b"x" * left)
    with pytest.raises(BuildError, match="missing or cut short.*start the build again") as raised:
        list(spill.blocks([reference]))
    assert str(file) in str(raised.value) and "\n" not in str(raised.value)


def test_a_full_disk_is_named_with_the_cure(spill: Spill, monkeypatch: pytest.MonkeyPatch) -> None:
    class Full:
        def __enter__(self) -> "Full":
            return self

        def __exit__(self, *_: object) -> None:
            return

        def tell(self) -> int:
            return 0

        def write(self, block: bytes) -> int:
            raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("builtins.open", lambda *_: Full())
    with pytest.raises(OutputError, match="No space left on device; free some space") as raised:
        put(spill, [b"x" * 1000])
    assert spill.directory in str(raised.value)

"""The input plan of a build: files, formats, encodings and spans."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from math import isqrt
from posixpath import basename, commonpath, dirname, relpath

from conceptloom import storage
from conceptloom.code import code_digest
from conceptloom.corpus.locators import SourceFile
from conceptloom.errors import InputError
from conceptloom.manifest import digest
from conceptloom.pipelines.build.settings import InputSettings
from conceptloom.readers import find_encoding, find_format, make_reader, plan_spans, read_head
from conceptloom.readers.base import Span
from conceptloom.readers.encoding import python_name
from conceptloom.readers.ranges import end_of_lines, up_to
from conceptloom.storage import FileInfo

SPAN_BYTES = 4 * 1024 * 1024
BUCKET_BYTES = 4 * 1024 * 1024
MANY = 1024
"""Beyond this number of buckets, buckets and spans grow: n of each make up to n * n blocks, finally of one row each."""
UNZIPPED = 5
LOOK_BYTES = 256 * 1024 * 1024
"""How far the driver looks for the end of the first records of a file: far enough for millions of sentences."""
HEADS, BATCH = 16, 32
"""How many threads inspect files, and how many files each takes at a time: one would cost more than the reading."""


@dataclass(frozen=True)
class InputPlan:
    """What will be read. `spans` are (file number, span) pairs; `notes` report what was detected from content."""

    files: tuple[SourceFile, ...]
    spans: tuple[tuple[int, Span], ...]
    bytes: int
    fingerprint: str
    notes: tuple[str, ...]

    @property
    def buckets(self) -> int:
        """The number of id buckets; it depends only on the input, so that shards are the same on every runner."""
        return bucket_count(self.bytes)


def bucket_count(size: int) -> int:
    """Returns the number of buckets for a corpus of `size` bytes.

    There is one for each BUCKET_BYTES up to MANY; beyond that, their number is the geometric mean of both.

    >>> [bucket_count(sentences * 66) for sentences in (10**4, 10**6, 10**9)]
    [1, 16, 4014]
    """
    buckets = max(1, -(-size // BUCKET_BYTES))
    return buckets if buckets <= MANY else isqrt(MANY * buckets)


@dataclass(frozen=True)
class _Looked:
    """A file that was inspected. `end`: where the records that are wanted of it end; None: it is read to its end."""

    file: SourceFile
    note: str
    end: int | None


def plan_inputs(inputs: dict[str, InputSettings], limit: int | None = None) -> InputPlan:
    """Finds and inspects the files of every source; raises InputError for a file that cannot be used.

    With a `limit`, a large file of lines counts only as far as its first `limit` records, which are looked for here.
    """
    matched = [(source, info) for source in sorted(inputs) for info in _match(source, inputs[source])]
    found = [(source, info) for source, info in matched if info.size > 0]
    notes = [f"{source}: {basename(info.path)} is empty, passed over" for source, info in matched if info.size == 0]
    looked = _look_at_all(found, inputs, limit)
    notes += [one.note for one in looked]
    read = [info._replace(size=one.end or info.size) for one, (_, info) in zip(looked, found, strict=True)]
    size = sum(info.size * unzipping(info.path) for info in read)
    # A large corpus gets as many spans as buckets.
    piece = max(SPAN_BYTES, size // bucket_count(size) if bucket_count(size) > MANY else 0)
    spans = [
        (number, span)
        for number, (one, info) in enumerate(zip(looked, read, strict=True))
        for span in up_to(plan_spans(info, one.file.reader, one.file.encoding, piece), one.end)
    ]
    files = [one.file for one in looked]
    prints = [[file.name, file.source, info.size, info.modified] for file, (_, info) in zip(files, found, strict=True)]
    cuts = [[number, span.start, span.end] for number, span in spans]
    readers = code_digest({type(file.reader).__module__ for file in files})
    fingerprint = digest([prints, cuts, BUCKET_BYTES, readers])
    return InputPlan(tuple(files), tuple(spans), size, fingerprint, tuple(notes))


def unzipping(path: str) -> int:
    """Returns the assumed ratio of a file's uncompressed size to its size."""
    return UNZIPPED if path.endswith(".gz") else 1


def _match(source: str, settings: InputSettings) -> list[FileInfo]:
    patterns = [storage.absolute(pattern) for pattern in settings.patterns]
    if len({storage.is_remote(pattern) for pattern in patterns}) > 1:
        raise InputError(f"input {source}: local and remote files in one source; give them different names")
    infos = {info.path: info for pattern in patterns for info in _matches(source, pattern)}
    return [infos[path] for path in sorted(infos)]


def _matches(source: str, pattern: str) -> list[FileInfo]:
    infos = storage.match(pattern)
    if not any(info.size for info in infos):
        raise InputError(f"input {source}: {infos[0].path} is empty (0 bytes)")
    return infos


def _look_at_all(
    found: list[tuple[str, FileInfo]], inputs: dict[str, InputSettings], limit: int | None
) -> list[_Looked]:
    """Returns the files with their formats, and a note on each; several are read at a time, as stores answer slowly."""
    paths: dict[str, list[str]] = {}
    for source, info in found:
        paths.setdefault(source, []).append(info.path)
    bases = {source: _common_directory(siblings) for source, siblings in paths.items()}

    def look(some: list[tuple[str, FileInfo]]) -> list[_Looked]:
        # What is published is relative to the source's common directory, which is not.
        return [_look(source, info, relpath(info.path, bases[source]), inputs[source], limit) for source, info in some]

    with ThreadPoolExecutor(HEADS) as pool:
        batches = [found[start : start + BATCH] for start in range(0, len(found), BATCH)]
        return [one for batch in pool.map(look, batches) for one in batch]


def _common_directory(paths: list[str]) -> str:
    return commonpath({dirname(path) or "." for path in paths})


def _look(source: str, info: FileInfo, name: str, settings: InputSettings, limit: int | None) -> _Looked:
    head = read_head(info.path)
    encoding = python_name(settings.encoding) if settings.encoding else find_encoding(head)
    kind = settings.format or find_format(info.path, head, encoding)
    how = "given" if settings.format else "found"
    file = SourceFile(info.path, name, source, encoding, make_reader(kind, settings.options))
    note = f"{source}: {name}, format {kind} ({how}), {encoding}, {info.size:,} bytes"
    return _Looked(file, note, None if limit is None else _end(info, file, head, limit))


def _end(info: FileInfo, file: SourceFile, head: bytes, limit: int) -> int | None:
    """Returns where the first records of a large file of lines end, or None if it is not, or they are too many."""
    # To search in vain would cost a pass over LOOK_BYTES.
    is_near = limit * len(head) <= LOOK_BYTES * max(1, head.count(b"\n"))
    if not is_near or len(plan_spans(info, file.reader, file.encoding, SPAN_BYTES)) == 1:
        return None
    return end_of_lines(info.path, limit, LOOK_BYTES)

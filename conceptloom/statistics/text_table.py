"""The statistics as a plain text table, in the order of Korean CommonGen's table 1."""

from collections.abc import Callable, Sequence

from conceptloom.statistics.counts import SIZE_BINS
from conceptloom.statistics.summary import DatasetStatistics, SplitStatistics

Row = tuple[str, Callable[[SplitStatistics], str]]

_TUPLES = ("single", "pair", "triple")


def text_table(statistics: DatasetStatistics) -> str:
    """Returns the table, one line for each row, numbers flush right. A number that was not counted is a dash."""
    splits = statistics.splits()
    return aligned(
        [("", *splits), *((name, *map(cell, splits.values())) for name, cell in _rows(list(splits.values())))]
    )


def aligned(rows: Sequence[Sequence[str]]) -> str:
    """Returns the rows as lines, the first column flush left and the others flush right."""
    widths = [max(map(len, column)) for column in zip(*rows)]
    return "\n".join(_line(row, widths) for row in rows)


def _line(row: Sequence[str], widths: Sequence[int]) -> str:
    cells = (text.rjust(width) for text, width in zip(row[1:], widths[1:]))
    return "  ".join((row[0].ljust(widths[0]), *cells))


def _rows(splits: Sequence[SplitStatistics]) -> list[Row]:
    sources = sorted({source for split in splits for source in split.source_rates})
    return [
        ("concept sets", lambda split: f"{split.sets:,}"),
        *(_size_row(place) for place in range(len(SIZE_BINS))),
        ("unique concepts", lambda split: f"{split.unique_concepts:,}"),
        *(_unseen_row(place, sound=False) for place in range(len(_TUPLES))),
        *(_unseen_row(place, sound=True) for place in range(1, len(_TUPLES))),
        ("additional morphemes", lambda split: f"{split.additional.published:,}" if split.additional else "-"),
        ("additional, distinct", lambda split: f"{split.additional.sound:,}" if split.additional else "-"),
        ("sentences", lambda split: f"{split.sentences:,}"),
        ("average length", lambda split: f"{split.average_length:.2f}"),
        *(_source_row(source) for source in sources),
    ]


def _size_row(place: int) -> Row:
    return f"  size {SIZE_BINS[place]}", lambda split: f"{split.sizes[place]:,}"


def _unseen_row(place: int, sound: bool) -> Row:
    def cell(split: SplitStatistics) -> str:
        if split.unseen is None:
            return "-"
        return f"{(split.unseen.sound if sound else split.unseen.published)[place]:,}"

    return f"  unseen {_TUPLES[place]}" + (", unordered" if sound else ""), cell


def _source_row(source: str) -> Row:
    return f"{source} %", lambda split: f"{split.source_rates.get(source, 0):.2f}" if split.source_rates else "-"

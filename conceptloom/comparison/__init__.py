"""The comparison of two builds of a data set, one range of ids after another."""

from conceptloom.comparison.rows import DIFFERENCES, KINDS, compare_rows
from conceptloom.comparison.sorted_files import SortedFiles, id_bounds
from conceptloom.comparison.tally import Tally

__all__ = ["DIFFERENCES", "KINDS", "SortedFiles", "Tally", "compare_rows", "id_bounds"]

"""Comparing two builds of a data set, range of ids by range of ids."""

from conceptloom.comparison.rows import DIFFERENCES, KINDS, compare_rows
from conceptloom.comparison.sorted_files import SortedFiles, id_bounds
from conceptloom.comparison.tally import Tally

__all__ = ["DIFFERENCES", "KINDS", "SortedFiles", "Tally", "compare_rows", "id_bounds"]

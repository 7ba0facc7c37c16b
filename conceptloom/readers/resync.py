"""Finds where a broken element of a JSON array or object ends, so that what follows can be read."""

import re

DEEPEST = 1 << 24
_PLAIN = re.compile(r'["\[\]{},]')
_QUOTED = re.compile(r'"|\\.?', re.DOTALL)
_OPENING = {"]": "[", "}": "{"}


class ElementEnd:
    """Looks for the `,` or the closing bracket that ends an element, in text that comes in pieces.

    A closing bracket closes the last open bracket of its kind within the element, and those left open inside it; if
    there is none, it is ignored. Memory: one byte for each open bracket, of which there are at most DEEPEST.
    """

    def __init__(self, closing: str) -> None:
        self.is_lost = False
        self._ends = "," + closing
        self._open = bytearray()
        self._counts = {"[": 0, "{": 0}
        self._is_quoted, self._is_escaped = False, False

    def find(self, text: str, at: int) -> int:
        """Returns where the element ends in the text from `at` on, or -1 if it ends in a later piece."""
        if self._is_escaped and at < len(text):
            at, self._is_escaped = at + 1, False
        while not self.is_lost and (found := (_QUOTED if self._is_quoted else _PLAIN).search(text, at)):
            mark, at = found[0], found.end()
            if self._is_quoted:
                self._is_quoted, self._is_escaped = mark != '"', mark == "\\"
            elif mark == '"':
                self._is_quoted = True
            elif not self._open and mark in self._ends:
                return found.start()
            elif mark != ",":
                self._bracket(mark)
        return -1

    def _bracket(self, mark: str) -> None:
        if mark in self._counts:
            self._counts[mark] += 1
            self._open.append(ord(mark))
            self.is_lost = len(self._open) > DEEPEST
        elif self._counts[_OPENING[mark]]:
            last = self._open.rindex(ord(_OPENING[mark]))
            for opened in self._counts:
                self._counts[opened] -= self._open.count(ord(opened), last)
            del self._open[last:]

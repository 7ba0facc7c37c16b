"""Stock MeCab with the mecab-ko-dic dictionary: the tagger whose output the published data set shows."""

from typing import TYPE_CHECKING, Protocol

from conceptloom.languages.korean.taggers.base import TAGGERS, TaggerEntry, versions
from conceptloom.languages.korean.tokens import Token
from conceptloom.languages.korean.vocabulary import Numbering

if TYPE_CHECKING:
    from conceptloom.languages.korean.token_table import TokenTable

_END = "EOS"
"""The line after the tokens of a sentence; a token's own line has a tab."""


def parse_line(line: str) -> Token:
    """Returns the token of a line of output, `surface TAB tag,semantics,coda,reading,type,first,last,expression`.

    >>> parse_line("쳤\\tVV+EP,*,T,쳤,Inflect,VV,EP,치/VV/*+었/EP/*").morphemes
    ('치/VV',)
    """
    surface, _, feature = line.partition("\t")
    fields = feature.split(",")
    if len(fields) < 8 or fields[4] != "Inflect":
        return Token(surface, fields[0])
    parts = (part.split("/") for part in ",".join(fields[7:]).split("+"))
    return Token(surface, fields[0], tuple((part[0], part[1]) for part in parts if len(part) >= 2))


class _Mecab(Protocol):
    """MeCab.Tagger, which has no types."""

    def parse(self, text: str) -> str:
        """Returns a line for each token, and a last one."""


class MecabTagger:
    """mecab-python3 with the dictionary of python-mecab-ko-dic (25 microseconds a sentence)."""

    def __init__(self) -> None:
        import MeCab
        import mecab_ko_dic

        # The rc file is named explicitly: a system-wide mecabrc would otherwise choose another dictionary.
        self._mecab: _Mecab = MeCab.Tagger(f"-r /dev/null -d {mecab_ko_dic.dictionary_path}")
        self._lines = Numbering(parse_line)

    def tokens(self, sentences: list[str]) -> list[list[Token]]:
        """Returns the tokens of each sentence. MeCab reads up to a NUL character, so a sentence must not hold one."""
        self._lines.bound()
        known, number = self._lines.vocabulary.tokens, self._lines.__getitem__
        outputs = map(self._mecab.parse, sentences)
        return [[known[number(line)] for line in output.split("\n")[:-2]] for output in outputs]

    def tag(self, sentences: list[str]) -> "TokenTable":
        """See `tokens`."""
        # Imported here, because a command that tags one sentence starts without arrays in half the time.
        import numpy as np

        from conceptloom.arrays.lists import Lists
        from conceptloom.languages.korean.token_table import TokenTable

        self._lines.bound()
        lines = "".join(map(self._mecab.parse, sentences)).split("\n")[:-1]
        numbers = np.fromiter(map(self._lines.__getitem__, lines), np.int32, len(lines))
        is_end = numbers == self._lines[_END]
        offsets = np.append(0, np.cumsum(~is_end)[is_end])
        return TokenTable(Lists(numbers[~is_end], offsets), self._lines.vocabulary)

    def signature(self) -> dict[str, str]:
        """See Tagger."""
        return _signature()


def _signature() -> dict[str, str]:
    return versions("mecab", "conceptloom", "mecab-python3", "python-mecab-ko-dic")


TAGGERS.add(
    "mecab", TaggerEntry("MeCab with mecab-ko-dic: reproduces the published data (default)", MecabTagger, _signature)
)

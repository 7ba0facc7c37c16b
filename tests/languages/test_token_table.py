"""Tables of tokens against the lists of tokens that they are made of."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conceptloom.arrays.types import Int64
from conceptloom.languages.korean import vocabulary
from conceptloom.languages.korean.token_columns import KINDS
from conceptloom.languages.korean.token_table import TokenTable, table_of, tabulate
from conceptloom.languages.korean.tokens import Token
from conceptloom.languages.korean.vocabulary import Numbering

FORMS = st.sampled_from(["개", "큰", "대해", "쳤"])
PARTS = st.sampled_from([(), (("크", "VA"), ("ㄴ", "ETM")), (("치", "VV"), ("었", "EP"))])
TOKENS = st.builds(Token, FORMS, st.sampled_from(["NNG", "MM", "VV+EP", "VA+ETM", "JKS"]), PARTS)
SENTENCES = st.lists(st.lists(TOKENS, max_size=6), max_size=6)


def rows_of(sentences: list[list[Token]]) -> list[int]:
    return [row for row, tokens in enumerate(sentences) for _ in tokens]


@settings(deadline=None)
@given(SENTENCES, st.lists(st.integers(0, 5)))
def test_a_table_is_its_sentences(sentences: list[list[Token]], chosen: list[int]) -> None:
    table, every = table_of(sentences), [token for tokens in sentences for token in tokens]
    assert list(table) == sentences
    assert [KINDS[code] for code in table.kinds] == [token.kind for token in every]
    names = table.columns.surface_names.to_pylist()
    assert [names[code] for code in table.surfaces] == [token.surface for token in every]
    assert table.columns.surface_codes == {name: code for code, name in enumerate(names)}
    assert table.rows.tolist() == rows_of(sentences)
    assert table.tagged(["NNG", "VA+ETM", "no tag"]).tolist() == [token.tag in ("NNG", "VA+ETM") for token in every]
    assert table.morphemes().to_pylist() == [
        [form for token in tokens for form in token.morphemes] for tokens in sentences
    ]
    some: Int64 = np.array([row for row in chosen if row < len(sentences)], dtype=np.int64)
    assert list(table.take(some)) == [sentences[row] for row in some]
    assert table.take(some).morphemes().to_pylist() == [table.morphemes()[row].as_py() for row in some.tolist()]


def test_a_row_that_is_not_there() -> None:
    table = table_of([[Token("개", "NNG")], []])
    assert table[-1] == []
    with pytest.raises(IndexError):
        table[2]


@settings(deadline=None)
@given(st.lists(SENTENCES, max_size=4))
def test_a_numbering_keeps_what_it_said(blocks: list[list[list[Token]]]) -> None:
    """A table stays what it is when later blocks bring tokens, and when the numbering begins anew."""
    numbering = Numbering[Token](lambda token: token)
    tables: list[TokenTable] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(vocabulary, "NUMBERED", 3)
        for sentences in blocks:
            tables.append(tabulate(sentences, numbering))
            assert len(numbering) <= 3 + len({token for tokens in sentences for token in tokens})
    for table, sentences in zip(tables, blocks, strict=True):
        assert list(table) == sentences
        assert table.morphemes().to_pylist() == table_of(sentences).morphemes().to_pylist()


def test_equal_tokens_are_equal() -> None:
    assert Token("개", "NNG") == Token("개", "NNG") != Token("개", "NNP")
    assert len({Token("쳤", "VV+EP"), Token("쳤", "VV+EP"), Token("쳤", "VV+EP", (("치", "VV"),))}) == 2
    assert Token("개", "NNG") != "개/NNG"

"""The word under the cursor."""

import pytest

from lsp_server.reading.words import word_at


@pytest.mark.parametrize(
    ("marked", "word"),
    [
        ("foo.b|ar(x)", "bar"),
        ("foo.|bar(x)", "bar"),
        ("foo.bar|(x)", "bar"),
        ("a |+= b", "+="),
        ("a +=| b", "+="),
        ("x = | 1", None),
        ("|", None),
        ("na\u00efve_\u4e2d|9", "na\u00efve_\u4e2d9"),
        ("e\u0301te\u0301|", "e\u0301te\u0301"),
        ("a\n|\nb", None),
    ],
)
def test_the_word(marked: str, word: str | None) -> None:
    text, offset = marked.replace("|", ""), marked.index("|")
    span = word_at(text, offset)
    assert (text[span.start : span.stop] if span else None) == word

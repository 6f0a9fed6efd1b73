"""The word under the cursor."""

import pytest

from lsp_server.reading.words import Kind, kind_of, word_at


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


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("foo_1", "word"),
        ("\u0441\u043b\u043e\u0432\u043e", "word"),
        ("gr\u00f6\u00dfe", "word"),
        ("\u0939\u093f\u0928\u094d\u0926\u0940", "word"),
        ("\u0301a", "word"),
        ("42", "number"),
        ("0x1F", "number"),
        ("+=", "signs"),
        ("a b", None),
        ("a+", None),
        ("", None),
    ],
)
def test_the_kind(text: str, kind: Kind | None) -> None:
    assert kind_of(text) == kind

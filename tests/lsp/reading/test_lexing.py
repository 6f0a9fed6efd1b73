"""Code, strings and comments."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lsp_server.reading.lexing import read


@pytest.mark.parametrize(
    ("text", "language", "kind"),
    [
        ("x = |1", "python", "code"),
        ("x = '|'", "python", "string"),
        ("'''a\n'b'|'''", "python", "string"),
        ("x  # it|'s", "python", "comment"),
        ("'a' |x 'b'", "python", "code"),
        ("'no end\n|x", "python", "code"),
        ("fn f<'a>(x: &'a |str)", "rust", "code"),
        ("/* a\n| */", "c", "comment"),
        ('"http://x" |', "c", "code"),
        ("`a\n|`", "typescript", "string"),
        ("echo a#|b", "shellscript", "code"),
        ("it's |fine", "markdown", "code"),
        ("don't # |", "klingon", "code"),
    ],
)
def test_kinds(text: str, language: str, kind: str) -> None:
    assert read(text.replace("|", ""), language).kind(text.index("|")) == kind


def test_brackets_in_strings_do_not_count() -> None:
    text = 'f("(", [{'
    reading = read(text, "python")
    assert reading.depth(len(text)) == 2
    assert reading.depth(len(text), braces=True) == 3
    assert reading.depth(0) == 0


@given(
    st.text(alphabet="'\"`#/*-\\\n()[]{}a ", max_size=60), st.sampled_from(["python", "c", "rust"])
)
def test_every_place_has_a_kind(text: str, language: str) -> None:
    reading = read(text, language)
    for offset in range(len(text) + 1):
        assert reading.kind(offset) in ("code", "string", "comment")
        assert reading.depth(offset) >= 0

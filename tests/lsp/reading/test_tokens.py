"""Tokens back in the document."""

from hypothesis import given
from hypothesis import strategies as st

from lsp_server.reading.spans import Span
from lsp_server.reading.tokens import token_spans
from lsp_server.text import clean, newlines


def test_line_ends_of_the_document_count() -> None:
    assert token_spans(["a", "\nb"], "a\r\nb") == [Span(0, 1), Span(1, 4)]
    assert token_spans(["a", ""], "abc") == [Span(0, 1), Span(1, 1)]
    assert token_spans(["x"], "abc") is None
    assert token_spans(["abc", "d"], "abc") is None


@given(st.text(alphabet="ab\r\n\ud800\U0001f600", max_size=12), st.lists(st.integers(0, 12)))
def test_every_character_is_found_again(original: str, cuts: list[int]) -> None:
    text = clean(newlines(original))
    ends = sorted(cut for cut in cuts if cut <= len(text))
    tokens = [text[a:b] for a, b in zip([0, *ends], [*ends, len(text)], strict=True)]
    spans = token_spans(tokens, original)
    assert spans is not None and spans[-1].stop == len(original)
    for token, span in zip(tokens, spans, strict=True):
        assert clean(newlines(original[span.start : span.stop])) == token

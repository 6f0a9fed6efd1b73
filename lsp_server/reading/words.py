"""The word under the cursor, and what kind of word it is. Pure."""

import unicodedata
from typing import Literal

from lsp_server.reading.spans import Span

Kind = Literal["word", "number", "signs"]


def word_at(text: str, offset: int) -> Span | None:
    """The word that holds or ends at `offset`, else the run of signs there; None on white space."""
    for kind in (_is_wordly, _is_sign):
        start = stop = offset
        while start > 0 and kind(text[start - 1]):
            start -= 1
        while stop < len(text) and kind(text[stop]):
            stop += 1
        if start < stop:
            return Span(start, stop)
    return None


def kind_of(text: str) -> Kind | None:
    """The kind of a text, a number by its first digit; None if it isn't one run as above."""
    if not text:
        return None
    if all(map(_is_sign, text)):
        return "signs"
    if not all(map(_is_wordly, text)):
        return None
    return "number" if text[0].isdigit() else "word"


def _is_wordly(character: str) -> bool:
    return (
        character.isalnum() or character == "_" or unicodedata.category(character).startswith("M")
    )


def _is_sign(character: str) -> bool:
    return not character.isspace() and not _is_wordly(character)

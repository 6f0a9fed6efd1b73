"""The word under the cursor. Pure."""

import unicodedata

from lsp_server.reading.spans import Span


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


def _is_wordly(character: str) -> bool:
    return (
        character.isalnum() or character == "_" or unicodedata.category(character).startswith("M")
    )


def _is_sign(character: str) -> bool:
    return not character.isspace() and not _is_wordly(character)

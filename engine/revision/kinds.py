"""Of what kind the pieces of a text under revision are: comments, literals, names."""

import keyword
import re
from collections.abc import Iterator
from typing import NamedTuple

from engine.revision.lexes import reading_of
from engine.shape.lexis import Literal
from engine.shape.site import Site, look
from protocol.messages import ReviseText
from protocol.revise import KeepName

_NUMBER = r"(?<!\w)\d[\w.]*"
_NAME = r"[^\W\d]\w*"
_CODE = re.compile(f"(?P<l>{_NUMBER})|(?P<i>{_NAME})")


class Piece(NamedTuple):
    """Characters [start, stop) of a text."""

    kind: KeepName
    start: int
    stop: int


def pieces_of(request: ReviseText) -> list[Piece]:
    """The pieces of the text that is to be revised, from left to right."""
    language = reading_of(request.path, language_name(request))
    site = look(request.prefix, request.text + request.suffix, language)
    return list(pieces(request.text, site))


def language_name(request: ReviseText) -> str | None:
    """What the client calls the language of the document."""
    return None if request.doc is None else request.doc.language


def pieces(text: str, site: Site) -> Iterator[Piece]:
    """The pieces of a text that stands at `site`."""
    at = 0
    for piece in _quoted(text, site):
        yield from _code(text, at, piece.start)
        yield piece
        at = piece.stop
    yield from _code(text, at, len(text))


def _quoted(text: str, site: Site) -> Iterator[Piece]:
    """Comments and strings, each with the code inside it; one that is cut off goes on to the end.

    A quote that its line does not close is taken for a mere character.
    """
    start, depth, literal = 0, site.state.depth, site.state.literal
    for mark in site.scan(text):
        if literal is None:
            start, depth, literal = mark.start, mark.state.depth, mark.state.literal
        elif mark.kind in ("leave", "broken") and mark.state.depth <= depth:
            if mark.kind == "leave":
                yield Piece(_kind(literal), start, mark.stop)
            literal = None
    if literal is not None:
        yield Piece(_kind(literal), start, len(text))


def _kind(literal: Literal) -> KeepName:
    return "comments" if literal.quote.comment else "literals"


def _code(text: str, start: int, stop: int) -> Iterator[Piece]:
    """Numbers, and names that are no keywords."""
    for found in _CODE.finditer(text, start, stop):
        if found.lastgroup == "l":
            yield Piece("literals", found.start(), found.end())
        elif not keyword.iskeyword(found.group()):
            yield Piece("identifiers", found.start(), found.end())

"""Styled rows: what is drawn, before it is known whether it goes to a terminal or a recording."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Literal

from clients.cli.glyphs import clusters

if TYPE_CHECKING:
    from rich.text import Text

Style = Literal[
    "plain", "dim", "mask", "thrown", "fresh", "added", "removed", "place", "title", "note"
]
Piece = tuple[str, Style]
Row = tuple[Piece, ...]

STYLES: dict[Style, str] = {
    "plain": "",
    "dim": "dim",
    "mask": "blue",
    "thrown": "bold red",
    "fresh": "bold green",
    "added": "green",
    "removed": "red",
    "place": "cyan",
    "title": "bold",
    "note": "yellow",
}
"""Each style as rich writes it. Masks and thrown slots differ by glyph too, for lack of colour."""


def row(text: str, style: Style = "plain") -> Row:
    """One row of one style, made safe for a terminal."""
    return tuple((shown, style) for shown, _ in clusters(text))


def rich_text(pieces: Row) -> "Text":
    """The row as rich draws it."""
    from rich.text import Text

    text = Text(no_wrap=True)
    for shown, style in merged(pieces):
        text.append(shown, STYLES[style])
    return text


def merged(pieces: Iterable[Piece]) -> list[Piece]:
    """Neighbours of one style joined."""
    joined: list[Piece] = []
    for shown, style in pieces:
        if joined and joined[-1][1] == style:
            joined[-1] = (joined[-1][0] + shown, style)
        else:
            joined.append((shown, style))
    return joined

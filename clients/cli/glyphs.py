"""Text made fit for a terminal: clusters of known width, nothing that could drive the terminal."""

import os
import unicodedata
from collections.abc import Iterable, Iterator
from typing import TypeVar

from rich.cells import get_character_cell_size

TAB = 4
Tag = TypeVar("Tag")
_JOINERS = frozenset("\u200d\ufe0e\ufe0f")
_UNSAFE = frozenset({"Cc", "Cf", "Cs", "Cn", "Zl", "Zp"})


def safe(text: str) -> str:
    """`text` on one line, with control, format and unassigned characters as escapes."""
    return "".join(_escape(char) if _is_unsafe(char) else char for char in text)


def readable(name: str) -> str:
    """A name of the system's as text that can be sent: bytes that are no UTF-8 are replaced."""
    return os.fsencode(name).decode("utf-8", "replace")


def quoted(text: str) -> str:
    """A token's text on one line, with its blanks visible."""
    return safe(text).replace(" ", "\u00b7")


def clusters(text: str) -> Iterator[tuple[str, int]]:
    """(what to print, its width in cells) for each visible unit of one line of text."""
    for shown, _, width in units((char, None) for char in text):
        yield shown, width


def units(chars: Iterable[tuple[str, Tag]]) -> Iterator[tuple[str, Tag, int]]:
    """(what to print, tag, width in cells) for each visible unit of a line of tagged characters.

    Tabs become blanks up to the next stop; joiners and variation selectors are left out, since
    terminals disagree on their widths; a combining mark stays with the character before it and
    takes that one's tag, or sits on a dotted circle.
    """
    held: tuple[str, Tag, int] | None = None
    column = 0
    for char, tag in chars:
        shown, width = _glyph(char, column)
        if not width:
            if held:
                held = (held[0] + shown, held[1], held[2])
                continue
            if not shown:
                continue
            shown, width = "\u25cc" + shown, 1
        if held:
            yield held
        held = (shown, tag, width)
        column += width
    if held:
        yield held


def _glyph(char: str, column: int) -> tuple[str, int]:
    """How one character is shown in `column`, and the cells that takes; 0 if it is a mark."""
    if char == "\t":
        size = TAB - column % TAB
        return " " * size, size
    if char in _JOINERS:
        return "", 0
    if _is_unsafe(char):
        shown = _escape(char)
        return shown, len(shown)
    return char, get_character_cell_size(char)


def _is_unsafe(char: str) -> bool:
    return not (" " <= char <= "~") and unicodedata.category(char) in _UNSAFE


def _escape(char: str) -> str:
    return char.encode("unicode_escape").decode("ascii")

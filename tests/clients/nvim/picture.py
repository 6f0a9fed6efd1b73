"""Pictures of Neovim's screen as SVG, from what it draws on a screen of ours."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from itertools import groupby
from typing import Any

from tests.clients.nvim.editor import COLUMNS, LINES, Editor

CELL, ROW, PAD, TITLE = 8.4, 18.0, 14.0, 26.0
FOREGROUND, BACKGROUND, FRAME = 0xE0E2EA, 0x14161B, 0x07080D


@dataclass(frozen=True, slots=True)
class Look:
    """How a run of cells is drawn; colours as 0xRRGGBB."""

    ink: int
    paper: int
    bold: bool
    wavy: bool


@dataclass(frozen=True, slots=True)
class Shot:
    """One screen with a title."""

    title: str
    rows: tuple[tuple[tuple[str, Look], ...], ...]


class Screen:
    """A screen in full colours, attached to a Neovim: keeps what Neovim draws on it."""

    def __init__(self, editor: Editor) -> None:
        self._editor = editor
        self._looks: dict[int, dict[str, Any]] = {}
        self._cells = [[(" ", 0)] * COLUMNS for _ in range(LINES)]
        editor.vim.ui_attach(COLUMNS, LINES, rgb=True, ext_linegrid=True)
        editor.vim.command("set termguicolors background=dark laststatus=0 noshowmode noruler")
        editor.vim.command("syntax on")

    def shoot(self, title: str, rows: int) -> Shot:
        """The first rows as they are now."""
        vim = self._editor.vim
        vim.command("redraw!")
        self._editor.lua("vim.rpcnotify(..., 'drawn')", vim.channel_id)
        while (message := vim.next_message())[1] != "drawn":
            for name, *events in message[2] if message[1] == "redraw" else ():
                for event in events:
                    self._take(name, event)
        return Shot(title, tuple(tuple(self._runs(row)) for row in self._cells[:rows]))

    def _take(self, name: str, event: Sequence[Any]) -> None:
        if name == "hl_attr_define":
            self._looks[event[0]] = event[1]
        elif name == "grid_clear":
            self._cells = [[(" ", 0)] * COLUMNS for _ in range(LINES)]
        elif name == "grid_scroll":
            self._scroll(*event[1:6])
        elif name == "grid_line":
            _, row, column, cells, _ = event
            look = 0
            for text, *more in cells:
                look = more[0] if more else look
                for _ in range(more[1] if len(more) > 1 else 1):
                    self._cells[row][column] = (text, look)
                    column += 1

    def _scroll(self, top: int, bottom: int, left: int, right: int, rows: int) -> None:
        order = range(top, bottom) if rows > 0 else range(bottom - 1, top - 1, -1)
        for row in order:
            if top <= row + rows < bottom:
                self._cells[row][left:right] = self._cells[row + rows][left:right]

    def _runs(self, cells: Sequence[tuple[str, int]]) -> Iterator[tuple[str, Look]]:
        for look, run in groupby(cells, lambda cell: self._look(cell[1])):
            yield "".join(text for text, _ in run), look

    def _look(self, number: int) -> Look:
        found = self._looks.get(number, {})
        ink, paper = found.get("foreground", FOREGROUND), found.get("background", BACKGROUND)
        if found.get("reverse"):
            ink, paper = paper, ink
        return Look(ink, paper, bool(found.get("bold")), bool(found.get("undercurl")))


def svg(shots: Sequence[Shot], title: str) -> str:
    """All screens, one below the other."""
    width = COLUMNS * CELL + 2 * PAD
    parts, top = [], 0.0
    for shot in shots:
        height = len(shot.rows) * ROW + TITLE + PAD
        parts.append(
            f'<rect x="0" y="{top:.0f}" width="{width:.0f}" height="{height:.0f}" rx="8" '
            f'fill="#{FRAME:06x}"/><text x="{PAD}" y="{top + 18:.0f}" fill="#9b9ea4">'
            f"{escape(shot.title)}</text>"
        )
        for number, row in enumerate(shot.rows):
            parts.extend(_drawn(row, top + TITLE + number * ROW))
        top += height + PAD
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {top - PAD:.0f}" '
            f'width="{width:.0f}" height="{top - PAD:.0f}" role="img">',
            f"<title>{escape(title)}</title>",
            "<style>text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',"
            "monospace;white-space:pre}</style>",
            *parts,
            "</svg>\n",
        ]
    )


def _drawn(row: Sequence[tuple[str, Look]], top: float) -> Iterator[str]:
    column = 0
    for text, look in row:
        left, wide = PAD + column * CELL, len(text) * CELL
        if look.paper != BACKGROUND:
            yield (
                f'<rect x="{left:.1f}" y="{top:.1f}" width="{wide:.1f}" height="{ROW}" '
                f'fill="#{look.paper:06x}"/>'
            )
        if text.strip():
            style = ' font-weight="bold"' if look.bold else ""
            style += ' text-decoration="underline"' if look.wavy else ""
            shown = text.strip()
            left += (len(text) - len(text.lstrip())) * CELL
            yield (
                f'<text x="{left:.1f}" y="{top + 0.75 * ROW:.1f}" fill="#{look.ink:06x}"{style} '
                f'textLength="{len(shown) * CELL:.1f}" lengthAdjust="spacingAndGlyphs" '
                f'xml:space="preserve">{escape(shown)}</text>'
            )
        column += len(text)

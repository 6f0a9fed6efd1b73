"""What is drawn over a span looks like the text that would stand there."""

from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from tests.clients.nvim.editor import Editor
from tests.clients.nvim.forky import Program

pytestmark = pytest.mark.nvim

LETTERS = "ab (\t\u00e9\u5b57\N{GRINNING FACE}\u2592"
lines = st.lists(st.text(LETTERS, max_size=9), min_size=1, max_size=4)

DRAW = """
local old, span, new = ...
vim.api.nvim_buf_set_lines(0, 0, -1, false, old)
local rows = vim.tbl_map(function(line) return { { line } } end, new)
local paint, buffer = require('retouch.paint'), vim.api.nvim_get_current_buf()
_G.marks = paint.draw(buffer, span, rows, paint.rest(buffer, span))
"""

PUT = """
local span, new = ...
require('retouch.paint').clear(vim.api.nvim_get_current_buf(), _G.marks)
_G.clear = vim.api.nvim_buf_get_lines(0, 0, -1, false)
vim.api.nvim_buf_set_text(0, span.row, span.col, span.end_row, span.end_col, new)
return _G.clear
"""


@pytest.fixture(scope="module")
def canvas(nvim: Program, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Editor]:
    """One Neovim for all examples."""
    editor = Editor(nvim, tmp_path_factory.mktemp("paint"))
    editor.vim.command("set tabstop=4 shortmess+=I")
    yield editor
    editor.close()


@st.composite
def places(draw: st.DrawFn) -> tuple[list[str], dict[str, int]]:
    """Lines, and a span of them in rows and byte columns."""
    old = draw(lines)
    row = draw(st.integers(0, len(old) - 1))
    end_row = draw(st.integers(row, len(old) - 1))
    start = draw(st.integers(0, len(old[row])))
    end = draw(st.integers(start if row == end_row else 0, len(old[end_row])))
    return old, {
        "row": row,
        "col": len(old[row][:start].encode()),
        "end_row": end_row,
        "end_col": len(old[end_row][:end].encode()),
    }


def letters(screen: list[str]) -> list[str]:
    """The rows without their blanks: where old text is wider than new, blanks keep the layout."""
    return ["".join(row.split()) for row in screen[:-2]]


@settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(places(), lines)
def test_the_picture_is_the_text_to_come(
    canvas: Editor, place: tuple[list[str], dict[str, int]], new: list[str]
) -> None:
    old, span = place
    assume(len(new) > span["end_row"] - span["row"])
    canvas.lua(DRAW, old, span, new)
    drawn = letters(canvas.screen)
    assert canvas.lua(PUT, span, new) == old
    assert drawn == letters(canvas.screen)

"""Text that can't drive a terminal, and widths that add up."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from clients.cli.glyphs import clusters, safe


@given(st.text(max_size=40))
def test_nothing_shown_can_drive_a_terminal(text: str) -> None:
    shown = safe(text) + "".join(part for part, _ in clusters(text))
    assert not {unicodedata.category(char) for char in shown} & {"Cc", "Cf", "Cs", "Zl", "Zp"}


@given(st.text(max_size=40))
def test_widths_are_what_is_printed(text: str) -> None:
    for shown, width in clusters(text):
        assert cell_len(shown) == width
        assert width > 0


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("a\tb", [("a", 1), ("   ", 3), ("b", 1)]),
        ("\u4e2d", [("\u4e2d", 2)]),
        ("e\u0301x", [("e\u0301", 1), ("x", 1)]),
        ("\u0301", [("\u25cc\u0301", 1)]),
        ("\U0001f468\u200d\U0001f469", [("\U0001f468", 2), ("\U0001f469", 2)]),
        ("\u2764\ufe0f", [("\u2764", 1)]),
        ("\x1b[2J", [("\\x1b", 4), ("[", 1), ("2", 1), ("J", 1)]),
        ("\u202e", [("\\u202e", 6)]),
        ("\u2592<|endoftext|>"[:2], [("\u2592", 1), ("<", 1)]),
    ],
)
def test_clusters(text: str, parts: list[tuple[str, int]]) -> None:
    assert list(clusters(text)) == parts

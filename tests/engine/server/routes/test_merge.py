"""Merge: anchors that are clear are followed, everything else is refused."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.server.routes import merge as merging
from engine.server.routes.merge import TooMuch, Unclear, merge

FILE = """import os

def one():
    return 1

def two():
    x = 2
    return x

def three():
    return 3
"""
GAP = "# ... existing code ...\n"


@pytest.mark.parametrize(
    ("snippet", "old", "new"),
    [
        (GAP + "def two():\n    y = 22\n    return x\n" + GAP, "    x = 2\n", "    y = 22\n"),
        (GAP + "def one():\n    return 11\n\ndef two():\n" + GAP, "return 1\n", "return 11\n"),
        (GAP + "def three():\n    return 33\n", "return 3\n", "return 33\n"),
        ("import os\nimport sys\n\ndef one():\n" + GAP, "import os\n", "import os\nimport sys\n"),
        ("def two():\n    y = 22\n    return x\n", "    x = 2\n", "    y = 22\n"),
        (
            "  // ... existing code ... keep it\ndef three():\n    pass\n    return 3\n"
            "<!-- ... existing code ... -->",
            "def three():\n",
            "def three():\n    pass\n",
        ),
    ],
)
def test_a_clear_snippet_changes_its_region_alone(snippet: str, old: str, new: str) -> None:
    assert merge(FILE, snippet) == FILE.replace(old, new, 1)


def test_several_pieces_go_from_top_to_bottom() -> None:
    snippet = f"{GAP}def one():\n    return 11\n\ndef two():\n{GAP}def three():\n    return 33\n"
    assert merge(FILE, snippet) == FILE.replace("return 1\n", "return 11\n").replace(
        "return 3\n", "return 33\n"
    )


@pytest.mark.parametrize(
    "snippet",
    [
        "",
        GAP,
        GAP + GAP,
        GAP + "    return 5\n" + GAP,
        GAP + "def four():\n    return 4\n" + GAP,
        GAP + "def two():\n    return 9\n" + GAP,
        GAP + "def three():\n    return 3\n" + GAP + "def one():\n    return 1\n" + GAP,
        "\n\n",
    ],
)
def test_what_is_unclear_is_refused(snippet: str) -> None:
    with pytest.raises(Unclear):
        merge(FILE, snippet)


def test_a_long_anchor_in_a_file_that_repeats_is_looked_for_once() -> None:
    with pytest.raises(Unclear):
        merge("a\n" * 250_000, GAP + "a\n" * 200_000 + "b\n" + GAP)


def test_a_long_row_of_blanks_is_no_marker() -> None:
    blanks = " " * 4_000_000
    assert merge(FILE, f"{GAP}def three():\n{blanks}1\n") == FILE.replace(
        "    return 3", blanks + "1"
    )


def test_more_pieces_than_can_be_looked_for_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(merging, "MOST_WORK", 21)
    pieces = ["import os\n", "def one():\n", "def three():\n"]
    assert merge(FILE, GAP.join(pieces[:1])) == FILE
    with pytest.raises(TooMuch, match="3 pieces are too many for a file of 11 lines"):
        merge(FILE, GAP.join(pieces))


def test_doubled_anchors_are_refused() -> None:
    with pytest.raises(Unclear):
        merge("a\nb\na\nb\n", f"{GAP}a\nc\nb\n{GAP}")


def test_line_ends_are_kept() -> None:
    text = FILE.replace("\n", "\r\n")
    snippet = GAP + "def three():\n    return 33\n"
    assert merge(text, snippet) == text.replace("return 3\r", "return 33\r")
    bare = FILE.removesuffix("\n")
    assert merge(bare, snippet) == bare.removesuffix("3") + "33"


def test_blanks_at_the_end_of_a_line_are_kept() -> None:
    snippet = GAP + "line one  \nline 1b  \nline two\n" + GAP
    text = merge("Title\n\nline one  \nline two\nend\n", snippet)
    assert text == "Title\n\nline one  \nline 1b  \nline two\nend\n"


def test_blanks_at_the_end_of_a_line_hide_no_anchor() -> None:
    assert merge("a  \nb\nc\n", f"{GAP}a\nx \nb\t\n{GAP}") == "a\nx \nb\t\nc\n"
    with pytest.raises(Unclear):
        merge(FILE, GAP + "  \n\t\n" + GAP)


@given(
    lines=st.lists(st.sampled_from(["a", "b", "  c", "d", ""]), min_size=1, max_size=12),
    start=st.integers(0, 11),
    stop=st.integers(1, 12),
)
def test_a_snippet_that_repeats_the_file_changes_nothing(
    lines: list[str], start: int, stop: int
) -> None:
    text = "".join(f"{line}\n" for line in lines)
    snippet = GAP + "".join(f"{line}\n" for line in lines[start:stop]) + GAP
    with suppress(Unclear):
        assert merge(text, snippet) == text

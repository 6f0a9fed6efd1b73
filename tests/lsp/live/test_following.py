"""Spans under edits that may be read in several ways."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lsp_server.live.following import follow, readings
from lsp_server.reading.spans import Change, Span

OLD = "def f():\n    old\n"
LINE = Span(9, 17)


@st.composite
def edits(draw: st.DrawFn) -> tuple[str, str, Change, list[Span]]:
    """A text, what becomes of it, the edit that does it, and spans that are apart."""
    text = draw(st.text(alphabet="ab", max_size=12))
    places = st.integers(0, len(text))
    start, stop = sorted((draw(places), draw(places)))
    new = draw(st.text(alphabet="ab", max_size=3))
    a, b, c, d = sorted(draw(st.tuples(places, places, places, places)))
    spans = [Span(a, b), Span(c, d)]
    return text, text[:start] + new + text[stop:], Change(start, stop, new), spans


@given(edits(), st.booleans())
def test_every_reading_makes_the_text(
    case: tuple[str, str, Change, list[Span]], said: bool
) -> None:
    old, new, edit, _ = case
    told = (edit.start, edit.stop, edit.text) if said else None
    for it in readings(old, new, told):
        assert old[: it.start] + it.text + old[it.stop :] == new


@given(edits(), st.booleans())
def test_spans_hold_the_same_text_and_stay_apart(
    case: tuple[str, str, Change, list[Span]], said: bool
) -> None:
    old, new, edit, spans = case
    told = (edit.start, edit.stop, edit.text) if said else None
    moved = follow(spans, readings(old, new, told))
    if moved is None:
        return
    for before, behind in zip(spans, moved, strict=True):
        assert new[behind.start : behind.stop] == old[before.start : before.stop]
    assert moved[0].stop <= moved[1].start


@pytest.mark.parametrize(
    "told", [None, (8, 8, "\n    "), (9, 13, "    \n    "), (13, 13, "\n    ")]
)
def test_enter_above_a_line_that_begins_alike(told: tuple[int, int, str] | None) -> None:
    new = "def f():\n    \n    old\n"
    assert follow([LINE], readings(OLD, new, told)) == [Span(14, 22)]


def test_what_is_told_of_another_text_is_not_taken() -> None:
    assert readings("abc", "axc", (0, 3, "ayc")) == (Change(1, 2, "x"),)


def test_a_deletion_is_where_it_is_told_to_be() -> None:
    span = [Span(4, 8)]
    assert follow(span, readings("old\nold\n", "old\n", (0, 4, ""))) == [Span(0, 4)]
    assert follow(span, readings("old\nold\n", "old\n", (4, 8, ""))) is None
    assert follow(span, readings("old\nold\n", "old\n")) is None


def test_an_edit_inside_is_inside_however_it_is_read() -> None:
    assert follow([LINE], readings(OLD, "def f():\n    oxld\n", (14, 14, "x"))) is None
    assert readings(OLD, OLD, (0, 3, "def")) == ()

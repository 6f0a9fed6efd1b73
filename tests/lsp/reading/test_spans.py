"""Spans under foreign edits, and the smallest changes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lsp_server.reading.edits import as_lines, newline_of, smallest
from lsp_server.reading.spans import Change, Span, changed, shift, shift_all, tightened

TEXTS = st.text(alphabet="ab\r\n\u00e9\U0001f600", max_size=24)


@st.composite
def edited_texts(draw: st.DrawFn) -> tuple[str, Change, Span]:
    text = draw(st.text(alphabet="abc\n", max_size=20))
    places = sorted(draw(st.tuples(*[st.integers(0, len(text))] * 2)))
    span = sorted(draw(st.tuples(*[st.integers(0, len(text))] * 2)))
    return text, Change(*places, draw(st.text(alphabet="xy", max_size=4))), Span(*span)


def apply(text: str, change: Change) -> str:
    return text[: change.start] + change.text + text[change.stop :]


@given(edited_texts())
def test_a_shifted_span_holds_the_same_text(case: tuple[str, Change, Span]) -> None:
    text, change, span = case
    moved = shift(span, change)
    if moved is not None:
        after = apply(text, change)
        assert after[moved.start : moved.stop] == text[span.start : span.stop]
        assert 0 <= moved.start <= moved.stop <= len(after)


@given(edited_texts())
def test_only_changes_that_touch_a_span_are_inside(case: tuple[str, Change, Span]) -> None:
    _, change, span = case
    apart = change.stop <= span.start or change.start >= span.stop
    same_place = change.start == change.stop == span.start == span.stop
    assert (shift(span, change) is not None) == (apart and not same_place)


@pytest.mark.parametrize(
    ("change", "moved"),
    [
        (Change(0, 0, "xx"), Span(6, 9)),
        (Change(4, 4, "x"), Span(5, 8)),
        (Change(7, 7, "x"), Span(4, 7)),
        (Change(5, 5, "x"), None),
        (Change(0, 5, ""), None),
        (Change(6, 9, "x"), None),
        (Change(0, 4, ""), Span(0, 3)),
    ],
)
def test_edges_of_a_span(change: Change, moved: Span | None) -> None:
    assert shift(Span(4, 7), change) == moved


def test_typing_into_an_empty_hole_is_inside() -> None:
    assert shift(Span(4, 4), Change(4, 4, "x")) is None
    assert shift(Span(4, 4), Change(4, 6, "x")) == Span(4, 4)


def test_one_conflict_is_a_conflict_of_all() -> None:
    spans = [Span(0, 2), Span(5, 6)]
    assert shift_all(spans, Change(3, 3, "xy")) == [Span(0, 2), Span(7, 8)]
    assert shift_all(spans, Change(1, 1, "x")) is None


@given(TEXTS, TEXTS)
def test_a_change_makes_the_new_text_and_is_tight(old: str, new: str) -> None:
    change = changed(old, new)
    if change is None:
        assert old == new
        return
    assert apply(old, change) == new
    gone = old[change.start : change.stop]
    assert not (gone and change.text and gone[0] == change.text[0])
    assert not (gone and change.text and gone[-1] == change.text[-1])


def test_a_wide_change_is_tightened() -> None:
    old = "one\ntwo\nthree\n"
    assert tightened(Change(0, 8, "one\ntwo!\n"), old) == Change(7, 7, "!")
    assert tightened(Change(4, 7, "two"), old) is None


@given(TEXTS, TEXTS, st.sampled_from(["\n", "\r\n"]))
def test_the_smallest_edit_gives_the_new_text(old: str, new: str, newline: str) -> None:
    old = as_lines(old).replace("\n", newline)
    change = smallest(old, new, newline)
    wanted = as_lines(new).replace("\n", newline)
    if change is None:
        assert wanted == old
        return
    assert apply(old, change) == wanted
    for edge in (change.start, change.stop):
        assert old[edge - 1 : edge + 1] != "\r\n" or edge == 0


def test_halves_of_a_pair_stay_together() -> None:
    change = smallest("a\ud83d\ude00b", "a\ud83d\ude01b", "\n")
    assert change == Change(1, 3, "\ud83d\ude01")


def test_a_carriage_return_stays_with_its_line_feed() -> None:
    assert smallest("a\r\n", "a\r\nb\r\n", "\r\n") == Change(3, 3, "b\r\n")
    assert smallest("a\r", "a\r\n", "\r\n") is None


@pytest.mark.parametrize(
    ("text", "newline"), [("", "\n"), ("a\nb\r\n", "\n"), ("a\r\nb\n", "\r\n"), ("a\rb", "\r")]
)
def test_the_line_end_of_a_document(text: str, newline: str) -> None:
    assert newline_of(text) == newline

"""SettledText: what was said stays true, whatever settles next; nothing of the answer is lost."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.hole import shape_hole
from engine.server.routes.settled import SettledText, cut_at_stop, finished_lines, is_open
from protocol.values import ShapeName

LINES = ("    a = b", "    f(a, [b])", "", "    if a:", "        b()", "    (", "    )", "    'x'")
TEXT = st.lists(st.sampled_from(LINES), max_size=8).map("\n".join)
STOPS = st.lists(st.sampled_from(["\n\n", "b)", "a = ", "\n    )"]), max_size=2).map(tuple)


@settings(deadline=None)
@given(
    prefix=st.sampled_from(["", "def f():\n", "x = f("]),
    suffix=st.sampled_from(["", "\n", ")\n", "    return a\n"]),
    shape=st.sampled_from(["auto", "line", "block", "span"]),
    text=TEXT,
    cuts=st.lists(st.integers(0, 80), max_size=5),
    stops=STOPS,
)
def test_what_is_said_begins_the_answer(
    prefix: str,
    suffix: str,
    shape: ShapeName,
    text: str,
    cuts: list[int],
    stops: tuple[str, ...],
) -> None:
    hole = shape_hole(prefix, suffix, shape, 4, "a.py")
    settled, said = SettledText(hole, stops), ""
    for cut in sorted(cuts):
        said += settled.grow(text[:cut])
        if settled.stop:
            assert said == settled.said
            return
        if hole.is_complete(text[:cut]):
            break
    final = hole.answer(text).text
    rest = settled.finish(final)
    if rest is not None:
        assert said + rest == cut_at_stop(final, stops)[0]
    assert said == "" or not is_open(said)


def test_a_line_is_said_when_another_stands_behind_it() -> None:
    hole = shape_hole("def f(a):\n", "", "block", 6, "a.py")
    settled = SettledText(hole)
    assert settled.grow("    b = a\n") == ""
    assert settled.grow("    b = a\n    c = b\n") == "    b = a"
    assert settled.grow("    b = a\n    c = b\n    return c\n") == "\n    c = b"
    assert settled.finish("    b = a\n    c = b\n    return c\n") == "\n    return c\n"


def test_an_open_line_is_not_said() -> None:
    assert (
        finished_lines("f(\n    a,\n    b)\nc\nd", "f(\n    a,\n    b)\nc\nd")
        == "f(\n    a,\n    b)"
    )
    assert finished_lines("f(\n    a,\n", "f(\n    a,\n    b") == ""
    assert finished_lines("'''x\ny\n", "'''x\ny\nz") == ""


def test_the_beginning_of_a_stop_string_is_held_back() -> None:
    hole = shape_hole("def f(a):\n", "", "block", 6, "a.py")
    settled = SettledText(hole, ("a\n    c",))
    assert settled.grow("    b = a\n    d = b\n") == "    b ="
    assert settled.grow("    b = a\n    c = b\n") == " "
    assert settled.stop


@pytest.mark.parametrize(
    ("prefix", "suffix", "text", "stop", "answer"),
    [
        ("a = 1\n", "print(a)\n", "b = a + 2\n", "\n", "b = a + 2"),
        ("a = 1\n", "", "b = a + 2\nc = 3\n", "\n", "b = a + 2"),
        ("a = f", "\n", "(b, g(c), d)", ")", "(b, g(c"),
        ("a = ", "\n", "{1: 2, 3: {4: 5}}", "}", "{1: 2, 3: {4: 5"),
        ("a = f(", "\n", "'b', c)", "'", ""),
    ],
)
def test_what_closes_a_text_that_is_not_whole_stops_nothing(
    prefix: str, suffix: str, text: str, stop: str, answer: str
) -> None:
    hole = shape_hole(prefix, suffix, "auto", None, "a.py")
    settled, said = SettledText(hole, (stop,)), ""
    for size in range(1, len(text) + 1):
        if not settled.stop:
            said += settled.grow(text[:size])
    if not settled.stop:
        said += settled.finish(hole.answer(text).text) or ""
    assert said == answer


def test_an_answer_that_turned_into_another_is_told() -> None:
    hole = shape_hole("def f(a):\n", "", "block", 6, "a.py")
    settled = SettledText(hole)
    settled.grow("    b = a\n    c = b\n")
    assert settled.finish("    two") is None


def test_an_answer_that_is_taken_as_it_is_is_said_at_once() -> None:
    hole = shape_hole("", "", "block", 6, "a.json").as_it_is(document=False)
    settled = SettledText(hole)
    assert settled.grow('{"a": [') == '{"a": ['
    assert settled.grow('{"a": [1,\n') == "1,\n"
    assert settled.finish('{"a": [1,\n2]}') == "2]}"


def test_what_only_the_end_tells_is_not_said_before() -> None:
    hole = shape_hole("", "", "block", 6, "a.json").as_it_is(document=False)
    settled = SettledText(hole, silent=True)
    assert settled.grow("{}\n\n{}\n") == ""
    assert settled.finish("other") == "other"

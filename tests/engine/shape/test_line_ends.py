"""Complaint: wrong line ends, broken characters; and what an answer tells of its tokens."""

import pytest

from engine.hole import shape_hole
from engine.shape.answer import Edit, edited
from tests.engine.shape.case import Case, check

CASES = [
    Case("python", "def f():\r\n", "\r\ng()\r\n", "    a\n    b\ng", "    a\r\n    b"),
    Case("python", "a = 1\r\n", "c = 1\r\n", "b = 1\n", "b = 1\r\n"),
    Case("python", "a = 1\r\n", "c = 1\r\n", "b = 1\r\n", "b = 1\r\n"),
    Case("python", "x = ", "\r\ny = 1\r\n", "1\r\n", "1"),
    Case("python", "a = 1\n", "c = 1\n", "b = 1\r\n", "b = 1\n"),
    Case("python", "s = '\U0001f600", "'\n", "é\U0001f600'\n", "é\U0001f600"),
    Case("python", "x = foo(", ")\n", "'\u2028', a)\n", "'\u2028', a"),
    Case("python", "x = 1\n", "", "", "", False),
    Case("python", "x = 1\n", "", "\n\n", "", False),
    Case("python", "x = ", "\n", "\n", ""),
]


@pytest.mark.parametrize("case", CASES)
def test_line_ends_and_characters(case: Case) -> None:
    check(case)


def test_edits_make_the_answer_and_pieces_follow_the_parts() -> None:
    answer = edited("\nab(c\nd", [Edit(0, 1), Edit(3, 3, "!"), Edit(5, 7, ")\n")])
    assert answer.text == "ab!(c)\n"
    assert answer.pieces(["\na", "b(", "c\n", "d"]) == ["a", "b!(", "c)\n", ""]
    assert answer.pieces(["\nab(c\nd"]) == ["ab!(c)\n"]


def test_a_hole_of_whole_lines_is_asked_with_a_newline_in_front_of_the_suffix() -> None:
    whole = shape_hole("a\n", "b\n", "auto", None)
    assert (whole.whole_lines, whole.suffix) == (True, "\nb\n")
    inside = shape_hole("a = ", "b\n", "auto", None)
    assert (inside.whole_lines, inside.suffix) == (False, "b\n")

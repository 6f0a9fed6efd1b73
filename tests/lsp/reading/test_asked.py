"""Instructions in comments."""

import pytest

from lsp_server.reading.asked import asked, without
from lsp_server.reading.spans import Span


def found(text: str, selected: str) -> str | None:
    start = text.index(selected)
    answer = asked(text, Span(start, start + len(selected)))
    return answer.instruction if answer else None


@pytest.mark.parametrize(
    ("comment", "instruction"),
    [
        ("# retouch: use a set", "use a set"),
        ("    // Retouch: no loops  ", "no loops"),
        ("/* retouch: shorter */", "shorter"),
        ("<!-- retouch: as a table -->", "as a table"),
        ("-- retouch: one join", "one join"),
        ("# retouch:", None),
        ("# please retouch: this", None),
        ('x = "# retouch: no"', None),
        ("# retouch: use a set\r", "use a set"),
    ],
)
def test_a_comment_above_is_the_instruction(comment: str, instruction: str | None) -> None:
    assert found(f"a = 1\n{comment}\nfoo(bar)\n", "foo(bar)\n") == instruction


def test_a_comment_in_the_selection_comes_first() -> None:
    text = "# retouch: above\nfoo()\n# retouch: inside\nbar()\n"
    assert found(text, "foo()\n# retouch: inside\nbar()\n") == "inside"
    assert found(text, "foo()\n") == "above"


def test_comments_further_up_are_about_something_else() -> None:
    assert found("# retouch: a\nx = 1\nfoo()\n", "foo()\n") is None
    assert found("# retouch: a\n\nfoo()\n", "foo()\n") is None


def test_lines_of_the_same_comment_belong_to_it() -> None:
    text = "# retouch: use a set\n#   and sort it\nfoo()\n"
    assert found(text, "foo()\n") == "use a set and sort it"
    assert found("# retouch: a\n// b\nfoo()\n", "foo()\n") is None


def test_the_comment_is_no_part_of_the_old_text() -> None:
    text = "a()\n# retouch: x\nb()\n"
    answer = asked(text, Span(0, len(text)))
    assert answer is not None
    assert without(text, Span(0, len(text)), answer.comment) == "a()\nb()\n"
    assert without(text, Span(0, 3), answer.comment) == "a()"


@pytest.mark.parametrize("line", ["# retouch: x{}y\n", "# retouch: x\n#{0}y{0}z\n"])
def test_a_long_gap_in_a_comment_is_read_in_one_go(line: str) -> None:
    """A pattern that tries each end of a gap of this length takes hours."""
    gap = " " * 100_000
    said = found(line.format(gap) + "foo()\n", "foo()\n")
    assert said is not None and said.startswith("x ")


@pytest.mark.parametrize("span", [Span(0, 0), Span(3, 3)])
def test_nothing_is_asked_in_a_short_text(span: Span) -> None:
    assert asked("a\n\n", span) is None

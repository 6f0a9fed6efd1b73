"""Line endings: what is restored is what was there."""

from hypothesis import assume, given
from hypothesis import strategies as st

from clients.cli import newlines
from clients.cli.document import Document

ENDS = st.sampled_from(["\n", "\r\n", "\r"])
RAW = st.lists(
    st.one_of(ENDS, st.text("ab\t\u00e9\u4e2d\u0301\U0001f600\u2028\x0c", max_size=3))
).map("".join)


@given(RAW)
def test_normalised_text_has_only_newlines(raw: str) -> None:
    text = newlines.normalise(raw)
    assert "\r" not in text
    assert text.count("\n") == len(newlines.line_ends(raw))


@given(RAW)
def test_an_unchanged_answer_is_no_change(raw: str) -> None:
    document = Document.of(raw)
    edit = document.edit(0, len(document.text), document.text)
    assert edit.text == raw


@given(RAW, st.data(), st.text("xy\n", max_size=6))
def test_the_file_reads_as_prefix_answer_suffix(raw: str, data: st.DataObject, answer: str) -> None:
    document = Document.of(raw)
    start = data.draw(st.integers(0, len(document.text)))
    end = data.draw(st.integers(start, len(document.text)))
    edit = document.edit(start, end, answer)
    head, tail = raw[: edit.start], raw[edit.end :]
    assume(edit.text or not (head.endswith("\r") and tail.startswith("\n")))
    expected = document.text[:start] + answer + document.text[end:]
    assert newlines.normalise(head + edit.text + tail) == expected
    assert newlines.normalise(head) == document.text[:start]
    assert newlines.normalise(tail) == document.text[end:]


def test_new_lines_take_the_dominant_ending() -> None:
    document = Document.of("a\r\nb\r\nc\n")
    edit = document.edit(2, 3, "x\ny\nz")
    assert edit.text == "x\r\ny\r\nz"


def test_as_many_lines_keep_each_ending() -> None:
    document = Document.of("a\rb\nc\r\nd\r\n")
    assert document.edit(0, 6, "x\ny\nz\n").text == "x\ry\nz\r\n"


def test_the_closing_line_ending_stays() -> None:
    document = Document.of("a\r\nb\r\nc\nd\n")
    assert document.edit(4, 6, "x\ny\n").text == "x\r\ny\n"


def test_a_cr_only_file_stays_one() -> None:
    document = Document.of("a\rb\rc\r")
    assert document.text == "a\nb\nc\n"
    assert document.edit(2, 2, "x\ny\n").text == "x\ry\r"


def test_a_tie_goes_to_the_first() -> None:
    assert newlines.dominant("a\r\nb\n") == "\r\n"
    assert newlines.dominant("none") == "\n"


def test_neighbours_that_would_merge_are_kept_apart() -> None:
    document = Document.of("a\rX\nb\nc")
    assert document.edit(2, 3, "\nx").text == "\r\nx"
    document = Document.of("a\rb\rX\nc")
    assert document.edit(4, 5, "x\n").text == "x\r\n"

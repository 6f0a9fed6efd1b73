"""Addresses: what they mean, and the words with which they are refused."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clients.cli import address
from clients.cli.document import Document
from clients.cli.errors import BadInput

TEXTS = st.text("ab\n\r\t\u00e9\u4e2d\u0301\U0001f600\u200d", max_size=40)
CODE = Document.of("def f():\n\treturn 1\n\nx = f()\n")


@given(TEXTS, st.data())
def test_every_offset_has_one_position_that_leads_back(raw: str, data: st.DataObject) -> None:
    document = Document.of(raw)
    offset = data.draw(st.integers(0, len(document.text)))
    line, column = document.position(offset)
    assert address.at(document, f"{line}:{column}").start == offset
    before = document.text[:offset]
    assert line == before.count("\n") + 1
    assert column == len(before.rpartition("\n")[2]) + 1


@given(TEXTS, st.data())
def test_lines_are_the_text_between_line_starts(raw: str, data: st.DataObject) -> None:
    document = Document.of(raw)
    if not document.line_count:
        with pytest.raises(BadInput, match="empty"):
            address.lines(document, "1")
        return
    first = data.draw(st.integers(1, document.line_count))
    last = data.draw(st.integers(first, document.line_count))
    span = address.lines(document, f"{first}:{last}")
    parts = document.text.split("\n")
    expected = "\n".join(parts[first - 1 : last])
    assert document.text[span.start : span.end].removesuffix("\n") == expected
    assert span.lines == last - first + 1


@given(TEXTS, st.integers(0, 60), st.integers(0, 60))
def test_any_numbers_give_a_span_or_bad_input(raw: str, line: int, column: int) -> None:
    document = Document.of(raw)
    try:
        span = address.at(document, f"{line}:{column}")
    except BadInput:
        return
    assert document.position(span.start) == (line, column)


def test_a_tab_is_one_column() -> None:
    assert CODE.text[address.at(CODE, "2:2").start :].startswith("return")


def test_a_combining_mark_is_a_column_of_its_own() -> None:
    document = Document.of("e\u0301=\U0001f468\u200d\U0001f469\n")
    assert document.text[address.at(document, "1:3").start] == "="
    assert document.text[address.at(document, "1:5").start] == "\u200d"


def test_a_range_of_whole_lines_knows_it() -> None:
    assert address.between(CODE, "1:1-3:1") == address.Span(0, 19, 2)
    assert address.between(CODE, "1:5-1:6").lines is None


def test_the_end_of_the_text_is_a_place() -> None:
    assert address.at(CODE, "5:1").start == len(CODE.text)
    assert address.at(Document.of(""), "1:1").start == 0


@pytest.mark.parametrize(
    ("where", "words"),
    [
        ("9:1", "has 4 lines"),
        ("0:1", "has 4 lines"),
        ("1:10", "columns are 1 to 9"),
        ("1:0", "columns are 1 to 9"),
        ("1", "LINE:COLUMN"),
        ("1:x", "LINE:COLUMN"),
        ("-1:1", "LINE:COLUMN"),
        ("1:99999999999999", "LINE:COLUMN"),
        ("\u0661:\u0661\x1b[31m", "LINE:COLUMN"),
    ],
)
def test_a_bad_place_is_explained(where: str, words: str) -> None:
    with pytest.raises(BadInput, match=words) as caught:
        address.at(CODE, where)
    assert "\x1b" not in str(caught.value)


@pytest.mark.parametrize(
    ("where", "words"),
    [
        ("0:1", "which has 4 lines"),
        ("4:5", "which has 4 lines"),
        ("3:2", "first line is behind"),
        ("a:b", "FIRST:LAST"),
        ("", "FIRST:LAST"),
    ],
)
def test_bad_lines_are_explained(where: str, words: str) -> None:
    with pytest.raises(BadInput, match=words):
        address.lines(CODE, where)


@pytest.mark.parametrize(
    ("where", "words"),
    [
        ("2:1-1:1", "ends before it starts"),
        ("1:1-9:1", "outside the file"),
        ("1:1", "LINE:COLUMN-LINE:COLUMN"),
    ],
)
def test_a_bad_range_is_explained(where: str, words: str) -> None:
    with pytest.raises(BadInput, match=words):
        address.between(CODE, where)


def test_every_marker_is_a_hole() -> None:
    (span,) = address.marked(Document.of("a <FILL> b"), "<FILL>")
    assert (span.start, span.end) == (2, 8)
    with pytest.raises(BadInput, match="no <FILL> in the text"):
        address.marked(Document.of("a b"), "<FILL>")
    spans = address.marked(Document.of("<FILL>\r\n<FILL>"), "<FILL>")
    assert [(span.start, span.end) for span in spans] == [(0, 6), (7, 13)]
    with pytest.raises(BadInput, match="twice in a row in line 2"):
        address.marked(Document.of("\n<FILL><FILL>"), "<FILL>")
    with pytest.raises(BadInput, match="17 times, and at most 16"):
        address.marked(Document.of("<FILL>;" * 17), "<FILL>")


def test_a_marker_over_two_lines_matches_any_line_ending() -> None:
    assert address.marked(Document.of("a\r\nX\r\nY\r\n"), "X\nY")[0].start == 2

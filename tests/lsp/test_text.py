"""The mirror: lines, positions in three encodings, edits in order; fuzzed against a reference."""

from dataclasses import dataclass, field

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lsprotocol import types

from lsp_server.documents import Document, Documents, uri_path
from lsp_server.text import BREAK, Encoding, Place, Text, characters, clean, newlines, units

ENCODINGS: tuple[Encoding, ...] = ("utf-8", "utf-16", "utf-32")
PIECES = (
    "a",
    "bc",
    "\n",
    "\r",
    "\r\n",
    "é",
    "e\u0301",
    "😀",
    "\u2028",
    "\x0c",
    "\x85",
    "👩\u200d🔬",
)
texts = st.lists(st.sampled_from(PIECES), max_size=12).map("".join)
encodings = st.sampled_from(ENCODINGS)


@st.composite
def edits(draw: st.DrawFn) -> tuple[str, list[tuple[int, int, str]]]:
    text = current = draw(texts)
    found = []
    for _ in range(draw(st.integers(1, 5))):
        start = draw(st.integers(0, len(current)))
        stop = draw(st.integers(start, len(current)))
        new = draw(texts)
        found.append((start, stop, new))
        current = current[:start] + new + current[stop:]
    return text, found


def reference_lines(text: str) -> list[str]:
    """Lines without their ends, found one character at a time."""
    lines, current, at = [], "", 0
    while at < len(text):
        if text[at] in "\r\n":
            at += 2 if text[at : at + 2] == "\r\n" else 1
            lines.append(current)
            current = ""
        else:
            current += text[at]
            at += 1
    return [*lines, current]


@given(edits())
def test_an_edit_finds_the_lines_that_reading_it_all_would(
    case: tuple[str, list[tuple[int, int, str]]],
) -> None:
    value, changes = case
    text = Text.of(value)
    for start, stop, new in changes:
        text = text.replaced(start, stop, new)
        value = value[:start] + new + value[stop:]
        assert text == Text.of(value)
        assert [text.line(n) for n in range(text.lines)] == reference_lines(value)


@given(texts, encodings, st.data())
def test_a_position_leads_back_to_its_offset(
    value: str, encoding: Encoding, data: st.DataObject
) -> None:
    text = Text.of(value)
    offset = data.draw(st.integers(0, len(value)))
    inside = value[max(0, offset - 1) : offset + 1] == "\r\n"
    place = text.place(offset, encoding)
    assert text.offset(place, encoding) == offset - inside


@given(texts, encodings, st.integers(-2, 40), st.integers(-2, 40))
def test_any_position_is_moved_into_its_line(
    value: str, encoding: Encoding, line: int, character: int
) -> None:
    text = Text.of(value)
    offset = text.offset(Place(line, character), encoding)
    assert 0 <= offset <= len(value)
    found = text.place(offset, encoding)
    if 0 <= line < text.lines:
        assert found.line == line
        assert found.character <= max(0, character)
        row, kept = text.line(line), offset - text.starts[line]
        assert kept == len(row) or units(row[: kept + 1], encoding) > max(0, character)


@pytest.mark.parametrize(
    ("encoding", "character", "offset"),
    [("utf-16", 4, 3), ("utf-16", 5, 4), ("utf-8", 5, 3), ("utf-8", 7, 4), ("utf-32", 4, 4)],
)
def test_a_position_inside_a_character_is_before_it(
    encoding: Encoding, character: int, offset: int
) -> None:
    assert Text.of("x='😀e'\r\ny=1\r\n").offset(Place(0, character), encoding) == offset


@pytest.mark.parametrize("character", [7, 8, 99])
def test_a_position_between_carriage_return_and_newline_is_before_both(character: int) -> None:
    text = Text.of("x='😀e'\r\ny=1\r\n")
    assert text.offset(Place(0, character), "utf-16") == 6
    assert text.place(7, "utf-16") == Place(0, 7)


@given(st.text(), encodings)
def test_counting_units_and_characters_agree(value: str, encoding: Encoding) -> None:
    for count in range(len(value) + 1):
        assert characters(value, units(value[:count], encoding), encoding) == count


def test_lone_surrogates_can_be_counted_and_cleaned() -> None:
    text = "a\ud83d\ude00b\ud800"
    assert units(text, "utf-16") == 5
    assert characters(text, 2, "utf-16") == 2
    assert clean(text) == "a😀b\ufffd"
    assert newlines("a\r\nb\rc\nd\u2028") == "a\nb\nc\nd\u2028"


@dataclass
class Buffer:
    """A buffer as an editor keeps one: a list of lines, their ends, code units counted by hand."""

    encoding: Encoding
    rows: list[str] = field(default_factory=lambda: [""])
    ends: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        return "".join(row + end for row, end in zip(self.rows, [*self.ends, ""], strict=True))

    def set(self, text: str) -> None:
        self.rows = BREAK.split(text)
        self.ends = BREAK.findall(text)

    def width(self, char: str) -> int:
        code = {"utf-8": "utf-8", "utf-16": "utf-16-le", "utf-32": "utf-32-le"}[self.encoding]
        return len(char.encode(code)) // {"utf-8": 1, "utf-16": 2, "utf-32": 4}[self.encoding]

    def position(self, offset: int) -> types.Position:
        row = 0
        while row < len(self.ends) and offset >= len(self.rows[row]) + len(self.ends[row]):
            offset -= len(self.rows[row]) + len(self.ends[row])
            row += 1
        kept = self.rows[row][:offset]
        return types.Position(row, sum(self.width(char) for char in kept))


@settings(max_examples=300)
@given(st.lists(edits(), min_size=1, max_size=4), encodings, st.data())
def test_a_stream_of_changes_keeps_the_mirror_like_the_buffer(
    streams: list[tuple[str, list[tuple[int, int, str]]]], encoding: Encoding, data: st.DataObject
) -> None:
    """Several changes in one notification, full texts among them, each about the one before."""
    documents, buffer = Documents(encoding), Buffer(encoding)
    documents.opened("file:///a", 0, "python", "")
    for version, (full, changes) in enumerate(streams, 1):
        sent: list[types.TextDocumentContentChangeEvent] = [
            types.TextDocumentContentChangeWholeDocument(full)
        ]
        buffer.set(full)
        for start, stop, new in changes:
            old = buffer.text
            start, stop = (_apart(old, place) for place in (start, stop))
            range_ = types.Range(buffer.position(start), buffer.position(stop))
            if data.draw(st.booleans()):
                range_ = types.Range(range_.end, range_.start) if start == stop else range_
            sent.append(types.TextDocumentContentChangePartial(range_, new))
            buffer.set(old[:start] + new + old[stop:])
        documents.changed("file:///a", version, sent)
        document = documents.get("file:///a")
        assert document is not None
        assert (document.version, document.text) == (version, Text.of(buffer.text))


def _apart(text: str, offset: int) -> int:
    """Editors have no place inside a line end."""
    offset = min(offset, len(text))
    return offset - (text[max(0, offset - 1) : offset + 1] == "\r\n")


def test_a_form_feed_is_no_line_break() -> None:
    documents = Documents()
    documents.opened("file:///a", 1, "python", "s = 'a\x0cb'\nreturn 1\n")
    range_ = types.Range(types.Position(1, 7), types.Position(1, 8))
    new = documents.changed("file:///a", 2, [types.TextDocumentContentChangePartial(range_, "2")])
    assert new is not None and new.text.value == "s = 'a\x0cb'\nreturn 2\n"


def test_documents_that_are_not_open_are_not_read() -> None:
    documents = Documents()
    assert documents.get("file:///etc/hostname") is None
    assert documents.changed("file:///etc/hostname", 2, []) is None


def test_the_document_used_last_comes_first() -> None:
    documents = Documents()
    for name in "abc":
        documents.opened(name, 1, "python", name)
    documents.touched("a")
    assert [document.uri for document in documents] == ["a", "c", "b"]
    documents.closed("a")
    assert [document.uri for document in documents] == ["c", "b"]


def test_a_document_is_a_value() -> None:
    documents = Documents()
    old = documents.opened("a", 1, "python", "x")
    documents.changed("a", 2, [types.TextDocumentContentChangeWholeDocument("y")])
    assert (old.text.value, old.version) == ("x", 1)
    assert isinstance(old, Document)


@pytest.mark.parametrize(
    ("uri", "path"),
    [
        ("file:///a/b%20c.py", "/a/b c.py"),
        ("file:///c%3A/x.py", "c:/x.py"),
        ("file://host/share/x", "//host/share/x"),
        ("untitled:Untitled-1", None),
        ("http://[bad", None),
    ],
)
def test_paths_of_addresses(uri: str, path: str | None) -> None:
    found = uri_path(uri)
    assert (found.as_posix() if found is not None else None) == path

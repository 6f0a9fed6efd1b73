"""Which characters are locked, by span, pattern and kind."""

import re
import time
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.constraints.byte_dfa import ByteDFA
from engine.revision.kinds import Piece, pieces_of
from engine.revision.locks import locked_characters, prose_characters
from protocol.errors import ProtocolError
from protocol.messages import DocumentRef, Lock, ReviseText
from protocol.revise import KeepName

CODE = "total = rate * 12  # per year\nname = 'x y'\n"


def read(
    text: str, path: str | None, name: str | None = None, prefix: str = "", suffix: str = ""
) -> list[Piece]:
    doc = DocumentRef("d", 1, name)
    return pieces_of(ReviseText("r", prefix, text, suffix, path=path, doc=doc))


def locked(text: str, *locks: Lock, keep: Any = (), path: str | None = "a.py") -> str:
    return shown(text, locked_characters(text, locks, keep, read(text, path)))


def shown(text: str, marks: Sequence[bool]) -> str:
    return "".join(character if mark else "." for character, mark in zip(text, marks, strict=True))


def test_a_span_is_characters_not_bytes() -> None:
    assert locked("é=😀+1", Lock(2, 3)) == "..😀.."


def test_patterns_match_like_regular_expressions() -> None:
    assert locked(CODE, Lock(pattern=r"[a-z]+ = ")).startswith("total = ....")
    assert locked("aXbXc", Lock(pattern="X|é")) == ".X.X."
    assert locked("abab", Lock(pattern="x*")) == "...."


@given(st.text("ab\né", max_size=12), st.sampled_from(["a+", "ab|b", "é", "a.b", "[^a]"]))
def test_patterns_agree_with_re_where_the_longest_is_the_first(text: str, pattern: str) -> None:
    expected = ["."] * len(text)
    for found in re.finditer(pattern, text):
        expected[found.start() : found.end()] = found.group()
    assert locked(text, Lock(pattern=pattern)) == "".join(expected)


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("comments", "..................." + "# per year" + "\n............\n"),
        ("literals", "...............12............................'x y'\n"),
        ("identifiers", "total...rate.................\nname........\n"),
    ],
)
def test_kinds(kind: str, expected: str) -> None:
    found = locked(CODE, keep=(kind,))
    assert re.sub(r"[.\s]", "", found) == re.sub(r"[.\s]", "", expected)


def test_comments_look_as_the_files_ending_says() -> None:
    text = "a // b\nc # d\n-- e"
    assert locked(text, keep=("comments",), path="x.go").replace(".", "") == "// b"
    assert locked(text, keep=("comments",), path="x.lua").replace(".", "") == "-- e"
    assert locked(text, keep=("comments",), path=None).replace(".", "") == "# d"


@pytest.mark.parametrize(
    ("path", "text", "comments"),
    [
        ("x.css", "a { /* b\n c */ d: 1 }", ["/* b\n c */"]),
        ("x.html", "<p>b's <!-- c\n d --></p>", ["<!-- c\n d -->"]),
        ("x.zig", "const s =\n    \\\\ a // b\n; // c", ["// c"]),
        ("x.proto", "a = 1; // b\n/* c */", ["// b", "/* c */"]),
        ("x.sql", "a /* b\n c */ d -- e's\n f 'x -- y'", ["/* b\n c */", "-- e's"]),
        ("x.lua", "a --[[ b\n c ]] d -- e", ["--[[ b\n c ]]", "-- e"]),
        ("x.rs", "fn a<'b>(c: &'b str) {} // d", ["// d"]),
        ("x.hs", "a' = b {- c\n d -} -- e", ["{- c\n d -}", "-- e"]),
        ("x.php", "#[A]\na # b\n// c", ["# b", "// c"]),
        ("x.kt", "a // b", ["// b"]),
        ("x.clj", "(a) ; b", ["; b"]),
        ("x.md", "# a\n<!-- b -->\n```\n<!-- c -->\n```", ["<!-- b -->"]),
        ("Makefile", "a: b # c", ["# c"]),
    ],
)
def test_comments_are_those_of_the_language(path: str, text: str, comments: list[str]) -> None:
    found = [text[start:stop] for kind, start, stop in read(text, path) if kind == "comments"]
    assert found == comments


@pytest.mark.parametrize(("name", "path"), [("javascript", None), ("sql", None), ("sql", "x.txt")])
def test_the_client_may_name_the_language(name: str, path: str | None) -> None:
    text = "a /* b */ c # d"
    found = [text[start:stop] for kind, start, stop in read(text, path, name) if kind == "comments"]
    assert found == ["/* b */"]


def test_lifetimes_are_no_strings() -> None:
    text = "fn pick<'a>(first: &'a str, c: char) -> bool { c == 'x' }"
    assert locked(text, keep=("literals",), path="x.rs").replace(".", "") == "'x'"


def test_code_inside_a_string_belongs_to_it() -> None:
    text = "a = `b ${c + 'd'} e`; f"
    assert locked(text, keep=("literals",), path="x.js").replace(".", "") == "`b ${c + 'd'} e`"


def test_a_text_may_begin_and_end_inside_a_string_or_a_comment() -> None:
    around = {"prefix": 'def f():\n    """Ask\n', "suffix": "cut off'\n"}
    text = '    them.\n    """\n    a = 1  # why\n    b = \'is'
    found = {kind: text[start:stop] for kind, start, stop in read(text, "a.py", **around)}
    assert found == {"literals": "'is", "identifiers": "b", "comments": "# why"}
    first = read(text, "a.py", **around)[0]
    assert text[first.start : first.stop] == '    them.\n    """'


@pytest.mark.parametrize(
    "lock", [Lock(), Lock(1), Lock(2, 1), Lock(0, 99), Lock(0, 1, "a"), Lock(pattern="(")]
)
def test_senseless_locks_are_refused(lock: Lock) -> None:
    with pytest.raises(ProtocolError) as caught:
        locked_characters("abc", [lock], (), ())
    assert caught.value.param == "locks[0]"


def test_a_pattern_that_reads_the_text_over_and_over_is_refused() -> None:
    with pytest.raises(ProtocolError, match="narrower"):
        locked_characters("a" * 8000, [Lock(pattern="a*b")], (), ())


def test_comments_and_strings_of_several_words_are_prose() -> None:
    text = 'x = "key"  # why\ny = "two words"\n'
    marks = prose_characters(text, read(text, "a.py"))
    assert "".join(c for c, mark in zip(text, marks, strict=True) if mark) == '# why"two words"'


def test_patterns_share_what_they_may_cost() -> None:
    lock = Lock(pattern="a*b")
    assert not any(locked_characters("a" * 1500, [lock], (), ()))
    with pytest.raises(ProtocolError, match="narrower"):
        locked_characters("a" * 1500, [lock, lock], (), ())


def test_reading_a_text_takes_no_time_from_the_patterns_that_are_still_to_be_compiled(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    read = ByteDFA.run

    def slow(self: ByteDFA, data: bytes, state: int) -> int:
        now[0] += 1.0
        return read(self, data, state)

    def tick() -> float:
        now[0] += 1e-6
        return now[0]

    now = [0.0]
    monkeypatch.setattr(time, "monotonic", tick)
    monkeypatch.setattr(ByteDFA, "run", slow)
    marks = locked_characters("abcabc", [Lock(pattern="a"), Lock(pattern="c")], (), ())
    assert marks == [True, False, True] * 2


@pytest.mark.parametrize(
    ("text", "kind"), [("/* " * 500_000, "comments"), ("'" + r"\'" * 500_000 + "\n", "literals")]
)
def test_what_is_opened_and_never_closed_is_read_once(text: str, kind: KeepName) -> None:
    marks = locked_characters(text, (), (kind,), read(text, "a.c"))
    assert all(marks) == any(marks) == (kind == "comments")


def test_a_comment_that_is_not_closed_goes_on_to_the_end() -> None:
    assert locked("a /* b\nc", keep=("comments",), path="x.c") == "../* b\nc"

"""Which characters are locked, by span, pattern and kind."""

import re
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.constraints.byte_dfa import ByteDFA
from engine.revision.locks import locked_characters, prose_characters
from protocol.errors import ProtocolError
from protocol.messages import Lock
from protocol.revise import KeepName

CODE = "total = rate * 12  # per year\nname = 'x y'\n"


def locked(text: str, *locks: Lock, keep: Any = (), path: str | None = "a.py") -> str:
    marks = locked_characters(text, locks, keep, path)
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
    "lock", [Lock(), Lock(1), Lock(2, 1), Lock(0, 99), Lock(0, 1, "a"), Lock(pattern="(")]
)
def test_senseless_locks_are_refused(lock: Lock) -> None:
    with pytest.raises(ProtocolError) as caught:
        locked_characters("abc", [lock], (), None)
    assert caught.value.param == "locks[0]"


def test_a_pattern_that_reads_the_text_over_and_over_is_refused() -> None:
    with pytest.raises(ProtocolError, match="narrower"):
        locked_characters("a" * 8000, [Lock(pattern="a*b")], (), None)


def test_comments_and_strings_of_several_words_are_prose() -> None:
    text = 'x = "key"  # why\ny = "two words"\n'
    marks = prose_characters(text, "a.py")
    assert "".join(c for c, mark in zip(text, marks, strict=True) if mark) == '# why"two words"'


def test_patterns_share_what_they_may_cost() -> None:
    lock = Lock(pattern="a*b")
    assert not any(locked_characters("a" * 1500, [lock], (), None))
    with pytest.raises(ProtocolError, match="narrower"):
        locked_characters("a" * 1500, [lock, lock], (), None)


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
    marks = locked_characters("abcabc", [Lock(pattern="a"), Lock(pattern="c")], (), None)
    assert marks == [True, False, True] * 2


@pytest.mark.parametrize(
    ("text", "kind"), [("/* " * 500_000, "comments"), ("'" + r"\'" * 500_000 + "\n", "literals")]
)
def test_what_is_opened_and_never_closed_is_read_once(text: str, kind: KeepName) -> None:
    marks = locked_characters(text, (), (kind,), "a.c")
    assert all(marks) == any(marks) == (kind == "comments")


def test_a_comment_that_is_not_closed_goes_on_to_the_end() -> None:
    assert locked("a /* b\nc", keep=("comments",), path="x.c") == "../* b\nc"

"""The parts of ghost text by themselves: fit, pace, ignore rules, requests."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import asdict

from lsp_server.documents import Document, Documents
from lsp_server.ghost.answers import Answer
from lsp_server.ghost.brackets import excess, unmatched
from lsp_server.ghost.fit import fit
from lsp_server.ghost.pace import Pace, Paces, delay
from lsp_server.ghost.request import Told, request
from lsp_server.ghost.spot import Spot
from lsp_server.readable.ignore import Ignores
from lsp_server.settings import Settings
from lsp_server.text import BREAK, Encoding, Text, newlines
from protocol.checks import check
from protocol.codec import JSON, MSGPACK
from protocol.limits import FRAME_LIMIT

PIECES = ("a", "x = 1", "\n", "(", ")", "[", "]", '"', " ", "    ", "é", "e\u0301", "😀", "\u2028")
ODD = ("\x0c", "\x85", "👩\u200d🔬", "return", ";", "\ud800")
texts = st.lists(st.sampled_from(PIECES + ODD), max_size=14).map("".join)
encodings = st.sampled_from(("utf-8", "utf-16", "utf-32"))
ends = st.sampled_from(("\n", "\r\n"))


def document(text: str, encoding: Encoding = "utf-16", version: int = 1) -> Document:
    return Document("file:///w/a.py", version, "python", Text.of(text), encoding)


@given(texts, texts, texts, encodings, ends)
def test_accepting_an_item_gives_the_text_that_was_meant(
    before: str, after: str, answer: str, encoding: Encoding, eol: str
) -> None:
    """What the editor makes of insert text and range is what `fit` decided, in its line ends."""
    before, after = before.replace("\n", eol), after.replace("\n", eol)
    state = document(before + after, encoding)
    spot = Spot(state, len(before), len(before))
    fitted = fit(answer, spot, 12)
    if fitted is None:
        return
    range_ = state.range(spot.start, spot.stop + fitted.covered)
    assert range_.start.line == range_.end.line
    start, stop = state.span(range_)
    assert (start, stop) == (len(before), len(before) + fitted.covered)
    accepted = before + fitted.text.replace("\n", eol) + state.text.value[stop:]
    assert newlines(accepted) == spot.before + fitted.text + spot.after[fitted.covered :]
    assert "\r" not in fitted.text and fitted.text.strip()
    assert not BREAK.search(state.text.value[start:stop])


@given(texts, texts, texts)
def test_fitting_cuts_and_adds_nothing(before: str, after: str, answer: str) -> None:
    spot = Spot(document(before + after), len(before), len(before))
    fitted = fit(answer, spot, 12)
    if fitted is not None:
        assert fitted.text in answer
        assert fit(fitted.text, spot, 12) is not None or fitted.covered


@given(texts, texts, texts, st.integers(0, 30))
def test_what_is_typed_and_what_is_left_are_the_text(
    before: str, after: str, text: str, typed: int
) -> None:
    answer = Answer("file:///w/a.py", before, after, (text,), 1)
    said = text[:typed]
    state = document(before + said + after)
    spot = Spot(state, len(before + said), len(before + said))
    for rest in answer.rest(spot) or ():
        assert spot.before + rest + spot.after == before + text + after


@pytest.mark.parametrize(
    ("text", "before", "after", "left"),
    [
        (")", "f(", ")", ")"),
        (")", "f(g(", ")", ""),
        (")", "f(", "", ""),
        ("))", "f(g(", ")", ")"),
        ("a)", "(", ")\n}", ")"),
        ("f(x)", "(", ")", ""),
        ("')'", "(", ")", ""),
        ("'", "x = '", "'", "'"),
        ("a]}", "{[", "]}", "]}"),
        ("\\')", "f('", "')", ")"),
    ],
)
def test_excess_brackets(text: str, before: str, after: str, left: str) -> None:
    assert excess(text, before, after) == left


def test_unmatched_brackets() -> None:
    assert unmatched("(a[b)c", quotes=False) == ("([", ")")
    assert unmatched("('(' + \"(\"", quotes=True) == ("(", "")
    assert unmatched("it's (", quotes=False) == ("(", "")


@pytest.mark.parametrize(
    ("gap", "before", "wait"),
    [
        (None, "foo", 0.1),
        (0.04, "foo", 0.1),
        (0.16, "foo", 0.2),
        (0.5, "foo", 0.1),
        (None, "foo(", 0.05),
        (0.16, "x = ", 0.1),
    ],
)
def test_the_next_key_is_waited_for_if_it_is_due_soon(
    gap: float | None, before: str, wait: float
) -> None:
    assert delay(0.1, Pace(0.0, gap), before) == pytest.approx(wait)


@given(st.lists(st.floats(0, 5), max_size=50), st.floats(0, 5), st.text(max_size=3))
def test_the_wait_is_bounded(gaps: list[float], base: float, before: str) -> None:
    paces, now = Paces(), 100.0
    for gap in gaps:
        now += gap
        wait = delay(base, paces.key("a", now), before)
        assert base / 2 <= wait <= 3 * base


def test_a_pause_begins_a_new_burst() -> None:
    pace = Pace().next(10.0).next(10.1)
    assert pace.gap == pytest.approx(0.1)
    assert pace.next(12.0) == Pace(12.0, None)


def test_rules_of_git_in_folders(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / ".gitignore").write_text("*.log\nbuild/\n/top.py\n")
    (tmp_path / "a" / ".gitignore").write_text("!keep.log\nlocal.py\n")
    ignores = Ignores()

    def ignored(name: str, now: float = 0.0) -> bool:
        return ignores.is_ignored(tmp_path / name, [tmp_path / "a"], now)

    assert ignored("x.log") and ignored("a/b/x.log") and not ignored("a/keep.log")
    assert ignored("a/b/local.py") and not ignored("b/local.py")
    assert ignored("build/x.py") and ignored("a/build/keep.log") and not ignored("build")
    assert ignored("top.py") and not ignored("a/top.py")
    (tmp_path / ".gitignore").write_text("")
    assert ignored("x.log", now=1.0)
    assert not ignored("x.log", now=6.0)


def test_a_hostile_ignore_file_takes_no_time(tmp_path: Path) -> None:
    """Patterns that would be tried for ever are left out, and so is what is no plain file."""
    (tmp_path / ".gitignore").write_text("*a" * 40 + "b\n" + "x" * 100_000 + "\nreal.py\n")
    (tmp_path / "d" / ".gitignore").mkdir(parents=True)
    ignores = Ignores(["*z" * 100])
    assert not ignores.is_ignored(tmp_path / "d" / ("a" * 250), [tmp_path], 0.0)
    assert ignores.is_ignored(tmp_path / "d" / "real.py", [tmp_path], 0.0)


def test_what_is_asked_for_is_always_allowed() -> None:
    """The longest documents make a frame that the server takes."""
    wide = "é😀" * 200_000
    documents = Documents()
    files = [documents.opened(f"file:///w/m{n}.py", 1, "python", wide) for n in range(9)]
    state = Document("file:///w/" + "d/" * 4000 + "a.py", -1, "l" * 200, Text.of(wide), "utf-16")
    spot = Spot(state, 300_000, 300_000)
    told = Told(Settings(), files, [Path("/w")], 8)
    fill = request("a", spot, told, frozenset({"context", "alternatives"}))
    check(fill)
    for codec in (JSON, MSGPACK):
        assert codec.decode_to_server(codec.encode(fill)) == fill
        assert len(codec.encode(fill)) < FRAME_LIMIT
    assert len(fill.context) == 2 and fill.alternatives == 8


def test_an_engine_is_not_asked_for_what_it_cant_do() -> None:
    told = Told(Settings(max_lines=1), [document("x")], [], 3)
    fill = request("a", Spot(document("x = "), 4, 4), told, frozenset())
    assert asdict(fill)["context"] == () and fill.alternatives == 1
    assert fill.shape == "line"


def test_lone_surrogates_dont_reach_the_wire() -> None:
    state = document("x = '\ud800' + \ud83d\ude00")
    told = Told(Settings(), [document("\udc00")], [])
    fill = request("a", Spot(state, 6, 6), told, frozenset({"context"}))
    assert MSGPACK.encode(fill)
    assert (fill.prefix, fill.suffix) == ("x = '\ufffd", "' + 😀")


def test_lines_above_another_stay_above_it_where_they_are_cut() -> None:
    spot = Spot(document("y = 2\n"), 0, 0)
    fitted = fit("a = 1\nb = 2\nc = 3\n", spot, 2)
    assert fitted is not None and (fitted.text, fitted.covered) == ("a = 1\nb = 2\n", 0)

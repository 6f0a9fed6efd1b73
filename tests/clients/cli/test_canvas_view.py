"""Golden frames of the view, and frames that fit whatever the text is."""

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from clients.cli import address
from clients.cli.canvas import Canvas
from clients.cli.canvas_view import Scene, Size, compose, scene
from clients.cli.document import Document
from clients.cli.request import build
from clients.cli.rows import Row, merged
from clients.cli.settings import Settings
from protocol.messages import Delta

SIZE = Size(48, 12)
CODE = (
    "import os\n\n\ndef read(path):\n"
    '\tname = os.path.join(path, "x")\n\treturn name\n\n\nread(".")\n'
)
MARKS = {"fresh": "\u00ab{}\u00bb", "thrown": "!{}!", "mask": "{}", "plain": "[{}]"}


def drawn(rows: list[Row]) -> str:
    """Rows as text, with the styles of the hole as marks."""
    lines = []
    for row in rows:
        parts = [MARKS.get(style, "{}").format(text) for text, style in merged(row)]
        lines.append("".join(parts).rstrip())
    return "\n".join(lines)


def shown(span: str, *deltas: Delta, raw: str = CODE, size: Size = SIZE, context: int = 2) -> str:
    """The frame after these deltas, with the last one's changes as news."""
    document = Document.of(raw)
    place = address.lines(document, span) if "-" not in span else address.between(document, span)
    job = build("fill", document, [place], Settings(), None)
    canvas = Canvas()
    for delta in deltas:
        canvas.apply(delta)
    return drawn(compose(scene(job, context), canvas, size, len(deltas) - 1))


def delta(size: int, **cells: str | None) -> Delta:
    slots = tuple(int(name[1:]) for name in cells)
    return Delta("f", 1, size, slots, tuple(cells.values()), tuple(0.5 for _ in slots))


def test_a_canvas_of_masks() -> None:
    assert shown("5:5", delta(6)) == (
        "  3 \u2502\n"
        "  4 \u2502 def read(path):\n"
        "  5 \u2502 \u2592\u2592\u2592\u2592\u2592\u2592\n"
        "  6 \u2502     return name"
    )


def test_reveals_are_marked_once_and_then_plain() -> None:
    first, second = delta(5, s1="name", s4="\n"), delta(5, s0="\t", s2=" = ")
    assert shown("5:5", first, second) == (
        "  3 \u2502\n"
        "  4 \u2502 def read(path):\n"
        "  5 \u2502 \u00ab    \u00bb[name]\u00ab = \u00bb\u2592\n"
        "  6 \u2502     return name"
    )


def test_a_remasked_slot_looks_different() -> None:
    first, second = delta(3, s0="a", s1="b"), delta(3, s1=None, s2="c")
    assert "  5 \u2502 [a]!\u2591!\u00abc\u00bb" in shown("5:5", first, second).split("\n")


def test_a_hole_inside_a_line() -> None:
    assert shown("5:9-5:32", delta(3, s0="join(")).split("\n")[2] == (
        "  5 \u2502     name = \u00abjoin(\u00bb\u2592\u2592"
    )


def test_new_lines_move_the_lines_behind() -> None:
    frame = shown("5:5", delta(3, s0="a\n", s1="b\n", s2="c\n")).split("\n")
    assert frame[2:6] == [
        "  5 \u2502 \u00aba\u00bb",
        "  6 \u2502 \u00abb\u00bb",
        "  7 \u2502 \u00abc\u00bb",
        "  8 \u2502     return name",
    ]


def test_mask_glyphs_and_special_tokens_in_the_file_are_text() -> None:
    frame = shown("2:2", delta(2, s0="\u2592"), raw="\u2592 = '<|endoftext|>'\nx\n\u2592\n")
    assert frame.split("\n") == [
        "  1 \u2502 \u2592 = '<|endoftext|>'",
        "  2 \u2502 \u00ab\u2592\u00bb\u2592",
        "  3 \u2502 \u2592",
    ]


def test_escapes_in_the_file_are_shown_not_sent() -> None:
    frame = shown("2:2", delta(1), raw="\x1b[2J\x07\u202e\nx\n")
    assert frame.split("\n")[0] == "  1 \u2502 \\x1b[2J\\x07\\u202e"


def test_long_lines_are_cut_beside_the_hole_and_wrapped_in_it() -> None:
    raw = "a" * 200 + "\n" + "b" * 200 + "HOLE" + "c" * 200 + "\n"
    frame = shown("2:201-2:205", delta(1, s0="x" * 50), raw=raw, size=Size(30, 20))
    assert frame.split("\n") == [
        "  1 \u2502 " + "a" * 22 + "\u2026",
        "  2 \u2502 \u2026" + "b" * 22,
        "    \u2502 \u00ab" + "x" * 23 + "\u00bb",
        "    \u2502 \u00ab" + "x" * 23 + "\u00bb",
        "    \u2502 \u00abxxxx\u00bb" + "c" * 19,
        "    \u2502 ccc\u2026",
    ]


def test_a_low_terminal_keeps_the_news_in_sight() -> None:
    text = {f"s{index}": f"line {index}\n" for index in range(30)}
    news = delta(30, s20="NEWS\n")
    frame = shown("5:5", delta(30, **text), news, size=Size(40, 5)).split("\n")
    assert len(frame) == 5
    assert any("NEWS" in line for line in frame)


def test_an_empty_file_has_a_frame() -> None:
    rows = compose(Scene("", "", 1, False), Canvas(), SIZE)
    assert drawn(rows) == "  1 \u2502 \u2592"


TEXT = st.text("ab\n\t\u4e2d\u0301\U0001f600\x1b\u202e\u2592", max_size=60)


@given(TEXT, TEXT, st.lists(st.none() | TEXT, max_size=8), st.integers(1, 60), st.integers(1, 12))
def test_frames_fit(
    before: str, after: str, cells: list[str | None], width: int, height: int
) -> None:
    canvas = Canvas(list(cells), 1, 1, [1] * len(cells))
    rows = compose(Scene(before, after, 1, True), canvas, Size(width, height))
    assert 0 < len(rows) <= height
    for row in rows:
        text = "".join(part for part, _ in row)
        assert cell_len(text) <= max(width, 20)
        assert "\x1b" not in text
        assert "\n" not in text

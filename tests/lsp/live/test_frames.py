"""Pictures of a canvas: lines, marks and units."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lsp_server.live.frames import MASK, Canvas
from protocol.cells import Cell
from protocol.messages import Delta, Snap, Splice

UNITS: dict[str, Callable[[str], int]] = {
    "utf-8": lambda text: len(text.encode()),
    "utf-16": lambda text: len(text.encode("utf-16-le")) // 2,
    "utf-32": len,
}
CELLS = st.lists(
    st.none() | st.text(alphabet="ab\n\u00e9\U0001f600", max_size=4), min_size=1, max_size=12
)


def canvas_of(*cells: Cell, confidence: float = 0.9) -> Canvas:
    canvas = Canvas()
    sure = tuple(0.0 if cell is None else confidence for cell in cells)
    canvas.apply(Snap("x", 1, tuple(cells), sure, seq=1))
    return canvas


def delta(size: int, *changes: tuple[int, Cell], seq: int = 2, sure: float = 0.9) -> Delta:
    slots, cells = tuple(slot for slot, _ in changes), tuple(cell for _, cell in changes)
    return Delta("x", seq, size, slots, cells, (sure,) * len(slots), seq)


def test_masks_and_new_cells_are_marked() -> None:
    canvas = canvas_of("return", None, None)
    assert canvas.picture().lines(len) == [
        {"text": "return" + MASK * 2, "masks": [[6, 8]], "new": [[0, 6]]}
    ]
    canvas.apply(delta(3, (2, " b")))
    [line] = canvas.picture().lines(len)
    assert line == {"text": f"return{MASK} b", "masks": [[6, 7]], "new": [[7, 9]]}


def test_what_was_shown_is_not_new_again() -> None:
    canvas = canvas_of("a", None)
    canvas.picture()
    assert canvas.picture().lines(len)[0]["new"] == []


def test_a_cell_over_two_lines_is_marked_in_both() -> None:
    first, second = canvas_of("if x:", None, "\n    y").picture().lines(len)
    assert first == {"text": f"if x:{MASK}", "masks": [[5, 6]], "new": [[0, 5]]}
    assert second == {"text": "    y", "masks": [], "new": [[0, 5]]}


def test_weak_cells_tell_their_confidence() -> None:
    canvas = canvas_of("a", None, "b")
    canvas.apply(delta(3, (1, "x"), sure=0.25))
    assert canvas.picture().lines(len)[0]["weak"] == [[1, 2, 0.25]]


def test_parts_of_characters_and_carriage_returns_take_no_room() -> None:
    lines = canvas_of("a\r", "\nb", "", "\u00e9").picture().lines(len)
    assert [line["text"] for line in lines] == ["a", "b\u00e9"]
    assert all(start < stop for line in lines for start, stop in line["new"])


@pytest.mark.parametrize(("name", "columns"), [("utf-8", 6), ("utf-16", 3), ("utf-32", 2)])
def test_columns_are_in_the_units_agreed_on(name: str, columns: int) -> None:
    [line] = canvas_of("\U0001f600\u00e9", None).picture().lines(UNITS[name])
    assert line["masks"] == [[columns, columns + UNITS[name](MASK)]]
    assert line["new"] == [[0, columns]]


def test_a_splice_keeps_what_is_fresh_in_its_place() -> None:
    canvas = canvas_of("a", "b", "c")
    canvas.picture()
    canvas.apply(delta(3, (2, "C")))
    canvas.apply(Splice("x", 0, 1, 2, seq=3))
    picture = canvas.picture()
    assert picture.text == f"{MASK}{MASK}bC"
    assert picture.fresh == (False, False, False, True)
    assert picture.seq == 3


def test_a_canvas_that_shrinks_forgets_its_end() -> None:
    canvas = canvas_of("a", "b", None)
    canvas.apply(delta(1))
    assert canvas.picture().text == "a"


@given(CELLS, st.sampled_from(sorted(UNITS)))
def test_frames_are_whole_and_marks_lie_inside(cells: list[Cell], name: str) -> None:
    measure = UNITS[name]
    picture = canvas_of(*cells).picture()
    lines = picture.lines(measure)
    shown = "\n".join(line["text"] for line in lines)
    assert shown == "".join(MASK if cell is None else cell for cell in cells) == picture.text
    masked = 0
    for line in lines:
        for start, stop, *_ in line["masks"] + line["new"] + line.get("weak", []):
            assert 0 <= start < stop <= measure(line["text"])
        masked += sum(stop - start for start, stop in line["masks"])
    assert masked == cells.count(None) * measure(MASK)


@given(st.lists(CELLS, min_size=1, max_size=5))
def test_pictures_do_not_depend_on_which_were_drawn(states: list[list[Cell]]) -> None:
    one, other = Canvas(), Canvas()
    for number, cells in enumerate(states):
        frame = Snap("x", number, tuple(cells), (0.9,) * len(cells), seq=number + 1)
        one.apply(frame)
        other.apply(frame)
        one.picture()
    assert one.picture().text == other.picture().text

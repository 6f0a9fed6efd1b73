"""From places in a picture back to slots."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lsp_server.live.frames import MASK
from lsp_server.live.slots import Refused, carried, lock, pin, slots_at, throw_back
from protocol.cells import Cell, render
from protocol.messages import Pin, Remask
from tests.lsp.live.test_frames import canvas_of


def test_a_whole_word_is_its_slot() -> None:
    picture = canvas_of("return", " a", None).picture()
    assert lock(picture, 6, 8) == Pin(1, 2, " a")
    assert throw_back(picture, 6, 8) == Remask(1, 2)


def test_the_rest_of_a_slot_is_typed_again() -> None:
    picture = canvas_of("self", ".total", None).picture()
    assert pin(picture, 5, 7, "c") == Pin(1, 2, ".ctal")
    assert pin(picture, 2, 5, "x") == Pin(0, 2, "sextotal")


def test_a_place_in_an_older_picture_is_where_its_tokens_are_now() -> None:
    seen = canvas_of(None, " b", None).picture()
    now = canvas_of("long", " b", "c").picture()
    assert carried(seen, now, 1, 3) == (4, 6)
    assert carried(seen, now, 2, 3) == (5, 6)
    assert carried(now, now, 4, 6) == (4, 6)
    for start, stop in ((0, 1), (3, 4), (0, 3)):
        with pytest.raises(Refused, match="changed"):
            carried(seen, now, start, stop)
    with pytest.raises(Refused, match="changed"):
        carried(seen, canvas_of("long", " b", "c", None).picture(), 1, 3)


def test_text_goes_between_slots_and_into_one() -> None:
    picture = canvas_of("ab", "cd").picture()
    assert pin(picture, 2, 2, "x") == Pin(1, 1, "x")
    assert pin(picture, 0, 0, "x") == Pin(0, 0, "x")
    assert pin(picture, 4, 4, "x") == Pin(2, 2, "x")
    assert pin(picture, 3, 3, "x") == Pin(1, 2, "cxd")


def test_text_may_take_the_place_of_masks() -> None:
    picture = canvas_of("a", None, None, "b").picture()
    assert pin(picture, 1, 3, "x") == Pin(1, 3, "x")
    with pytest.raises(Refused, match="locked"):
        lock(picture, 0, 2)
    with pytest.raises(Refused, match="thrown back"):
        throw_back(picture, 1, 3)


def test_slots_behind_the_end_are_left_alone() -> None:
    picture = canvas_of("a", "b", "", "").picture()
    assert pin(picture, 2, 2, "x") == Pin(2, 2, "x")
    assert throw_back(picture, 1, 2) == Remask(1, 2)


def test_a_character_in_two_slots_stays_whole() -> None:
    picture = canvas_of("a", "", "\u00e9", "b").picture()
    assert throw_back(picture, 1, 2) == Remask(0, 3)
    assert pin(picture, 0, 1, "x") == Pin(0, 3, "x\u00e9")
    assert pin(picture, 1, 1, "x") == Pin(0, 3, "ax\u00e9")
    assert pin(picture, 2, 3, "x") == Pin(3, 4, "x")


def test_taking_text_away_throws_its_slots_back() -> None:
    picture = canvas_of("ab", "cd").picture()
    assert pin(picture, 2, 4, "") == Remask(1, 2)
    assert pin(picture, 2, 3, "") == Pin(1, 2, "d")


@pytest.mark.parametrize(("start", "stop"), [(-1, 0), (2, 1), (0, 9)])
def test_places_outside_are_refused(start: int, stop: int) -> None:
    with pytest.raises(Refused, match="last frame"):
        pin(canvas_of("ab").picture(), start, stop, "x")


def test_too_much_text_is_refused() -> None:
    with pytest.raises(Refused, match="characters"):
        pin(canvas_of("ab").picture(), 0, 0, "x" * 5000)


@st.composite
def places(draw: st.DrawFn) -> tuple[list[bytes | None], int, int]:
    """Slots that hold bytes, cut anywhere, some masked; and a place in their picture."""
    pieces: list[bytes | None] = []
    for _ in range(draw(st.integers(1, 3))):
        data = draw(st.text(alphabet="ab\u00e9\u4e2d\U0001f600", max_size=6)).encode()
        cuts = sorted(draw(st.sets(st.integers(0, len(data)), max_size=4)))
        run = [data[a:b] for a, b in zip([0, *cuts], [*cuts, len(data)], strict=True)]
        pieces += [piece for piece in run if piece]
        pieces += [None] * draw(st.integers(0, 2))
    length = sum(1 if cell is None else len(cell) for cell in render(pieces))
    start, stop = sorted(draw(st.tuples(*[st.integers(0, length)] * 2)))
    return pieces, start, stop


@given(places())
def test_what_is_pinned_is_what_would_stand_there(
    case: tuple[list[bytes | None], int, int],
) -> None:
    pieces, start, stop = case
    cells: list[Cell] = render(pieces)
    picture = canvas_of(*cells).picture()
    slots = slots_at(picture, start, stop)
    new = (slots.left + "xy" + slots.right).encode()
    after = render([*pieces[: slots.start], new, *pieces[slots.stop :]])
    shown = "".join(MASK if cell is None else cell for cell in after)
    assert shown == picture.text[:start] + "xy" + picture.text[stop:]

"""From a place in a picture back to the canvas: which slots a person means, and what to ask. Pure.

Slots are whole tokens: what of them lies outside the place is typed again with it.
"""

from dataclasses import dataclass

from lsp_server.live.frames import Picture
from protocol.cells import Cell
from protocol.limits import PIN_LIMIT
from protocol.messages import Pin, Remask


class Refused(Exception):
    """An op can't be done; the message says why."""


@dataclass(frozen=True, slots=True)
class Slots:
    """Slots [start, stop) and the texts in them that lie beside the place that was meant."""

    start: int
    stop: int
    left: str
    right: str


def slots_at(picture: Picture, start: int, stop: int) -> Slots:
    """The slots under characters [start, stop) of a picture; Refused if it has no such place.

    A character of several bytes may begin in the slot before the one that shows it, so such a
    neighbour comes along.
    """
    if not 0 <= start <= stop <= len(picture.text):
        raise Refused("This place is not in the last frame.")
    starts, cells = picture.starts, picture.cells
    first = next((n for n in range(len(cells)) if starts[n + 1] > start), len(cells))
    last = first = _unsplit_left(cells, first)
    while last < len(cells) and starts[last] < stop:
        last += 1
    last = _unsplit_right(cells, last)
    text = picture.text
    return Slots(first, last, text[starts[first] : start], text[stop : starts[last]])


def carried(seen: Picture, now: Picture, start: int, stop: int) -> tuple[int, int]:
    """Where characters [start, stop) of a picture are in a newer one; Refused if others are there.

    Where slots have come or gone between the two, nobody can tell which is which.
    """
    slots = slots_at(seen, start, stop)
    mine = slice(slots.start, slots.stop)
    if len(seen.cells) != len(now.cells) or seen.cells[mine] != now.cells[mine]:
        raise Refused("The canvas has changed here since; choose again.")
    moved = now.starts[slots.start] - seen.starts[slots.start]
    return start + moved, stop + moved


def pin(picture: Picture, start: int, stop: int, text: str) -> Pin | Remask:
    """`text` comes in place of characters [start, stop) and stays."""
    slots = slots_at(picture, start, stop)
    whole = slots.left + text.replace("\r\n", "\n") + slots.right
    if not whole:
        return throw_back(picture, start, stop)
    if len(whole) > PIN_LIMIT:
        raise Refused(f"At most {PIN_LIMIT} characters can be put in at once.")
    return Pin(slots.start, slots.stop, whole)


def throw_back(picture: Picture, start: int, stop: int) -> Remask:
    """The tokens under characters [start, stop) become masks again."""
    slots = slots_at(picture, start, stop)
    if not any(picture.cells[slots.start : slots.stop]):
        raise Refused("There is no text here that could be thrown back.")
    return Remask(slots.start, slots.stop)


def lock(picture: Picture, start: int, stop: int) -> Pin:
    """The tokens under characters [start, stop) stay as they are."""
    slots = slots_at(picture, start, stop)
    cells = picture.cells[slots.start : slots.stop]
    if None in cells or not any(cells):
        raise Refused("Only text that stands can be locked.")
    text = "".join(cell or "" for cell in cells)
    if len(text) > PIN_LIMIT:
        raise Refused(f"At most {PIN_LIMIT} characters can be locked at once.")
    return Pin(slots.start, slots.stop, text)


def _unsplit_left(cells: tuple[Cell, ...], first: int) -> int:
    """Move left over slots that may hold bytes of the character at `first`."""
    while first > 0 and (cells[first - 1] == "" or _is_wide(_shown(cells, first)[:1])):
        if cells[first - 1] is None:
            break
        first -= 1
    return first


def _unsplit_right(cells: tuple[Cell, ...], last: int) -> int:
    """Move right over slots that show a character which may begin left of `last`."""
    while _is_wide(_shown(cells, last)[:1]):
        while not cells[last]:
            last += 1
        last += 1
    return last


def _shown(cells: tuple[Cell, ...], slot: int) -> str:
    """The text at `slot`, or of the slots behind it that complete it; "" before a mask."""
    while slot < len(cells) and cells[slot] == "":
        slot += 1
    return (cells[slot] or "") if slot < len(cells) else ""


def _is_wide(character: str) -> bool:
    return bool(character) and not character.isascii()

"""Text cells: the canvas as text, one cell a slot, safe for tokens that are parts of characters.

A character belongs to the slot that holds its last byte. Bytes that a neighbouring mask may still
complete are held back (the cell shows ""), bytes that nothing can complete show as U+FFFD.
"""

from collections.abc import Sequence

Cell = str | None


def sequence_length(lead: int) -> int:
    """Bytes of the UTF-8 character that starts with byte `lead`; 0 if it can't start one."""
    if lead < 0x80:
        return 1
    if 0xC2 <= lead <= 0xDF:
        return 2
    if 0xE0 <= lead <= 0xEF:
        return 3
    return 4 if 0xF0 <= lead <= 0xF4 else 0


def render(pieces: Sequence[bytes | None]) -> list[Cell]:
    """Cells of a canvas whose slots hold these bytes; None is a mask.

    The joined cells of a canvas without masks equal `b"".join(pieces).decode("utf-8", "replace")`.
    """
    cells: list[Cell] = [None if piece is None else "" for piece in pieces]
    start = 0
    while start < len(pieces):
        if pieces[start] is None:
            start += 1
            continue
        stop = start
        while stop < len(pieces) and pieces[stop] is not None:
            stop += 1
        _render_run(pieces, cells, start, stop)
        start = stop
    return cells


def begun_text(data: bytes) -> str:
    """The text of bytes that may go on: what begins a character at their end is left out."""
    return data[: len(data) - _open_tail(data)].decode("utf-8", "replace")


def _render_run(pieces: Sequence[bytes | None], cells: list[Cell], start: int, stop: int) -> None:
    """Fill the cells of one run of clean slots [start, stop) between masks or canvas ends."""
    data = b"".join(piece for piece in pieces[start:stop] if piece is not None)
    owner = [slot for slot in range(start, stop) for _ in pieces[slot] or b""]
    lo = _continuation_bytes(data) if start > 0 else 0
    hi = len(data) - (_open_tail(data) if stop < len(pieces) else 0)
    at = lo
    while at < hi:
        end = _character_end(data, at, hi)
        slot = owner[end - 1]
        cells[slot] = (cells[slot] or "") + data[at:end].decode("utf-8", "replace")
        at = end


def _continuation_bytes(data: bytes) -> int:
    """Leading bytes that only a mask on the left could turn into a character (at most 3)."""
    count = 0
    while count < min(3, len(data)) and 0x80 <= data[count] <= 0xBF:
        count += 1
    return count


def _open_tail(data: bytes) -> int:
    """Trailing bytes that begin a character which is not complete yet."""
    for back in range(1, min(3, len(data)) + 1):
        need = sequence_length(data[-back])
        if need > back and _is_prefix(data[-back:]):
            return back
        if need:
            return 0
    return 0


def _is_prefix(data: bytes) -> bool:
    """Whether `data` is a proper prefix of some valid UTF-8 character."""
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        return error.reason == "unexpected end of data"
    return False


def _character_end(data: bytes, at: int, hi: int) -> int:
    """End of the character, or of the run that Python replaces as one, that starts at `at`."""
    need = sequence_length(data[at])
    if need and at + need <= hi:
        try:
            data[at : at + need].decode("utf-8")
        except UnicodeDecodeError as error:
            return at + error.end
        return at + need
    try:
        data[at:hi].decode("utf-8")
    except UnicodeDecodeError as error:
        return at + error.end
    return hi


def diff(before: Sequence[Cell], after: Sequence[Cell]) -> list[tuple[int, Cell]]:
    """(slot, cell) for every cell of `after` that `before` doesn't already show."""
    return [
        (slot, cell)
        for slot, cell in enumerate(after)
        if slot >= len(before) or before[slot] != cell
    ]

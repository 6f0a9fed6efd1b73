"""The one frame that is sent often, in its short form: a Delta as an array."""

from msgspec import Struct

from protocol.replies import Delta

FULL = 255


class CellFrame(Struct, frozen=True, array_like=True, tag_field="type", tag="d"):
    """`["d", f, seq, canvas, step, size, slots, cells, confidence]`.

    `f` is the fill's number from `accepted` or `snap`; confidences are 0 to 255, and empty unless
    the client's hello asked for them. Clients ignore further elements.
    """

    f: int
    seq: int
    canvas: int
    step: int
    size: int
    slots: tuple[int, ...]
    cells: tuple[str | None, ...]
    confidence: tuple[int, ...] = ()


def shorten(delta: Delta, f: int, with_confidence: bool) -> CellFrame:
    """The frame that carries `delta`."""
    levels = tuple(round(c * FULL) for c in delta.confidence) if with_confidence else ()
    return CellFrame(
        f, delta.seq, delta.canvas, delta.step, delta.size, delta.slots, delta.cells, levels
    )


def lengthen(frame: CellFrame, fill_id: str) -> Delta:
    """The delta that `frame` carries; confidence is 0 where it was not sent."""
    levels = frame.confidence or (0,) * len(frame.slots)
    confidence = tuple(level / FULL for level in levels)
    return Delta(
        fill_id,
        frame.step,
        frame.size,
        frame.slots,
        frame.cells,
        confidence,
        frame.seq,
        frame.canvas,
    )

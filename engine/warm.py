"""A warm start: cells of an earlier canvas become slots of a new one, as the model's own tokens."""

from collections.abc import Sequence
from itertools import groupby

import numpy as np

from engine.canvas import Canvas, SlotState
from models.tokenizer import Tokenizer
from protocol.errors import ProtocolError

CONFIDENCE = 0.5
"""Of tokens that no pass has looked at in this text."""


def warmed(canvas: Canvas, cells: Sequence[int | None], most: int, only_left: bool) -> Canvas:
    """A canvas with token ids (None is a mask) from the left edge on, and a mask behind if it can.

    An open canvas grows up to `most` slots for them, further ones are dropped. With `only_left`
    what stands right of a mask is dropped, since it would not be seen. ProtocolError if the length
    of the canvas is pinned and they don't fit.
    """
    fixed = np.flatnonzero(canvas.states == SlotState.FIXED)
    if len(fixed) and len(cells) > fixed[0]:
        text = f"These cells are {len(cells)} tokens; the canvas is pinned to {fixed[0]}."
        raise ProtocolError("invalid_message", text, "init")
    made, lacking = canvas.copy(), min(len(cells) + 1, most) - len(canvas)
    if lacking > 0 and not len(fixed):
        made.grow(lacking)
    for slot, token in enumerate(cells[: len(made)]):
        if token is not None:
            made.reveal(np.array([slot]), np.array([token]), CONFIDENCE, 0)
        elif only_left:
            break
    return made


def encoded(cells: Sequence[str | None], required: bytes, tokenizer: Tokenizer) -> list[int | None]:
    """Cells as token ids, behind the bytes that moved in; neighbouring texts are one text.

    Empty if the moved bytes are no whole characters: a warm start only helps.
    """
    try:
        moved = required.decode("utf-8")
    except UnicodeDecodeError:
        return []
    ids: list[int | None] = []
    if moved and (not cells or cells[0] is None):
        ids += [None] * len(tokenizer.encode(moved))
        moved = ""
    for is_text, run in groupby(cells, lambda cell: cell is not None):
        texts = list(run)
        if is_text:
            ids += tokenizer.encode(moved + "".join(text or "" for text in texts))
            moved = ""
        else:
            ids += [None] * len(texts)
    return ids

"""What of a canvas is shown: the bytes of its slots, and the tokens of an answer."""

from collections.abc import Sequence

import numpy as np

from engine.canvas import Canvas, SlotState
from engine.shape.answer import Answer
from protocol.cells import Cell
from protocol.messages import Token


def pieces(canvas: Canvas, table: Sequence[bytes], end: int, given: int) -> list[bytes | None]:
    """Bytes of each slot by the `table` of all ids, None for masks.

    Without the first `given` bytes, which moved in from the prefix, and without what stands right
    of the `end` mark.
    """
    ends = np.flatnonzero(canvas.tokens == end)
    shown: list[bytes | None] = [
        None if state == SlotState.MASKED else table[token]
        for token, state in zip(canvas.tokens.tolist(), canvas.states, strict=True)
    ]
    for slot, piece in enumerate(shown):
        if not given or piece is None:
            break
        shown[slot] = piece[given:]
        given -= min(given, len(piece))
    for slot in range(int(ends[0]), len(shown)) if len(ends) else ():
        shown[slot] = b""
    return shown


def settled_tokens(cells: Sequence[Cell], canvas: Canvas, answer: Answer) -> tuple[Token, ...]:
    """The tokens whose texts join to the answer."""
    tokens = []
    for slot, text in enumerate(answer.pieces([cell or "" for cell in cells])):
        if text:
            confidence = round(float(canvas.confidence[slot]), 4)
            forced = bool(canvas.forced[slot])
            tokens.append(Token(text, confidence, int(canvas.steps[slot]), forced=forced))
    return tuple(tokens)

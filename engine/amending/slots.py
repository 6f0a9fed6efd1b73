"""Ops on the slots of a canvas: throw back, type into it, cut or extend it."""

import numpy as np

from engine.amending.draft import Draft, refused
from engine.canvas import Canvas, SlotState
from engine.making import pinned_canvas
from engine.prompt import check_spelling
from protocol.messages import Pin, Remask, RemaskBelow, Resize


def remask(draft: Draft, op: Remask) -> None:
    """Throw back what was revealed in [start, stop)."""
    start, stop = draft.own(op.start, op.stop)
    draft.throw(list(range(start, stop)))


def remask_below(draft: Draft, op: RemaskBelow) -> None:
    """Throw back what the model was less sure of when it was revealed."""
    draft.throw(np.flatnonzero(draft.canvas.confidence < op.confidence).tolist())


def pin(draft: Draft, op: Pin) -> None:
    """Put a text that a person typed in the place of slots, as tokens of its own.

    Nothing can be typed before the text that moved in from the prefix is spelled.
    """
    start, stop = draft.own(op.start, op.stop)
    required = draft.prompt.required
    if draft.past is None and start < len(required) and not _spells(draft, start):
        raise refused("stale_base", "The text before the hole is not joined yet.")
    check_spelling(draft.tokenizer, op.text, "ops")
    tokens = draft.tokenizer.encode(op.text)
    draft.swap(start, stop, Canvas.fixed(tokens, draft.canvas.mask_id))


def resize(draft: Draft, op: Resize) -> None:
    """Give the canvas so many slots; typed text is not cut off."""
    slots = op.tokens - draft.before
    if slots < 1:
        text = f"{draft.before} tokens are finished; the canvas can't be shorter than that."
        raise refused("invalid_message", text)
    if draft.past is None and not _spells(draft, draft.canvas.settled):
        least = len(draft.prompt.required) + 1
        if slots < least:
            text = f"The text before the hole may need {least} tokens of the canvas."
            raise refused("invalid_message", text)
    if draft.fill.canvas.pinned:
        _move_end(draft, slots)
    elif slots < len(draft.canvas):
        _check_cut(draft.canvas.states[slots:])
        draft.swap(slots, len(draft.canvas), None)
        draft.limit = op.tokens
    else:
        _extend(draft, slots)
        draft.limit = op.tokens


def _extend(draft: Draft, slots: int) -> None:
    """Masks at the right end, up to a block; a text that had ended goes on."""
    if draft.text_end < len(draft.canvas):
        draft.throw([draft.text_end])
    size = len(draft.canvas)
    more = min(slots, draft.block) - size
    if more > 0:
        draft.swap(size, size, Canvas(more, draft.canvas.mask_id))


def _move_end(draft: Draft, slots: int) -> None:
    """A pinned canvas: the end mark stands behind `slots` tokens."""
    size = len(draft.canvas)
    kept = min(draft.text_end, slots)
    _check_cut(draft.canvas.states[kept : draft.text_end])
    frame = pinned_canvas(slots, draft.config)
    draft.swap(kept, size, frame.spliced(0, kept))


def _check_cut(states: np.ndarray[tuple[int], np.dtype[np.uint8]]) -> None:
    if (states == SlotState.FIXED).any():
        raise refused("invalid_message", "Typed text would be cut off.")


def _spells(draft: Draft, stop: int) -> bool:
    """Whether the slots before `stop` are settled and spell all that moved in."""
    if (draft.canvas.states[:stop] == SlotState.MASKED).any():
        return False
    spelled = draft.tokenizer.bytes_of(draft.canvas.tokens[:stop].tolist())
    return spelled.startswith(draft.prompt.required)

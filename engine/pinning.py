"""Text that a person types into a running canvas: it becomes final slots, and the job goes on."""

from copy import copy

from engine.canvas import Canvas, SlotState
from engine.search import Search
from models.tokenizer import Tokenizer
from protocol.errors import ProtocolError
from protocol.messages import CANVAS_LIMIT, Pin


def pin(search: Search, op: Pin, tokenizer: Tokenizer, required: bytes) -> int:
    """Put the text of `op` in the place of its slots, as tokens of its own; returns how many.

    `required` are bytes that the canvas must still spell at its left edge; nothing can be pinned
    before they are. ProtocolError if the slots are not there, or there are several canvases.
    """
    job = search.lead
    tokens = tokenizer.encode(op.text)
    past = 0 if job.past is None else len(job.past)
    start, stop = op.start - past, op.stop - past
    if search.width > 1:
        raise ProtocolError("unsupported", "One of several answers can't be typed into.", "ops")
    if start < 0 or stop > len(job.canvas):
        raise ProtocolError("stale_base", "These slots are not in the running canvas.", "ops")
    if past == 0 and start < len(required) and not _spells(job.canvas, start, required, tokenizer):
        raise ProtocolError("stale_base", "The text before the hole is not joined yet.", "ops")
    if len(job.whole) + len(tokens) - (stop - start) > CANVAS_LIMIT:
        raise ProtocolError("too_large", f"A canvas has at most {CANVAS_LIMIT} tokens.", "ops")
    changed = copy(job.canvas)  # a splice gives it arrays of its own
    changed.splice(start, stop, tokens)
    if job.constraint is not None and not job.constraint.allows(changed, job.room):
        text = "With this text the answer can't keep to the constraint."
        raise ProtocolError("constraint_unsatisfiable", text, "ops")
    job.canvas.splice(start, stop, tokens)
    job.witness = None
    job.limit += len(tokens) - (stop - start) if job.limit else 0
    return len(tokens)


def _spells(canvas: Canvas, stop: int, required: bytes, tokenizer: Tokenizer) -> bool:
    """Whether the slots before `stop` are settled and spell all of `required`."""
    if (canvas.states[:stop] == SlotState.MASKED).any():
        return False
    return tokenizer.bytes_of(canvas.tokens[:stop].tolist()).startswith(required)

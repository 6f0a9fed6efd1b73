"""Ops on the text around a canvas: a part of it was accepted, or what stands beside it changed."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import accumulate

import numpy as np
from msgspec.structs import replace

from engine.amending.draft import Draft, Move, refused
from engine.canvas import Canvas, SlotState
from engine.hole import Hole
from engine.policies import ReadingKind
from engine.prompt import Prompt
from protocol.limits import PREFIX_LIMIT, SUFFIX_LIMIT
from protocol.messages import Advance, ContextChange, Fill
from protocol.units import characters, length
from protocol.values import Encoding


@dataclass(frozen=True, slots=True)
class Surroundings:
    """How a session sees a text: the shape of a fill's hole, and the prompt of a hole."""

    shape: Callable[[Fill], Hole]
    prompt: Callable[[Fill, Hole], Prompt]


def advance(draft: Draft, op: Advance, around: Surroundings, encoding: Encoding) -> None:
    """Let the first characters of the canvas become a part of the prefix."""
    data = b"".join(draft.settled_pieces())
    required = draft.prompt.required
    text = _readable(data[len(required) :]) if data.startswith(required) else ""
    count = characters(text, op.chars, encoding)
    if count is None:
        raise refused("stale_base", "These characters of the canvas have not settled.")
    if not count:
        return
    draft.hole = draft.hole.after(text[:count])
    draft.prompt = around.prompt(draft.fill, draft.hole)
    _rebase(draft, data, len(required) + len(text[:count].encode()))


def change_context(
    draft: Draft, op: ContextChange, around: Surroundings, encoding: Encoding
) -> None:
    """Take over what changed beside the hole; accepted text counts as prefix by now."""
    taken = draft.hole.given.replace("\n", draft.hole.newline)
    prefix, suffix = draft.fill.prefix + taken, draft.fill.suffix
    kept = characters(prefix, length(prefix, encoding) - op.prefix_drop, encoding)
    gone = characters(suffix, op.suffix_drop, encoding)
    if op.prefix_drop > length(prefix, encoding) or kept is None or gone is None:
        raise refused("invalid_message", "There is not so much text beside the hole to drop.")
    draft.fill = replace(
        draft.fill,
        prefix=(prefix[:kept] + op.prefix_add)[-PREFIX_LIMIT:],
        suffix=(op.suffix_add + suffix[gone:])[:SUFFIX_LIMIT],
    )
    data, required = b"".join(draft.settled_pieces()), draft.prompt.required
    draft.hole = around.shape(draft.fill)
    draft.prompt = around.prompt(draft.fill, draft.hole)
    if data.startswith(required):
        _rebase(draft, data, len(required))
    else:
        _begin_anew(draft)
    if prefix != draft.fill.prefix and draft.reading is not ReadingKind.CANVAS:
        draft.throw(list(range(len(draft.canvas))))


def _readable(data: bytes) -> str:
    """The text that bytes begin with, up to what is no character, or not yet."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        return data[: error.start].decode("utf-8")


def _rebase(draft: Draft, data: bytes, at: int) -> None:
    """Let the canvas spell what moves in now, and go on with what it says behind byte `at`.

    `data` is what it spells so far, from its left edge. Tokens across the edge are encoded anew;
    where that can't be done what had settled is thrown away.
    """
    draft.resettled = True
    required = draft.prompt.required
    starts = [0, *accumulate(map(len, draft.settled_pieces()))]
    start = at - len(required)
    if start in starts and data[start:at] == required:
        _put(draft, starts.index(start), None)
        return
    for slot, byte in enumerate(starts):
        tokens = _encoded(draft, required + data[at:byte]) if byte >= at else None
        if tokens is not None:
            _put(draft, slot, _given(draft, tokens, slot, byte > at))
            return
    _begin_anew(draft)


def _begin_anew(draft: Draft) -> None:
    """Throw away what had settled; there must be masks for the text that moves in."""
    draft.resettled = True
    settled = len(draft.settled_pieces())
    masked = draft.whole.states[settled:] == SlotState.MASKED
    run = len(masked) if masked.all() else int(np.argmin(masked))
    lacking = len(draft.prompt.required) + 1 - run
    _put(draft, settled, Canvas(lacking, draft.canvas.mask_id) if lacking > 0 else None)


def _encoded(draft: Draft, data: bytes) -> list[int] | None:
    """Tokens of bytes; None if they are no whole characters."""
    try:
        return draft.tokenizer.encode(data.decode("utf-8"))
    except UnicodeDecodeError:
        return None


def _given(draft: Draft, tokens: list[int], slot: int, is_cut: bool) -> Canvas | None:
    """Slots of text that is given, or that is the rest of the model's token before `slot`."""
    if not tokens:
        return None
    whole = draft.whole
    if not is_cut or whole.states[slot - 1] == SlotState.FIXED:
        return Canvas.fixed(tokens, whole.mask_id)
    made = Canvas(len(tokens), whole.mask_id)
    sure, step = float(whole.confidence[slot - 1]), int(whole.steps[slot - 1])
    made.reveal(np.arange(len(tokens)), np.array(tokens), sure, step)
    return made


def _put(draft: Draft, stop: int, other: Canvas | None) -> None:
    """Put slots in the place of the first `stop` ones, finished blocks included."""
    insert = 0 if other is None else len(other)
    if stop == insert == 0:
        return
    if draft.past is not None and stop < len(draft.past):
        draft.past = draft.past.spliced(0, stop, other)
    else:
        stop_here = stop - draft.before
        draft.past = None
        if other is None and stop_here == len(draft.canvas):
            other, insert = Canvas(1, draft.canvas.mask_id), 1
        draft.canvas = draft.canvas.spliced(0, stop_here, other)
    if draft.limit:
        draft.limit = max(draft.limit + insert - stop, len(draft.whole))
    draft.moves.append(Move(0, stop, insert))

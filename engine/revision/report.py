"""What is shown of a revision: text cells while it runs, tokens with their reasons at its end."""

from collections.abc import Sequence

from engine.revision.refine import MAX_TRIES, RefinePlan, allowance
from engine.revision.slots import Slot, Slots
from protocol.cells import Cell, render
from protocol.messages import Token

Piece = tuple[bytes | None, float]
"""Bytes of a slot, None for a mask, and how sure the model is of it."""


def cells_of(pieces: Sequence[Piece], moved: int) -> list[tuple[Cell, float]]:
    """Text cells with confidences; the first `moved` bytes belong to the prefix."""
    cells = render(_cut([data for data, _ in pieces], moved))
    return [(cell, sure) for cell, (_, sure) in zip(cells, pieces, strict=True)]


def tokens_of(
    slots: Slots, table: Sequence[bytes], moved: int, plan: RefinePlan
) -> tuple[Token, ...]:
    """The tokens whose texts join to the answer, each with its scores and what became of it."""
    cells = render(_cut([table[slot.token] for slot in slots], moved))
    spent = sum(slot.changed for slot in slots) >= allowance(slots, plan.strength)
    return tuple(
        Token(
            text=cell or "",
            confidence=round(1.0 if slot.then is None else slot.then, 6),
            step=0,
            now=None if slot.now is None else round(slot.now, 6),
            revised_from=None if slot.was is None else slot.was.decode("utf-8", "replace"),
            locked=slot.locked,
            why=reason(slot, plan, spent),
        )
        for slot, cell in zip(slots, cells, strict=True)
    )


def reason(slot: Slot, plan: RefinePlan, spent: bool) -> str:
    """Why a token stands as it does, in a few words."""
    if slot.locked:
        return "locked"
    if slot.changed:
        return "changed: the text became likelier"
    if slot.tries:
        return "kept: nothing better found" + (", tried enough" if slot.tries >= MAX_TRIES else "")
    if slot.now is None or slot.now >= plan.doubt:
        return "kept: likely"
    return "kept: the strength allows no more" if spent else "kept: not tried"


def _cut(pieces: Sequence[bytes | None], moved: int) -> list[bytes | None]:
    """The pieces without the first `moved` bytes."""
    shown: list[bytes | None] = []
    for piece in pieces:
        taken = 0 if piece is None else min(moved, len(piece))
        shown.append(piece if piece is None else piece[taken:])
        moved -= taken
    return shown

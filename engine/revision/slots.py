"""The tokens of a text under revision, each with where it comes from. No model, no context."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

Spell = Callable[[int], bytes]


@dataclass(frozen=True, slots=True)
class Slot:
    """One token that stands.

    Attributes:
        token: its id.
        locked: it may not change.
        prose: it belongs to a comment or a string of several words.
        was: the old text it stands for, where that differs; b"" beside a neighbour that has it all.
        then: probability of the old token in the old text.
        now: probability of this token in the text as it is.
        tries: how often it was remasked.
    """

    token: int
    locked: bool = False
    prose: bool = False
    was: bytes | None = None
    then: float | None = None
    now: float | None = None
    tries: int = 0

    @property
    def changed(self) -> bool:
        """Whether it differs from the old text."""
        return self.was is not None


Slots = tuple[Slot, ...]


def ids_of(slots: Sequence[Slot]) -> tuple[int, ...]:
    """The tokens alone."""
    return tuple(slot.token for slot in slots)


def spliced(slots: Slots, start: int, stop: int, ids: Sequence[int], spell: Spell) -> Slots:
    """`slots` with `ids` in place of [start, stop); equal tokens at both ends stay as they are."""
    new = list(ids)
    while start < stop and new and slots[start].token == new[0]:
        start, new = start + 1, new[1:]
    while start < stop and new and slots[stop - 1].token == new[-1]:
        stop, new = stop - 1, new[:-1]
    if not new and start < stop:  # a pure deletion: the neighbour tells of it
        stop, new = (stop + 1, [slots[stop].token]) if stop < len(slots) else (stop, new)
        if not new and start > 0:
            start, new = start - 1, [slots[start - 1].token]
    old = slots[start:stop]
    if len(new) == len(old):
        middle = [_swapped(slot, token, spell) for slot, token in zip(old, new, strict=True)]
    else:
        middle = _rewritten(old, new, spell)
    return (*slots[:start], *middle, *slots[stop:])


def tried(slots: Slots, chosen: Sequence[int]) -> Slots:
    """The same text, with one try more at the chosen slots."""
    marks = set(chosen)
    return tuple(
        replace(slot, tries=slot.tries + 1) if place in marks else slot
        for place, slot in enumerate(slots)
    )


def _swapped(slot: Slot, token: int, spell: Spell) -> Slot:
    if token == slot.token:
        return slot
    was = spell(slot.token) if slot.was is None else slot.was
    return replace(slot, token=token, was=None if was == spell(token) else was, now=None)


def _rewritten(old: Slots, new: Sequence[int], spell: Spell) -> list[Slot]:
    """New tokens for a run of another length; the first of them stands for the old text."""
    was = b"".join(spell(slot.token) if slot.was is None else slot.was for slot in old)
    then = min((slot.then for slot in old if slot.then is not None), default=None)
    tries = max((slot.tries for slot in old), default=0)
    locked, prose = any(slot.locked for slot in old), any(slot.prose for slot in old)
    return [
        Slot(token, locked, prose, was if place == 0 else b"", then, None, tries)
        for place, token in enumerate(new)
    ]

"""The canvas: token slots of one hole. State is kept in its own array, never told from an id."""

from collections.abc import Sequence
from enum import IntEnum

import numpy as np
import numpy.typing as npt

Slots = npt.NDArray[np.int64]
ARRAYS = ("tokens", "states", "confidence", "steps", "forced")


class SlotState(IntEnum):
    """What a slot is: text that was given, a mask, or a token the model put there."""

    FIXED = 0
    MASKED = 1
    REVEALED = 2


class Canvas:
    """L slots; `reveal` and `remask` are the only ways to change one, `grow` adds masks behind.

    Attributes:
        tokens [L]: the id in each slot; the mask id where masked.
        states [L]: SlotState of each slot.
        confidence [L]: probability at the time of the reveal; 1 for fixed slots, 0 for masks.
        steps [L]: the step that revealed the slot, 0 for fixed slots and masks.
        forced [L]: a constraint ruled out what the model would have put there.
    """

    def __init__(self, slots: int, mask_id: int) -> None:
        if slots < 1:
            raise ValueError("a canvas has at least one slot")
        self.mask_id = mask_id
        self.tokens = np.full(slots, mask_id, dtype=np.int64)
        self.states = np.full(slots, SlotState.MASKED, dtype=np.uint8)
        self.confidence = np.zeros(slots, dtype=np.float32)
        self.steps = np.zeros(slots, dtype=np.int32)
        self.forced = np.zeros(slots, dtype=np.bool_)

    def __len__(self) -> int:
        return len(self.tokens)

    @classmethod
    def fixed(cls, tokens: Sequence[int], mask_id: int) -> "Canvas":
        """A canvas of final tokens, at least one."""
        made = cls(len(tokens), mask_id)
        for slot, token in enumerate(tokens):
            made.fix(slot, token)
        return made

    @property
    def masked(self) -> Slots:
        """Masked slots, ascending."""
        return np.flatnonzero(self.states == SlotState.MASKED)

    @property
    def settled(self) -> int:
        """Slots left of the first mask."""
        masked = self.masked
        return int(masked[0]) if len(masked) else len(self)

    def fix(self, slot: int, token: int) -> None:
        """Give a masked slot its final token; it can never be remasked."""
        self._require(np.array([slot]), SlotState.MASKED, "fixed")
        self.tokens[slot], self.states[slot], self.confidence[slot] = token, SlotState.FIXED, 1.0

    def reveal(
        self,
        slots: Slots,
        tokens: Slots,
        confidence: npt.ArrayLike,
        step: int,
        forced: npt.ArrayLike = False,
    ) -> None:
        """Put tokens into masked slots."""
        self._require(slots, SlotState.MASKED, "revealed")
        self.forced[slots] = forced
        self.tokens[slots] = tokens
        self.states[slots] = SlotState.REVEALED
        self.confidence[slots] = confidence
        self.steps[slots] = step

    def remask(self, slots: Slots) -> None:
        """Make revealed slots masks again."""
        self._require(slots, SlotState.REVEALED, "remasked")
        self.tokens[slots] = self.mask_id
        self.states[slots] = SlotState.MASKED
        self.confidence[slots] = 0.0
        self.steps[slots] = 0
        self.forced[slots] = False

    def fork(self, slot: int, token: int, confidence: float, step: int) -> "Canvas":
        """A canvas that says `token` at a revealed `slot`, with masks behind it.

        Fixed slots stay; what stands left of `slot` stays too.
        """
        other = self.copy()
        behind = np.flatnonzero(self.states == SlotState.REVEALED)
        other.remask(behind[behind >= slot])
        other.reveal(np.array([slot]), np.array([token]), confidence, step)
        return other

    def grow(self, slots: int) -> None:
        """Add masks at the right end."""
        joined = self.followed_by(Canvas(slots, self.mask_id))
        for name in ARRAYS:
            setattr(self, name, getattr(joined, name))

    def spliced(self, start: int, stop: int, other: "Canvas | None" = None) -> "Canvas":
        """A copy with the slots of `other`, or none, in the place of [start, stop).

        ValueError if that is not inside, or nothing would be left.
        """
        if not 0 <= start <= stop <= len(self):
            raise ValueError("a splice lies inside the canvas")
        middle = [] if other is None else [other]
        size = len(self) - (stop - start) + sum(map(len, middle))
        made = Canvas(size, self.mask_id)
        for name in ARRAYS:
            old = getattr(self, name)
            new = [getattr(canvas, name) for canvas in middle]
            setattr(made, name, np.concatenate([old[:start], *new, old[stop:]]))
        return made

    def copy(self) -> "Canvas":
        """The same slots, apart from these."""
        return self.spliced(0, 0)

    def followed_by(self, other: "Canvas") -> "Canvas":
        """A canvas with the slots of both."""
        joined = Canvas(len(self) + len(other), self.mask_id)
        for name in ARRAYS:
            setattr(joined, name, np.concatenate([getattr(self, name), getattr(other, name)]))
        return joined

    def _require(self, slots: Slots, state: SlotState, verb: str) -> None:
        if len(np.unique(slots)) != len(slots) or (self.states[slots] != state).any():
            raise ValueError(f"only {state.name.lower()} slots can be {verb}, each once")

"""The canvas as a state machine: what may become what, and what never changes."""

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from engine.canvas import Canvas, SlotState

MASK = 16


class CanvasMachine(RuleBasedStateMachine):
    """Random fix / reveal / remask / grow against a plain list of what each slot should be."""

    @initialize(size=st.integers(1, 12))
    def start(self, size: int) -> None:
        self.canvas = Canvas(size, MASK)
        self.model: list[tuple[SlotState, int]] = [(SlotState.MASKED, MASK)] * size

    @rule(data=st.data(), token=st.integers(17, 99))
    def fix(self, data: st.DataObject, token: int) -> None:
        slot = data.draw(st.integers(0, len(self.canvas) - 1))
        if self.model[slot][0] != SlotState.MASKED:
            with pytest.raises(ValueError, match="can be fixed"):
                self.canvas.fix(slot, token)
            return
        self.canvas.fix(slot, token)
        self.model[slot] = (SlotState.FIXED, token)

    @rule(data=st.data(), reveal=st.booleans())
    def change(self, data: st.DataObject, reveal: bool) -> None:
        slots = data.draw(st.lists(st.integers(0, len(self.canvas) - 1), max_size=4))
        before = SlotState.MASKED if reveal else SlotState.REVEALED
        legal = len(set(slots)) == len(slots) and all(self.model[s][0] == before for s in slots)
        chosen = np.array(slots, dtype=np.int64)
        act = (
            (lambda: self.canvas.reveal(chosen, chosen + 20, 0.5, 3))
            if reveal
            else (lambda: self.canvas.remask(chosen))
        )
        if not legal:
            with pytest.raises(ValueError, match="each once"):
                act()
            return
        act()
        for slot in slots:
            after = (SlotState.REVEALED, slot + 20) if reveal else (SlotState.MASKED, MASK)
            self.model[slot] = after

    @rule(slots=st.integers(1, 4))
    def grow(self, slots: int) -> None:
        self.canvas.grow(slots)
        self.model += [(SlotState.MASKED, MASK)] * slots

    @invariant()
    def agrees(self) -> None:
        states = [SlotState(state) for state in self.canvas.states]
        assert list(zip(states, self.canvas.tokens.tolist(), strict=True)) == self.model
        masked = [i for i, (state, _) in enumerate(self.model) if state == SlotState.MASKED]
        assert self.canvas.masked.tolist() == masked
        assert self.canvas.settled == (masked[0] if masked else len(self.model))
        assert all(self.canvas.confidence[i] == 0 for i in masked)


TestCanvas = CanvasMachine.TestCase
TestCanvas.settings = settings(max_examples=60, stateful_step_count=25, deadline=None)


def test_an_empty_canvas_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one"):
        Canvas(0, MASK)

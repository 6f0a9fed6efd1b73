"""Healing of the left edge: the first bytes of a hole must spell what was moved into it."""

import numpy as np
import numpy.typing as npt

from engine.canvas import Canvas, SlotState
from engine.constraints.healing import HealingAutomaton
from engine.constraints.prefix_index import PrefixIndex
from engine.job import Job, Narrowed, Unsatisfiable

Ids = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float32]


class Boundary:
    """A Constraint: the canvas begins with the bytes `required`, then anything goes.

    Only tokens of one accepting path are proposed, so any subset of them stays completable.
    """

    def __init__(self, index: PrefixIndex, required: bytes) -> None:
        self._automaton = HealingAutomaton(index, required)

    draws = False

    def reach(self, slots: Ids, canvas: Canvas) -> int:
        """Masked slots among the first len(required) slots, or none once they are spelled."""
        spell = self._automaton.done
        if self._spelled(canvas) == spell:
            return 0
        return int(np.searchsorted(slots, spell))

    def given(self, job: Job) -> None:
        """The model is always asked."""
        return None

    def allows(self, canvas: Canvas, room: int) -> bool:
        """Whether the masks leave room to spell what moved in."""
        known = np.where(canvas.states == SlotState.MASKED, -1, canvas.tokens)
        return self._automaton.feasible(np.append(known, np.full(room, -1)))

    def completed(self, job: Job) -> None:
        """What settled is the answer: nothing has to stand behind the edge."""
        return None

    def behind(self, canvas: Canvas) -> None:
        """A full canvas has spelled all that was asked."""
        return None

    def narrow(self, scores: Floats, slots: Ids, job: Job) -> Narrowed:
        """See engine.job.Constraint."""
        tokens, confidence = self._path(scores, slots, job.canvas)
        zeros = np.zeros(len(tokens), np.float32)
        return Narrowed(tokens, confidence, zeros > 0, tokens, zeros)

    def _path(self, scores: Floats, slots: Ids, canvas: Canvas) -> tuple[Ids, Floats]:
        masked = canvas.masked
        masked = masked[masked < self._automaton.done]
        if len(slots) < len(masked):
            return self._next(scores, slots, canvas)
        width = min(len(canvas), self._automaton.done)
        table = np.full((width, scores.shape[1]), -np.inf, dtype=np.float32)
        table[slots] = scores
        known = canvas.states[:width] != SlotState.MASKED
        fixed = np.where(known, canvas.tokens[:width], -1)
        path = self._automaton.best_path(table, fixed)
        if path is None:
            raise Unsatisfiable("the canvas is too short for the text moved into it")
        tokens = path.tokens[slots]
        confidence = [
            self._share(table[slot], int(path.states[slot]), int(path.tokens[slot]))
            for slot in slots
        ]
        return tokens, np.array(confidence, dtype=np.float32)

    def _next(self, scores: Floats, slots: Ids, canvas: Canvas) -> tuple[Ids, Floats]:
        """Only the first mask has scores (causal reading): the best token that fits there.

        It leaves enough masks for the rest of what must be spelled.
        """
        state = self._spelled(canvas)
        room = int(np.argmin(np.append(np.diff(canvas.masked) == 1, False))) + 1
        allowed = self._automaton.fitting(state, room)
        if not len(allowed):
            raise Unsatisfiable("no token spells the text moved into the canvas")
        token = int(allowed[np.argmax(scores[0][allowed])])
        share = self._share(scores[0], state, token)
        return np.array([token]), np.array([share], dtype=np.float32)

    def _spelled(self, canvas: Canvas) -> int:
        """Required bytes that the settled slots spell."""
        state = self._automaton.start
        for token in canvas.tokens[: canvas.settled]:
            if state == self._automaton.done:
                break
            state = self._automaton.advance(state, int(token))
        return state

    def _share(self, row: Floats, state: int, token: int) -> float:
        """The token's probability among those allowed in `state`."""
        if state == self._automaton.done:
            return float(np.exp(row[token]))
        among = row[self._automaton.allowed(state)]
        return float(np.exp(row[token] - among.max()) / np.exp(among - among.max()).sum())

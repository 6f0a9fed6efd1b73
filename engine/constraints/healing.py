"""Owns boundary healing: the first bytes of a hole must spell given bytes, then anything goes."""

from dataclasses import dataclass
from functools import cached_property
from math import inf

import numpy as np
import numpy.typing as npt

from engine.constraints.prefix_index import Ids, PrefixIndex

Floats = npt.NDArray[np.floating]

MAX_REQUIRED_BYTES = 1024


@dataclass(frozen=True, slots=True)
class HealingPath:
    """One accepting filling of a canvas: the witness; any subset of it may be revealed."""

    tokens: npt.NDArray[np.int64]  # [L]
    states: npt.NDArray[np.int64]  # [L + 1], required bytes spelled before each slot
    log_prob: float  # sum over the slots that were not fixed


class HealingAutomaton:
    """Accepts token sequences whose bytes start with `required`.

    A state is the number of required bytes already spelled; state `done` allows every token.
    A token fits in state k if its bytes start with required[k:] or required[k:] starts with them.
    Raises ValueError if `required` is longer than `MAX_REQUIRED_BYTES`.
    """

    start = 0

    def __init__(self, index: PrefixIndex, required: bytes) -> None:
        if len(required) > MAX_REQUIRED_BYTES:
            raise ValueError(f"a hole can be asked to spell at most {MAX_REQUIRED_BYTES} bytes")
        self.required = required
        self.done = len(required)
        self._index = index
        self._everything = np.arange(index.size, dtype=np.int64)
        self._moves: dict[int, list[tuple[int, Ids]]] = {}

    def allowed(self, state: int) -> Ids:
        """Ids, ascending, of the tokens that fit in `state`."""
        if state == self.done:
            return self._everything
        moves = self._moves_from(state)
        return np.sort(np.concatenate([np.empty(0, np.int64), *(ids for _, ids in moves)]))

    def fitting(self, state: int, room: int) -> Ids:
        """Ids, ascending, of the tokens in `state` after which the rest fits into `room` - 1 slots.

        All that are allowed if none does.
        """
        if state == self.done:
            return self._everything
        moves = [ids for after, ids in self._moves_from(state) if self._least[after] < room]
        return np.sort(np.concatenate(moves)) if moves else self.allowed(state)

    @cached_property
    def _least(self) -> list[float]:
        """For each state the fewest tokens that spell the rest; infinite where none do."""
        least = [0.0] * (self.done + 1)
        for state in range(self.done - 1, -1, -1):
            ways = (least[after] for after, _ in self._moves_from(state))
            least[state] = 1 + min(ways, default=inf)
        return least

    def advance(self, state: int, token: int) -> int:
        """The state after `token`; raises ValueError if it does not fit."""
        if state == self.done:
            return state
        text, rest = self._index.bytes_of(token), self.required[state:]
        if text is not None and text.startswith(rest):
            return self.done
        if text is not None and rest.startswith(text):
            return state + len(text)
        raise ValueError(f"token {token} does not spell {rest!r}")

    def feasible(self, fixed: npt.NDArray[np.integer]) -> bool:
        """Whether a canvas can be filled so that it is accepted; `fixed` as in `best_path`."""
        states = {self.start}
        for token in fixed.tolist():
            if self.done in states:
                break
            states = {after for state in states for after in self._after(state, token)}
        return self.done in states

    def best_path(self, log_probs: Floats, fixed: npt.NDArray[np.integer]) -> HealingPath | None:
        """The most probable accepting filling of a canvas (Viterbi), or None if there is none.

        `log_probs` [L, V]; `fixed` [L] holds a token id, or -1 where the slot is open. Ties go to
        the lower id. Rows of fixed slots are not read.
        """
        if len(fixed) != len(log_probs):
            raise ValueError("one entry of `fixed` is needed for each row of `log_probs`")
        spell = min(len(fixed), self.done)
        ends = self._spell(log_probs[:spell], fixed[:spell])
        if self.done not in ends[spell]:
            return None
        tokens, states = self._walk_back(ends)
        free = _argmax_rows(log_probs[spell:], fixed[spell:])
        tail = float(np.sum(free.log_probs)) if len(free.tokens) else 0.0
        return HealingPath(
            tokens=np.concatenate([tokens, free.tokens]),
            states=np.concatenate([states, np.full(len(free.tokens), self.done, np.int64)]),
            log_prob=ends[spell][self.done].score + tail,
        )

    def _moves_from(self, state: int) -> list[tuple[int, Ids]]:
        """(next state, ids) groups of a state that is not `done`."""
        if state not in self._moves:
            rest = self.required[state:]
            shorter = [
                (state + n, self._index.equal_to(rest[:n]))
                for n in range(1, min(len(rest), self._index.longest + 1))
            ]
            groups = [*shorter, (self.done, self._index.starting_with(rest))]
            self._moves[state] = [(after, ids) for after, ids in groups if len(ids)]
        return self._moves[state]

    def _after(self, state: int, token: int) -> list[int]:
        """The states that may follow one that is not `done`; any token may come if it is -1."""
        if token < 0:
            return [after for after, _ in self._moves_from(state)]
        try:
            return [self.advance(state, token)]
        except ValueError:
            return []

    def _spell(
        self, log_probs: Floats, fixed: npt.NDArray[np.integer]
    ) -> list[dict[int, "_Arrival"]]:
        """Best arrival in each state after 0, 1, ... slots."""
        layers = [{self.start: _Arrival(0.0, -1, -1)}]
        for row, token in zip(log_probs, fixed, strict=True):
            layer: dict[int, _Arrival] = {}
            for state, arrival in layers[-1].items():
                for after, step, score in self._steps(state, row, int(token)):
                    total = arrival.score + score
                    if after not in layer or total > layer[after].score:
                        layer[after] = _Arrival(total, step, state)
            layers.append(layer)
        return layers

    def _steps(self, state: int, row: Floats, fixed: int) -> list[tuple[int, int, float]]:
        """(next state, token, log-probability) of the best token for each next state."""
        if fixed >= 0:
            try:
                return [(self.advance(state, fixed), fixed, 0.0)]
            except ValueError:
                return []
        if state == self.done:
            best = int(np.argmax(row))
            return [(state, best, float(row[best]))]
        steps = []
        for after, ids in self._moves_from(state):
            best = int(ids[np.argmax(row[ids])])
            steps.append((after, best, float(row[best])))
        return [step for step in steps if step[2] > -np.inf]

    def _walk_back(
        self, layers: list[dict[int, "_Arrival"]]
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        tokens = np.empty(len(layers) - 1, np.int64)
        states = np.empty(len(layers), np.int64)
        states[-1] = self.done
        for slot in range(len(layers) - 1, 0, -1):
            arrival = layers[slot][int(states[slot])]
            tokens[slot - 1] = arrival.token
            states[slot - 1] = arrival.before
        return tokens, states


@dataclass(frozen=True, slots=True)
class _Arrival:
    score: float
    token: int
    before: int


@dataclass(frozen=True, slots=True)
class _Rows:
    tokens: npt.NDArray[np.int64]
    log_probs: npt.NDArray[np.float64]


def _argmax_rows(log_probs: Floats, fixed: npt.NDArray[np.integer]) -> _Rows:
    """Best token of each row, or the fixed one at log-probability 0."""
    tokens = np.asarray(fixed, dtype=np.int64).copy()
    scores = np.zeros(len(tokens), np.float64)
    for slot in np.flatnonzero(tokens < 0):
        tokens[slot] = int(np.argmax(log_probs[slot]))
        scores[slot] = log_probs[slot, tokens[slot]]
    return _Rows(tokens, scores)

"""Owns the scans over a canvas: forward and backward masses, reachability, best scores.

States come twice: row 0 is inside a hole, row 1 behind its end token, where only padding follows.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from engine.constraints.mass import ClassMass
from engine.constraints.token_dfa import TokenDFA

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Slots:
    """A canvas as the scans see it: where it starts, where it may end, and its masses.

    `final` [2, S], inside the hole and behind its end token.
    """

    start: int
    final: Bools
    mass: ClassMass

    @property
    def length(self) -> int:
        """Number of slots."""
        return len(self.mass.fixed)


@dataclass(frozen=True, slots=True)
class Messages:
    """Scaled messages: `forward`, `backward` [L + 1, 2, S] in front of slot i; `moves` [L, U] mass
    of each class set; `log_total` = log P(valid)."""

    forward: Floats
    backward: Floats
    moves: Floats
    log_total: float


class Scan:
    """The scans for one token automaton, with its pairs sorted both ways.

    `useful` [P] says which pairs can matter; the others are left out.
    """

    def __init__(self, dfa: TokenDFA, useful: Bools) -> None:
        self.states = dfa.states
        kept = useful if useful.any() else slice(None)
        self.source = dfa.pair_from[kept].astype(np.int64)
        self.target = dfa.pair_to[kept].astype(np.int64)
        self.set_of = dfa.pair_set[kept].astype(np.int64)
        self._set_first = dfa.set_starts[:-1].astype(np.int64)
        self.set_starts = dfa.set_starts
        self.set_classes = dfa.set_classes.astype(np.int64)
        # Pairs stand sorted by target, so maxima over arrivals are taken run by run.
        self._run_first = np.flatnonzero(np.diff(self.target, prepend=-1))
        self._run_target = self.target[self._run_first]
        self.by_source = np.argsort(self.source, kind="stable")
        self.source_starts = np.searchsorted(
            self.source[self.by_source], np.arange(self.states + 1)
        )
        self.target_starts = np.searchsorted(self.target, np.arange(self.states + 1))

    def set_sums(self, total: Floats) -> Floats:
        """[L, U] mass of each class set from masses [L, C + 2]."""
        if not len(total):
            return np.zeros((0, len(self._set_first)))
        picked = np.ascontiguousarray(total.T)[self.set_classes]
        return np.ascontiguousarray(np.add.reduceat(picked, self._set_first, axis=0).T)

    def set_maxima(self, best: Floats) -> Floats:
        """[L, U] best log-probability within each class set."""
        if not len(best):
            return np.zeros((0, len(self._set_first)))
        picked = np.ascontiguousarray(best.T)[self.set_classes]
        return np.ascontiguousarray(np.maximum.reduceat(picked, self._set_first, axis=0).T)

    def messages(self, slots: Slots) -> Messages | None:
        """Forward and backward masses, or None if no completion has any mass."""
        moves = self.set_sums(slots.mass.total)
        backward = self._backward(slots, moves)
        found = self._forward(slots, moves, None)
        if found is None or backward is None or not backward[0, 0, slots.start] > 0.0:
            # Masses that differ by hundreds of orders of magnitude: keep to states that can win.
            live = self.reach(slots)
            if not live[0, 0, slots.start]:
                return None
            found = self._forward(slots, moves, live)
            backward = self._backward(slots, moves, found[0] > 0 if found else None)
        if found is None or backward is None:
            return None
        forward, log_total = found
        return Messages(forward, backward, moves, log_total)

    def _forward(
        self, slots: Slots, moves: Floats, live: Bools | None
    ) -> tuple[Floats, float] | None:
        mass, reducer = slots.mass.total, slots.mass.reducer
        at = np.zeros((2, self.states))
        at[0, slots.start] = 1.0
        forward = np.empty((slots.length + 1, 2, self.states))
        forward[0], log_total = at, 0.0
        for i in range(slots.length):
            end, pad = mass[i, reducer.end :]
            weight = at[0].take(self.source) * moves[i].take(self.set_of)
            inside = np.bincount(self.target, weight, self.states)
            after = np.stack([inside, pad * at[1] + end * at[0]])
            if live is not None:
                after *= live[i + 1]
            scale = float(after.sum())
            if not scale > 0.0:
                return None
            at = forward[i + 1] = after / scale
            log_total += float(np.log(scale))
        valid = float((at * slots.final).sum())
        return (forward, log_total + float(np.log(valid))) if valid > 0.0 else None

    def _backward(self, slots: Slots, moves: Floats, live: Bools | None = None) -> Floats | None:
        mass, reducer = slots.mass.total, slots.mass.reducer
        at = slots.final.astype(np.float64)
        backward = np.empty((slots.length + 1, 2, self.states))
        backward[-1] = at
        for i in reversed(range(slots.length)):
            end, pad = mass[i, reducer.end :]
            weight = at[0].take(self.target) * moves[i].take(self.set_of)
            inside = np.bincount(self.source, weight, self.states) + end * at[1]
            before = np.stack([inside, pad * at[1]])
            if live is not None:
                before *= live[i]
            scale = float(before.sum())
            if not scale > 0.0:
                return None
            at = backward[i] = before / scale
        return backward

    def reach(self, slots: Slots) -> Bools:
        """[L + 1, 2, S] whether a state before slot i can still lead to acceptance."""
        mass, reducer = slots.mass.total > 0, slots.mass.reducer
        moves = self.set_sums(mass.astype(np.float64)) > 0
        live = np.empty((slots.length + 1, 2, self.states), bool)
        at = live[-1] = slots.final
        for i in reversed(range(slots.length)):
            end, pad = mass[i, reducer.end :]
            before = np.stack([end & at[1], pad & at[1]])
            before[0, self.source[at[0].take(self.target) & moves[i].take(self.set_of)]] = True
            at = live[i] = before
        return live

    def reachable(self, slots: Slots) -> bool:
        """Whether the canvas can be completed at all."""
        return bool(self.reach(slots)[0, 0, slots.start])

    def lengths(self, start: int, final: Bools, most: int) -> Bools:
        """[most + 1] whether exactly n tokens can lead from `start` to a state of `final`."""
        at = np.zeros(self.states, bool)
        at[start] = True
        found = np.zeros(most + 1, bool)
        for n in range(most + 1):
            found[n] = bool((at & final).any())
            after = np.zeros(self.states, bool)
            after[self.target[at[self.source]]] = True
            at = after
        return found

    def best_scores(self, slots: Slots, maxima: Floats) -> Floats:
        """[L + 1, 2, S] best log-probability with which a state is reached before slot i."""
        best, reducer = slots.mass.best, slots.mass.reducer
        at = np.full((2, self.states), -np.inf)
        at[0, slots.start] = 0.0
        scores = np.empty((slots.length + 1, 2, self.states))
        scores[0] = at
        for i in range(slots.length):
            end, pad = best[i, reducer.end :]
            arrivals = at[0].take(self.source) + maxima[i].take(self.set_of)
            after = np.full((2, self.states), -np.inf)
            after[0, self._run_target] = np.maximum.reduceat(arrivals, self._run_first)
            after[1] = np.maximum(at[1] + pad, at[0] + end)
            at = scores[i + 1] = after
        return scores

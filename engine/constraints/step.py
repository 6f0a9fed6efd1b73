"""Owns what one step may ask of a constraint: feasibility, log P(valid), marginals, paths.

Everything is worked out on first use. Any subset of one path's tokens may be revealed: what is
left stays completable. Independent favourites of the marginals may not.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from engine.constraints.errors import UnsatisfiableError
from engine.constraints.mass import ClassMass
from engine.constraints.paths import Labels, best_labels, sampled_labels
from engine.constraints.scan import Messages, Scan, Slots

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Path:
    """One accepting filling of the whole canvas.

    `tokens` [L] with the fixed ones in their places; `confidence` [L] the exact probability of
    each token given that the result is valid (1 where fixed); `forced` [L] whether the constraint
    rules out the model's own favourite there.
    """

    tokens: npt.NDArray[np.int64]
    confidence: Floats
    forced: npt.NDArray[np.bool_]


class StepView:
    """One canvas under one constraint at one step."""

    def __init__(self, scan: Scan, slots: Slots, mass: ClassMass) -> None:
        self._scan = scan
        self._slots = slots
        self._mass = mass

    @cached_property
    def _messages(self) -> Messages | None:
        return self._scan.messages(self._slots)

    def _required(self) -> Messages:
        if self._messages is None:
            raise UnsatisfiableError("no completion of the canvas meets the constraint")
        return self._messages

    @property
    def feasible(self) -> bool:
        """Whether any completion is valid."""
        return self._messages is not None

    @property
    def log_valid(self) -> float:
        """log P(valid): the mass of all valid completions; -inf if there is none.

        To compare canvases of different lengths, divide by the number of slots.
        """
        return -np.inf if self._messages is None else self._messages.log_total

    @cached_property
    def best(self) -> Path:
        """The likeliest valid completion (Viterbi); raises UnsatisfiableError if none is valid."""
        self._required()
        return self._path(best_labels(self._scan, self._slots))

    def sample(self, rng: np.random.Generator) -> Path:
        """A completion drawn from the joint distribution of valid ones (exact)."""
        return self._path(sampled_labels(self._scan, self._slots, self._required(), rng), rng)

    def marginal(self, slot: int, token: int) -> float:
        """P(token at an open slot | valid)."""
        column = int(self._mass.reducer.column[token])
        if column < 0 or self._mass.fixed[slot] >= 0:
            return float(token == self._mass.fixed[slot])
        return float(self._columns[slot, column]) * self._mass.share(slot, token, column)

    @cached_property
    def _columns(self) -> Floats:
        """[L, C + 2] P(column | valid) on open slots, zero on fixed ones."""
        messages, mass = self._required(), self._mass
        found = np.zeros_like(mass.total)
        for slot in np.flatnonzero(mass.fixed < 0).tolist():
            found[slot] = self._columns_of(slot, messages)
        return found

    def _columns_of(self, slot: int, messages: Messages) -> Floats:
        scan, reducer = self._scan, self._mass.reducer
        before, behind = messages.forward[slot], messages.backward[slot + 1]
        pairs = before[0].take(scan.source) * behind[0].take(scan.target)
        sets = np.bincount(scan.set_of, pairs, len(scan.set_starts) - 1)
        spread = np.repeat(sets, np.diff(scan.set_starts))
        found = np.zeros(reducer.columns)
        found[: reducer.end] = np.bincount(scan.set_classes, spread, reducer.end)[: reducer.end]
        found[reducer.end] = before[0] @ behind[1]
        found[reducer.pad] = before[1] @ behind[1]
        found *= self._mass.total[slot]
        found /= found.sum()
        return found

    def _path(self, labels: Labels, rng: np.random.Generator | None = None) -> Path:
        mass = self._mass
        tokens = mass.fixed.copy()
        confidence = np.ones(len(tokens))
        forced = np.zeros(len(tokens), bool)
        for slot in np.flatnonzero(mass.fixed < 0).tolist():
            column = labels[slot]
            if rng is None:
                token = mass.best_token(slot, column)
            else:
                token = mass.draw_token(slot, column, rng)
            tokens[slot] = token
            confidence[slot] = self.marginal(slot, token)
            forced[slot] = self.marginal(slot, mass.favourite(slot)) == 0.0
        return Path(tokens, confidence, forced)

"""Owns the reduction from token to class probabilities, on open rows only: the V-sized work."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.floating]

# A class that a confident model all but rules out keeps this much mass, so that products of many
# such classes stay representable; banned tokens (-inf) keep none.
FLOOR = 1e-30


@dataclass(frozen=True, slots=True)
class ClassMass:
    """What each slot may hold, by column: C token classes, then end and pad.

    `total` [L, C + 2] probability (float64); `best` [L, C + 2] log of the likeliest token;
    `fixed` [L] ids or -1; `row` [L] its row of `log_probs`, -1 where fixed; `sorted` [R, T]
    probabilities with the tokens of each column standing together.
    """

    total: npt.NDArray[np.float64]
    best: npt.NDArray[np.float64]
    fixed: Ints
    row: Ints
    log_probs: Floats
    sorted: Floats
    reducer: "MassReducer"

    def best_token(self, slot: int, column: int) -> int:
        """The likeliest token of a column (the fixed one where the slot is fixed)."""
        if self.fixed[slot] >= 0:
            return int(self.fixed[slot])
        ids = self.reducer.members(column)
        odds = self._odds(slot, column)
        if len(ids) == 1:
            return int(ids[0])
        if odds.max() > 0.0:
            return int(ids[np.argmax(odds)])
        return int(ids[np.argmax(self.log_probs[self.row[slot], ids])])

    def _odds(self, slot: int, column: int) -> Floats:
        bounds = self.reducer.bounds
        return self.sorted[self.row[slot], bounds[column] : bounds[column + 1]]

    def draw_token(self, slot: int, column: int, rng: np.random.Generator) -> int:
        """A token of a column, drawn by its probability."""
        if self.fixed[slot] >= 0:
            return int(self.fixed[slot])
        ids = self.reducer.members(column)
        if len(ids) == 1:
            return int(ids[0])
        weights = np.cumsum(self._odds(slot, column), dtype=np.float64)
        if not weights[-1] > 0.0:
            scores = self.log_probs[self.row[slot], ids].astype(np.float64)
            weights = np.cumsum(np.exp(scores - scores.max()))
        return int(ids[np.searchsorted(weights, rng.random() * weights[-1], side="right")])

    def share(self, slot: int, token: int, column: int) -> float:
        """The part of a column's mass that one token holds."""
        if self.fixed[slot] >= 0:
            return float(token == self.fixed[slot])
        total = self.total[slot, column]
        if self.reducer.is_sure(column):
            return float(total > 0)
        here = float(np.exp(float(self.log_probs[self.row[slot], token])))
        return min(1.0, here / total) if total > 0 else 0.0

    def favourite(self, slot: int) -> int:
        """The likeliest token of an open slot."""
        return int(np.argmax(self.log_probs[self.row[slot]]))


class MassReducer:
    """Sums and maxima over classes of tokens, with the tokens sorted by column once.

    With `sure_pad` padding costs nothing: what stands behind an end mark is no choice of a model.
    """

    def __init__(
        self,
        token_class: npt.NDArray[np.int32],
        end: tuple[int, ...],
        pad: tuple[int, ...],
        sure_pad: bool = False,
    ) -> None:
        classes = int(token_class.max(initial=-1)) + 1
        column = token_class.astype(np.int64)
        for place, ids in enumerate((end, pad)):
            column[list(ids)] = classes + place
        self.end, self.pad, self.columns = classes, classes + 1, classes + 2
        self._sure = self.pad if sure_pad else -1
        self.column = column
        order = np.argsort(column, kind="stable")
        self._order = order[np.searchsorted(column[order], 0) :]
        self.bounds = np.searchsorted(column[self._order], np.arange(self.columns + 1))

    def members(self, column: int) -> Ints:
        """Ids, ascending, of a column's tokens."""
        return self._order[self.bounds[column] : self.bounds[column + 1]]

    def is_sure(self, column: int) -> bool:
        """Whether a column's mass is 1 whatever the model says."""
        return column == self._sure

    @cached_property
    def _filled(self) -> Ints:
        return np.flatnonzero(np.diff(self.bounds))

    def reduce(self, log_probs: Floats, fixed: Ints) -> ClassMass:
        """Class masses of a canvas; `log_probs` [R, V] are the rows of its open slots."""
        open_slots = np.flatnonzero(fixed < 0)
        if log_probs.shape != (len(open_slots), len(self.column)):
            raise ValueError(
                f"log_probs must be [{len(open_slots)}, {len(self.column)}], not {log_probs.shape}"
            )
        total, best, row = self._blank(fixed)
        row[open_slots] = np.arange(len(open_slots))
        starts = self.bounds[self._filled]
        odds = np.empty((len(open_slots), len(self._order)), log_probs.dtype)
        for slot in open_slots:
            # "wrap" spares a pass over the indices, which are in range.
            scores = log_probs[row[slot]].take(self._order, mode="wrap")
            top = np.maximum.reduceat(scores, starts)
            sums = np.add.reduceat(np.exp(scores, out=odds[row[slot]]), starts)
            best[slot, self._filled] = top
            total[slot, self._filled] = np.where(top > -np.inf, np.maximum(sums, FLOOR), 0.0)
        if self._sure >= 0:
            total[open_slots, self._sure], best[open_slots, self._sure] = 1.0, 0.0
        return ClassMass(total, best, fixed, row, log_probs, odds, self)

    def anything(self, fixed: Ints) -> ClassMass:
        """A canvas whose open slots may hold every token, all alike; the fewer the better."""
        total, best, row = self._blank(fixed)
        open_slots = np.flatnonzero(fixed < 0)
        total[np.ix_(open_slots, self._filled)] = 1.0
        best[np.ix_(open_slots, self._filled)] = np.where(self._filled < self.end, -1.0, 0.0)
        nothing = np.zeros((0, len(self.column)))
        return ClassMass(total, best, fixed, row, nothing, nothing, self)

    def _blank(self, fixed: Ints) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64], Ints]:
        """Arrays in which fixed slots hold their token for certain and open ones nothing."""
        total = np.zeros((len(fixed), self.columns))
        best = np.full((len(fixed), self.columns), -np.inf)
        known = np.flatnonzero(fixed >= 0)
        column = self.column[fixed[known]]
        known, column = known[column >= 0], column[column >= 0]
        total[known, column] = 1.0
        best[known, column] = 0.0
        return total, best, np.full(len(fixed), -1, np.int64)

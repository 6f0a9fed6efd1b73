"""Owns the token automaton: a byte DFA lifted to classes of tokens that act alike; a value."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from engine.constraints.byte_dfa import ByteDFA

Ints = npt.NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class TokenDFA:
    """Moves between states of `dfa` by whole tokens.

    `token_class` [V] class of each token, -1 where it fits nowhere. A pair p of states is joined
    by the classes `set_classes[set_starts[k]:set_starts[k + 1]]` where k = `pair_set[p]`.
    `pair_from`, `pair_to` [P] are sorted by (to, from); at least one set and one pair exist.
    """

    dfa: ByteDFA
    token_class: Ints
    pair_from: Ints
    pair_to: Ints
    pair_set: Ints
    set_starts: Ints
    set_classes: Ints
    notes: tuple[str, ...] = ()

    @property
    def states(self) -> int:
        """Number of states with the dead one (0)."""
        return self.dfa.states

    @property
    def classes(self) -> int:
        """Number of token classes."""
        return int(self.token_class.max(initial=-1)) + 1

    @property
    def size(self) -> int:
        """Bytes held by the arrays."""
        arrays: tuple[npt.NDArray[np.generic], ...] = (
            *(self.token_class, self.pair_from, self.pair_to, self.pair_set),
            *(self.set_starts, self.set_classes),
            *(self.dfa.table, self.dfa.final),
        )
        return sum(array.nbytes for array in arrays)

    def least_tokens(self, start: int, final: npt.NDArray[np.bool_]) -> int | None:
        """The fewest tokens from `start` to a state of `final`; None if there is no way."""
        seen = np.zeros(self.states, bool)
        layer = np.zeros(self.states, bool)
        layer[start] = start != 0
        for steps in range(self.states + 1):
            if (layer & final).any():
                return steps
            seen |= layer
            after = np.zeros(self.states, bool)
            after[self.pair_to[layer[self.pair_from]]] = True
            layer = after & ~seen
            if not layer.any():
                return None
        return None

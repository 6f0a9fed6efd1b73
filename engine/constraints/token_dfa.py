"""Owns the token automaton: a byte DFA lifted to classes of tokens that act alike; a value."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from engine.constraints.byte_dfa import ByteDFA

Ints = npt.NDArray[np.int32]
Bools = npt.NDArray[np.bool_]


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

    def least_tokens(self, start: int, final: Bools) -> int | None:
        """The fewest tokens from `start` to a state of `final`; None if there is no way."""
        for steps, layer in enumerate(_layers(self.pair_from, self.pair_to, start, self.states)):
            if (layer & final).any():
                return steps
        return None

    def distances(self, final: Bools) -> npt.NDArray[np.int64]:
        """[S] the fewest tokens from each state to one of `final`; a huge number if none lead."""
        found = np.full(self.states, np.iinfo(np.int64).max // 2, np.int64)
        layer, steps = final.copy(), 0
        layer[0] = False
        while layer.any():
            found[layer] = steps
            steps += 1
            before = np.zeros(self.states, bool)
            before[self.pair_from[layer[self.pair_to]]] = True
            layer = before & (found > steps)
        return found

    def useful_pairs(self, start: int, final: Bools) -> Bools:
        """[P] whether a pair lies on any way from `start` to a state of `final`."""
        ahead = np.zeros(self.states, bool)
        for layer in _layers(self.pair_from, self.pair_to, start, self.states):
            ahead |= layer
        behind = final & ahead
        while True:
            more = behind.copy()
            more[self.pair_from[behind[self.pair_to]]] = True
            if (more == behind).all():
                return np.asarray(ahead[self.pair_from] & behind[self.pair_to])
            behind = more


def _layers(source: Ints, target: Ints, start: int, states: int) -> Iterator[Bools]:
    """The states first reached after 0, 1, 2, ... moves."""
    layer = np.zeros(states, bool)
    layer[start] = start != 0
    seen = np.zeros(states, bool)
    while layer.any():
        yield layer
        seen |= layer
        after = np.zeros(states, bool)
        after[target[layer[source]]] = True
        layer = after & ~seen

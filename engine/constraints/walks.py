"""Owns texts drawn from a byte automaton, for checking a front-end against other validators."""

import random

import numpy as np
import numpy.typing as npt

from engine.constraints.byte_dfa import ByteDFA


class Walker:
    """Draws accepted texts; after `wander` free steps it heads for the nearest end."""

    def __init__(self, dfa: ByteDFA, seed: int, wander: int = 60) -> None:
        self._dfa = dfa
        self._random = random.Random(seed)
        self._wander = wander
        self._distance = distances(dfa)
        self._bytes = [
            np.flatnonzero(dfa.byte_class == k).tolist() for k in range(len(dfa.table.T))
        ]

    def draw(self) -> bytes:
        """One accepted text; every live branch of the automaton has a chance."""
        at, text = self._dfa.start, bytearray()
        wander = self._random.randrange(self._wander + 1)
        while not self._stops(at, len(text) >= wander):
            row = self._dfa.table[at]
            columns = np.flatnonzero(row)
            if len(text) >= wander:
                near = self._distance[row[columns]]
                columns = columns[near == near.min()]
            column = self._random.choice(columns.tolist())
            text.append(self._random.choice(self._bytes[column]))
            at = int(row[column])
        return bytes(text)

    def _stops(self, at: int, homeward: bool) -> bool:
        if not self._dfa.final[at]:
            return False
        return homeward or not self._dfa.table[at].any() or self._random.random() < 0.15


def distances(dfa: ByteDFA) -> npt.NDArray[np.int64]:
    """[S] fewest bytes from each state to a final one; a huge number for the dead state."""
    far = np.iinfo(np.int64).max // 2
    found = np.where(dfa.final, 0, far).astype(np.int64)
    found[0] = far
    source = np.repeat(np.arange(dfa.states), dfa.table.shape[1])
    target = dfa.table.ravel()
    order = np.argsort(target, kind="stable")
    source, starts = source[order], np.searchsorted(target[order], np.arange(dfa.states + 1))
    layer, steps = np.flatnonzero(dfa.final), 0
    while len(layer):
        steps += 1
        before = np.unique(
            np.concatenate([source[starts[state] : starts[state + 1]] for state in layer])
        )
        layer = before[found[before] > steps]
        layer = layer[found[layer] == far]
        found[layer] = steps
    return found

"""Owns operations between finished automata: intersection, difference, union; no expressions."""

from collections.abc import Callable, Hashable, Mapping

import numpy as np
import numpy.typing as npt

from engine.constraints.byte_dfa import ByteDFA
from engine.constraints.determinise import determinise, reduced
from engine.constraints.errors import TooLargeError
from engine.constraints.expression import Node
from engine.constraints.limits import Bounds, Limits
from engine.constraints.nfa import NfaBuilder

Bools = npt.NDArray[np.bool_]


def build(
    root: Node,
    limits: Limits,
    bounds: Bounds,
    rules: Mapping[Hashable, Node] | None = None,
) -> ByteDFA:
    """Expression -> reduced DFA; what the bounds cut away is not reported (see `NfaBuilder`)."""
    return determinise(NfaBuilder(rules or {}, limits, bounds).build(root), limits)


def intersection(one: ByteDFA, other: ByteDFA, limits: Limits) -> ByteDFA:
    """Texts in both languages."""
    return _product(one, other, lambda a, b: a & b, limits, both=True)


def difference(one: ByteDFA, other: ByteDFA, limits: Limits) -> ByteDFA:
    """Texts of `one` that are not in `other`; exact if `other` is."""
    return _product(one, other, lambda a, b: a & ~b, limits, both=False)


def _product(
    one: ByteDFA,
    other: ByteDFA,
    final: Callable[[Bools, Bools], Bools],
    limits: Limits,
    both: bool,
) -> ByteDFA:
    """Pairs reachable from the start, a whole breadth-first layer at a time.

    A pair is dead once `one` is dead, or, if `both`, either is.
    """
    width = other.states
    joint = one.byte_class.astype(np.int64) * 256 + other.byte_class
    _, byte_of, column = np.unique(joint, return_index=True, return_inverse=True)
    left, right = one.byte_class[byte_of], other.byte_class[byte_of]
    number = {one.start * width + other.start: 1}
    layer = np.array([one.start * width + other.start], np.int64)
    pairs, rows = [0], [np.zeros(len(byte_of), np.int64)]
    while len(layer):
        a, b = one.table[layer // width][:, left], other.table[layer % width][:, right]
        target = np.where((a == 0) | ((b == 0) & both), 0, a.astype(np.int64) * width + b)
        pairs.extend(layer.tolist())
        rows.extend(target)
        fresh = [pair for pair in np.unique(target).tolist() if pair and pair not in number]
        number.update((pair, len(number) + 1 + i) for i, pair in enumerate(fresh))
        if len(number) > limits.dfa_states:
            raise TooLargeError(f"combining two parts needs more than {limits.dfa_states} states")
        layer = np.array(fresh, np.int64)
    return _renumbered(np.array(pairs), np.array(rows), column.ravel(), one, other, final)


def _renumbered(
    pairs: npt.NDArray[np.int64],
    rows: npt.NDArray[np.int64],
    column: npt.NDArray[np.int64],
    one: ByteDFA,
    other: ByteDFA,
    final: Callable[[Bools, Bools], Bools],
) -> ByteDFA:
    order = np.argsort(pairs)
    table = order[np.searchsorted(pairs, rows, sorter=order)].astype(np.int32)
    a, b = pairs // other.states, pairs % other.states
    is_final = final(one.final[a], other.final[b])
    is_final[0] = False
    raw = ByteDFA(table, column.astype(np.uint8), is_final, 1)
    return reduced(raw.arcs, is_final.tolist(), 1)

"""Owns the subset construction and the reduction of automata; caps are checked while it runs."""

from itertools import pairwise

from engine.constraints.byte_dfa import Arc, ByteDFA, from_arcs
from engine.constraints.errors import TooLargeError
from engine.constraints.limits import Clock, Limits
from engine.constraints.nfa_states import Nfa


def determinise(nfa: Nfa, limits: Limits) -> ByteDFA:
    """NFA -> trimmed, reduced DFA for the same language; raises TooLargeError past a cap."""
    work = _Subsets(nfa, limits)
    work.run()
    return reduced(work.rows, work.final, 1)


class _Subsets:
    """One subset construction: state numbers are given out as sets are first met; 0 is dead."""

    def __init__(self, nfa: Nfa, limits: Limits) -> None:
        self.rows: list[list[Arc]] = [[]]
        self.final: list[bool] = [False]
        self._nfa = nfa
        self._cap = limits.dfa_states
        self._clock = Clock(limits.seconds)
        self._closure: dict[int, frozenset[int]] = {}
        self._number: dict[frozenset[int], int] = {}
        self._by_targets: dict[tuple[int, ...], int] = {}
        self._todo: list[frozenset[int]] = []

    def run(self) -> None:
        self._state_of((self._nfa.start,))
        done = 0
        while done < len(self._todo):
            self.rows.append(self._arcs_of(self._todo[done]))
            done += 1
            if done % 256 == 0:
                self._clock.check()

    def _arcs_of(self, subset: frozenset[int]) -> list[Arc]:
        arcs = [arc for state in subset for arc in self._nfa.arcs[state]]
        arcs.sort()
        if _disjoint(arcs):
            cells: list[tuple[int, int, tuple[int, ...]]] = [(a, b, (to,)) for a, b, to in arcs]
        else:
            cells = _cells(arcs)
        found = ((low, high, self._state_of(targets)) for low, high, targets in cells)
        return [arc for arc in found if arc[2]]

    def _state_of(self, targets: tuple[int, ...]) -> int:
        known = self._by_targets.get(targets)
        if known is None:
            closures = [self._closed(state) for state in targets]
            known = self._number_of(closures[0].union(*closures[1:]))
            self._by_targets[targets] = known
        return known

    def _number_of(self, subset: frozenset[int]) -> int:
        if not subset:
            return 0
        number = self._number.get(subset)
        if number is None:
            number = len(self._todo) + 1
            if number > self._cap:
                raise TooLargeError(f"the constraint needs more than {self._cap} states")
            self._number[subset] = number
            self._todo.append(subset)
            self.final.append(self._nfa.accept in subset)
        return number

    def _closed(self, state: int) -> frozenset[int]:
        """States with arcs (or the accepting one) reachable by empty moves."""
        known = self._closure.get(state)
        if known is None:
            seen, stack = {state}, [state]
            while stack:
                for to in self._nfa.empty[stack.pop()]:
                    if to not in seen:
                        seen.add(to)
                        stack.append(to)
            keep = (s for s in seen if self._nfa.arcs[s] or s == self._nfa.accept)
            known = self._closure[state] = frozenset(keep)
        return known


def _disjoint(arcs: list[Arc]) -> bool:
    return all(one[1] < other[0] for one, other in pairwise(arcs))


def _cells(arcs: list[Arc]) -> list[tuple[int, int, tuple[int, ...]]]:
    """Overlapping arcs as disjoint byte ranges, each with its set of targets."""
    bounds = sorted({arc[0] for arc in arcs} | {arc[1] + 1 for arc in arcs})
    place = {bound: i for i, bound in enumerate(bounds)}
    targets: list[set[int]] = [set() for _ in bounds]
    for low, high, to in arcs:
        for i in range(place[low], place[high + 1]):
            targets[i].add(to)
    return [
        (bounds[i], bounds[i + 1] - 1, tuple(sorted(found)))
        for i, found in enumerate(targets)
        if found
    ]


def reduced(rows: list[list[Arc]], final: list[bool], start: int) -> ByteDFA:
    """Trim states that reach no final one and merge states with equal final flags and arcs.

    States are numbered in post-order, so chains and trees become minimal; a state on a cycle is
    only merged with one whose back arcs lead to the same states. Sound, and linear in the arcs.
    """
    live = _reaching_final(rows, final)
    if start not in live:
        return from_arcs([[]], [False], 0)
    label: dict[int, int] = {}
    known: dict[tuple[object, ...], int] = {}
    for state in _post_order(rows, live, start):
        # A self-loop is marked -1; another back arc by the (negative) number of its target.
        ends = [
            (low, high, -1 if to == state else label.get(to, -2 - to))
            for low, high, to in rows[state]
            if to in live
        ]
        signature = (final[state], *_joined(ends))
        label[state] = known.setdefault(signature, len(known) + 1)
    return _relabelled(rows, final, label, start)


def _relabelled(
    rows: list[list[Arc]], final: list[bool], label: dict[int, int], start: int
) -> ByteDFA:
    size = max(label.values()) + 1
    new_rows: list[list[Arc]] = [[] for _ in range(size)]
    new_final = [False] * size
    for state, name in label.items():
        if not new_rows[name]:
            new_rows[name] = [(a, b, label[to]) for a, b, to in rows[state] if to in label]
            new_final[name] = final[state]
    return from_arcs(new_rows, new_final, label[start])


def _joined(arcs: list[Arc]) -> list[Arc]:
    """Neighbouring ranges with one target as one range."""
    joined: list[Arc] = []
    for low, high, to in sorted(arcs):
        if joined and joined[-1][2] == to and joined[-1][1] + 1 == low:
            joined[-1] = (joined[-1][0], high, to)
        else:
            joined.append((low, high, to))
    return joined


def _reaching_final(rows: list[list[Arc]], final: list[bool]) -> set[int]:
    back: list[set[int]] = [set() for _ in rows]
    for state, row in enumerate(rows):
        for _, _, to in row:
            back[to].add(state)
    live = {state for state, is_final in enumerate(final) if is_final}
    stack = list(live)
    while stack:
        for state in back[stack.pop()]:
            if state not in live:
                live.add(state)
                stack.append(state)
    return live


def _post_order(rows: list[list[Arc]], live: set[int], start: int) -> list[int]:
    order, seen = [], {start}
    stack = [(start, iter(rows[start]))]
    while stack:
        state, arcs = stack[-1]
        for _, _, to in arcs:
            if to in live and to not in seen:
                seen.add(to)
                stack.append((to, iter(rows[to])))
                break
        else:
            stack.pop()
            order.append(state)
    return order

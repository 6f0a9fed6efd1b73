"""Owns the states of a byte NFA: arcs, empty moves and a cap on their number."""

from engine.constraints.byte_dfa import ByteDFA
from engine.constraints.errors import TooLargeError
from engine.constraints.limits import Limits


class Nfa:
    """States with byte-range arcs and empty moves; `accept` is the only final state."""

    def __init__(self, limits: Limits) -> None:
        self.arcs: list[list[tuple[int, int, int]]] = []
        self.empty: list[list[int]] = []
        self._cap = limits.nfa_states
        self.accept = self.new()
        self.dead = self.new()
        self.start = self.accept

    def new(self, *empty: int) -> int:
        """A fresh state with empty moves to the given ones."""
        if len(self.arcs) >= self._cap:
            raise TooLargeError(f"the constraint needs more than {self._cap} automaton states")
        self.arcs.append([])
        self.empty.append(list(empty))
        return len(self.arcs) - 1


def erased(dfa: ByteDFA, lowest: int, limits: Limits) -> Nfa:
    """The language with the bytes from `lowest` on taken out of its texts."""
    nfa = Nfa(limits)
    states = [nfa.dead, *(nfa.new() for _ in range(1, dfa.states))]
    for state in range(1, dfa.states):
        for low, high, to in dfa.arcs[state]:
            if high >= lowest:
                nfa.empty[states[state]].append(states[to])
            if low < lowest:
                nfa.arcs[states[state]].append((low, min(high, lowest - 1), states[to]))
        if dfa.final[state]:
            nfa.empty[states[state]].append(nfa.accept)
    nfa.start = states[dfa.start]
    return nfa

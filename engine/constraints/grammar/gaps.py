"""Owns ignored text in grammars: marked while a grammar is built, allowed only between terminals.

Readers differ on ignored text at both ends of a whole text, so none is produced there.
"""

from engine.constraints.byte_dfa import ByteDFA
from engine.constraints.determinise import determinise
from engine.constraints.expression import EMPTY, Choice, Concat, Literal, Node, Repeat
from engine.constraints.limits import Limits
from engine.constraints.nfa_states import Nfa

_MARK = 0xFE  # no UTF-8 text contains it


def gap(ignored: list[Node]) -> Node:
    """What may stand in front of a terminal: nothing, or the mark and ignored texts."""
    return Choice(
        (EMPTY, Concat((Literal(bytes([_MARK])), Repeat(Choice(tuple(ignored)), 1, None))))
    )


def unmarked(dfa: ByteDFA, limits: Limits) -> ByteDFA:
    """The language without marks, and without ignored text in front of its first terminal."""
    nfa = Nfa(limits)
    states = [nfa.dead, *(nfa.new() for _ in range(1, dfa.states))]
    for state in range(1, dfa.states):
        for low, high, to in dfa.arcs[state]:
            if low <= _MARK <= high:
                nfa.empty[states[state]].append(states[to])
            else:
                nfa.arcs[states[state]].append((low, high, states[to]))
        if dfa.final[state]:
            nfa.empty[states[state]].append(nfa.accept)
    nfa.start = nfa.new(*([nfa.accept] if dfa.final[dfa.start] else []))
    nfa.arcs[nfa.start] = list(nfa.arcs[states[dfa.start]])
    return determinise(nfa, limits)

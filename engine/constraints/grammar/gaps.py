"""Owns ignored text in grammars: marked while a grammar is built, allowed only between terminals.

Readers differ on ignored text at both ends of a whole text, so none is produced there.
"""

from engine.constraints.byte_dfa import ByteDFA
from engine.constraints.determinise import determinise
from engine.constraints.expression import EMPTY, Choice, Concat, Literal, Node, Repeat
from engine.constraints.limits import Limits
from engine.constraints.nfa_states import erased

_MARK = 0xFE  # no UTF-8 text contains it


def gap(ignored: list[Node]) -> Node:
    """What may stand in front of a terminal: nothing, or the mark and ignored texts."""
    return Choice(
        (EMPTY, Concat((Literal(bytes([_MARK])), Repeat(Choice(tuple(ignored)), 1, None))))
    )


def unmarked(dfa: ByteDFA, limits: Limits) -> ByteDFA:
    """The language without marks, and without ignored text in front of its first terminal."""
    nfa = erased(dfa, _MARK, limits)
    first = nfa.arcs[nfa.start]
    nfa.start = nfa.new(*([nfa.accept] if dfa.final[dfa.start] else []))
    nfa.arcs[nfa.start] = list(first)
    return determinise(nfa, limits)

"""Owns one whole compilation: front-end, second gate, token lift. For a process that may die."""

from engine.constraints.frontend import language_of
from engine.constraints.gates import second_gate
from engine.constraints.limits import Limits
from engine.constraints.spec import ConstraintSpec
from engine.constraints.token_dfa import TokenDFA
from engine.constraints.token_lift import lift
from engine.constraints.vocabulary import Vocabulary


def compile_here(spec: ConstraintSpec, vocabulary: Vocabulary, limits: Limits) -> TokenDFA:
    """Spec -> token automaton in this process. Raises a ConstraintError.

    Recursion may go some thousand calls deep; `worker` sets the interpreter up for it.
    """
    language = language_of(spec, limits)
    notes = second_gate(spec, language)
    return lift(language.dfa, vocabulary, limits, notes)

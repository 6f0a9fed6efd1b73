"""Owns what fixed texts do to an automaton: the state behind one, the states from which it fits."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from engine.constraints.byte_dfa import ByteDFA
from engine.constraints.errors import UnsatisfiableError

_FEW = 16
"""States that are cheaper to follow one by one than as an array."""
_SHRINK = 32
"""Bytes after which states that have met are joined."""
_SEEN = 20


def start_state(dfa: ByteDFA, text: bytes, notes: Sequence[str] = ()) -> int:
    """The state behind the text before the hole; UnsatisfiableError where it breaks.

    `notes` say what of the language the automaton lacks.
    """
    offset = dfa.refused_at(text)
    if offset is None:
        return dfa.run(text)
    line = text.count(b"\n", 0, offset) + 1
    column = len(text[text.rfind(b"\n", 0, offset) + 1 : offset].decode(errors="replace")) + 1
    seen = text[max(0, offset - _SEEN) : offset + 1].decode(errors="replace")
    raise UnsatisfiableError(
        f"the text before the hole already breaks the constraint at line {line}, column {column}:"
        f" {seen!r}{left_out(notes)}"
    )


def left_out(notes: Sequence[str]) -> str:
    """What a refusal adds where the language has more than the automaton."""
    return f", or needs what was left out of it: {', '.join(notes)}" if notes else ""


def state_map(dfa: ByteDFA, text: bytes) -> npt.NDArray[np.int32]:
    """[S] the state that `text` leads to from each state.

    States meet soon, most of them in the dead one, so only different ones are followed.
    """
    found = np.arange(dfa.states, dtype=np.int32)
    at = found
    for place in range(0, len(text), _SHRINK):
        met, back = np.unique(at, return_inverse=True)
        found, at = back.astype(np.int32)[found], met
        if len(met) <= _FEW:
            rest = text[place:]
            return np.array([dfa.run(rest, int(state)) for state in met], np.int32)[found]
        for byte in text[place : place + _SHRINK]:
            at = dfa.table[at, dfa.byte_class[byte]]
    return at[found]

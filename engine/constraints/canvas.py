"""Owns one request's constraint: an automaton, the fixed texts around its holes, special ids.

Stateless between steps: slots may be revealed, remasked or overwritten in any way between calls.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from engine.constraints.errors import UnsatisfiableError
from engine.constraints.mass import ClassMass, MassReducer
from engine.constraints.opening import Opening, opened
from engine.constraints.scan import Scan, Slots
from engine.constraints.step import StepView
from engine.constraints.token_dfa import TokenDFA

Floats = npt.NDArray[np.floating]
Tokens = npt.NDArray[np.integer]


@dataclass(frozen=True, slots=True)
class Specials:
    """Ids with a meaning of their own on a canvas: `end` closes a hole, `pad` fills it up behind
    its end, `delete` stands for no text wherever it is."""

    end: tuple[int, ...] = ()
    pad: tuple[int, ...] = ()
    delete: tuple[int, ...] = ()


class CanvasConstraint:
    """A language that `texts[0] + hole + texts[1] + hole + ... + texts[-1]` must belong to.

    With one hole and no text around it: `CanvasConstraint(dfa, specials)`. An `opening` is what
    the first hole must spell first; `texts[0]` then ends before it. Raises
    UnsatisfiableError if no text at all fits, saying where the fixed text breaks the language.
    """

    def __init__(
        self,
        dfa: TokenDFA,
        specials: Specials,
        texts: Sequence[bytes] = (b"", b""),
        opening: Opening | None = None,
    ) -> None:
        if len(texts) < 2:
            raise ValueError("a canvas has a text before and a text behind its holes")
        self.specials = specials
        self.holes = len(texts) - 1
        if dfa.dfa.empty:
            raise UnsatisfiableError("no text meets the constraint")
        if opening is not None and opening.required:
            within = texts[0] + (opening.required if opening.in_language else b"")
            dfa, self._start = opened(dfa, opening, _start_state(dfa, within))
        else:
            self._start = _start_state(dfa, texts[0])
        self.dfa = dfa
        self._maps = [_state_map(dfa, text) for text in texts[1:]]
        self._final = dfa.dfa.final[self._maps[-1]]
        self._reducer = MassReducer(dfa.token_class, specials.end, specials.pad, specials.delete)
        useful = None
        if self.holes == 1:
            if self.least_tokens() is None:
                raise UnsatisfiableError(
                    "no text in the hole meets the constraint: check the text behind it"
                )
            useful = dfa.useful_pairs(self._start, self._final)
        self._scan = Scan(dfa, useful)

    def least_tokens(self) -> int | None:
        """The fewest tokens (without an end token) that fill the only hole; None if none do."""
        return self.dfa.least_tokens(self._start, self._final)

    def require(self, slots: int) -> None:
        """Raise UnsatisfiableError unless a hole of at most `slots` tokens can be filled."""
        least = self.least_tokens()
        if least is None or least > slots:
            need = "more" if least is None else f"at least {least}"
            raise UnsatisfiableError(f"the constraint needs {need} tokens; the hole has {slots}")

    def feasible_lengths(self, most: int) -> npt.NDArray[np.bool_]:
        """[most + 1] whether the only hole can be filled by exactly n ordinary tokens."""
        return self._scan.lengths(self._start, self._final, most)

    def feasible(self, fixed: Tokens, lengths: Sequence[int] | None = None) -> bool:
        """Whether a canvas can be completed when every token may stand in an open slot (-1)."""
        mass = self._reducer.anything(np.asarray(fixed))
        return self._scan.reachable(self._slots(mass, fixed, lengths))

    def step(
        self, log_probs: Floats, fixed: Tokens, lengths: Sequence[int] | None = None
    ) -> StepView:
        """One exact pass over a canvas.

        `fixed` [L] holds a token id, or -1 where a slot is open; `log_probs` [R, V] one normalised
        row for each open slot, in order. -inf bans a token; never cut the rows to the likeliest
        tokens. `lengths` are the slots of each hole (needed from two holes on).
        """
        known = np.asarray(fixed, dtype=np.int64)
        mass = self._reducer.reduce(np.asarray(log_probs), known)
        return StepView(self._scan, self._slots(mass, known, lengths), mass)

    def _slots(self, mass: ClassMass, fixed: Tokens, lengths: Sequence[int] | None) -> Slots:
        sizes = [len(fixed)] if lengths is None else list(lengths)
        if len(sizes) != self.holes or sum(sizes) != len(fixed) or min(sizes) < 0:
            raise ValueError(f"{self.holes} hole lengths that add up to {len(fixed)} are needed")
        jumps: dict[int, list[npt.NDArray[np.int32]]] = {}
        for end, state_map in zip(np.cumsum(sizes)[:-1].tolist(), self._maps[:-1], strict=True):
            jumps.setdefault(end, []).append(state_map)
        return Slots(self._start, self._final, jumps, mass)


def _start_state(dfa: TokenDFA, text: bytes) -> int:
    """The state behind the text before the first hole."""
    offset = dfa.dfa.refused_at(text)
    if offset is None:
        return dfa.dfa.run(text)
    line = text.count(b"\n", 0, offset) + 1
    column = len(text[text.rfind(b"\n", 0, offset) + 1 : offset].decode(errors="replace")) + 1
    seen = text[max(0, offset - 20) : offset + 1].decode(errors="replace")
    raise UnsatisfiableError(
        f"the text before the hole already breaks the constraint at line {line}, column {column}:"
        f" {seen!r}"
    )


def _state_map(dfa: TokenDFA, text: bytes) -> npt.NDArray[np.int32]:
    """[S] the state that `text` leads to from each state."""
    at = np.arange(dfa.states, dtype=np.int32)
    for byte in text:
        at = dfa.dfa.table[at, dfa.dfa.byte_class[byte]]
    return at

"""Owns one request's constraint: an automaton, the fixed texts around its holes, special ids.

Stateless between steps: slots may be revealed, remasked or overwritten in any way between calls.
"""

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from engine.constraints.errors import UnsatisfiableError
from engine.constraints.follow import Follower
from engine.constraints.mass import ClassMass, MassReducer
from engine.constraints.opening import Opening, opened
from engine.constraints.paths import best_labels
from engine.constraints.scan import Scan, Slots
from engine.constraints.step import StepView
from engine.constraints.texts import start_state, state_map
from engine.constraints.token_dfa import TokenDFA

Floats = npt.NDArray[np.floating]
Tokens = npt.NDArray[np.integer]
Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Specials:
    """Ids with a meaning of their own on a canvas: `end` closes a hole, `pad` fills it up behind
    its end, `delete` stands for no text wherever it is. With `sure_pad` padding costs nothing,
    whatever the model says of it."""

    end: tuple[int, ...] = ()
    pad: tuple[int, ...] = ()
    delete: tuple[int, ...] = ()
    sure_pad: bool = False


class CanvasConstraint:
    """A language that `texts[0] + hole + texts[1] + hole + ... + texts[-1]` must belong to.

    With one hole and no text around it: `CanvasConstraint(dfa, specials)`. An `opening` is what
    the first hole must spell first; `texts[0]` then ends before it. With `later`, only the first
    hole is filled here: it leaves a way for the others, each of so many tokens. Raises
    UnsatisfiableError if no text at all fits, saying where the fixed text breaks the language.
    """

    def __init__(
        self,
        dfa: TokenDFA,
        specials: Specials,
        texts: Sequence[bytes] = (b"", b""),
        opening: Opening | None = None,
        later: Sequence[int] = (),
    ) -> None:
        if len(texts) < 2 or (later and len(later) != len(texts) - 2):
            raise ValueError("a canvas has a text before and a text behind its holes")
        self.specials = specials
        self.holes = 1 if later else len(texts) - 1
        if dfa.dfa.empty:
            raise UnsatisfiableError("no text meets the constraint")
        if opening is not None and opening.required:
            within = texts[0] + (opening.required if opening.in_language else b"")
            dfa, self._start = opened(dfa, opening, start_state(dfa.dfa, within))
        else:
            self._start = start_state(dfa.dfa, texts[0])
        self.dfa = dfa
        maps = [state_map(dfa.dfa, text) for text in texts[1:]]
        final = dfa.dfa.final[maps[-1]]
        for way, room in zip(reversed(maps[:-1]), reversed(later), strict=False):
            final = (dfa.distances(final) <= room)[way]
        self._maps, self._final = maps[: self.holes], final
        self._reducer = MassReducer(
            dfa.token_class, specials.end, specials.pad, specials.delete, specials.sure_pad
        )
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

    def feasible_lengths(self, most: int) -> Bools:
        """[most + 1] whether the only hole can be filled by exactly n ordinary tokens."""
        return self._scan.lengths(self._start, self._final, most)

    def feasible(self, fixed: Tokens, lengths: Sequence[int] | None = None, room: int = 0) -> bool:
        """Whether a canvas can be completed when every token may stand in an open slot (-1)."""
        mass = self._reducer.anything(np.asarray(fixed))
        return self._scan.reachable(self._slots(mass, fixed, lengths, room))

    def step(
        self,
        log_probs: Floats,
        fixed: Tokens,
        lengths: Sequence[int] | None = None,
        room: int = 0,
    ) -> StepView:
        """One exact pass over a canvas.

        `fixed` [L] holds a token id, or -1 where a slot is open; `log_probs` [R, V] one normalised
        row for each open slot, in order. -inf bans a token; never cut the rows to the likeliest
        tokens. `lengths` are the slots of each hole (needed from two holes on). `room` tokens may
        still come behind an only hole that is full without an end.
        """
        known = np.asarray(fixed, dtype=np.int64)
        mass = self._reducer.reduce(np.asarray(log_probs), known)
        return StepView(self._scan, self._slots(mass, known, lengths, room), mass)

    def shortest(
        self, fixed: Tokens, lengths: Sequence[int] | None = None
    ) -> npt.NDArray[np.int64]:
        """The completion [L] of a canvas with the fewest tokens, as if no model had a say.

        Raises UnsatisfiableError if there is none.
        """
        known = np.asarray(fixed, dtype=np.int64)
        slots = self._slots(self._reducer.anything(known), known, lengths, 0)
        labels = best_labels(self._scan, slots)
        tokens = known.copy()
        for slot in np.flatnonzero(known < 0).tolist():
            tokens[slot] = self._reducer.members(labels[slot])[0]
        return tokens

    @property
    def final(self) -> Bools:
        """[S] where the only hole may end."""
        return self._final

    def moved(self, spelled: bytes) -> "CanvasConstraint":
        """The same constraint behind `spelled`, which the only hole holds already."""
        other = copy(self)
        other.__dict__.pop("follower", None)
        other._start = self.follower.state(spelled)
        return other

    @cached_property
    def follower(self) -> Follower:
        """The only hole as a reading sees it that knows one slot at a time."""
        return Follower(self._scan, self.dfa, self._reducer, self._start, self._final)

    def _slots(
        self, mass: ClassMass, fixed: Tokens, lengths: Sequence[int] | None, room: int
    ) -> Slots:
        sizes = [len(fixed)] if lengths is None else list(lengths)
        if len(sizes) != self.holes or sum(sizes) != len(fixed) or min(sizes) < 0:
            raise ValueError(f"{self.holes} hole lengths that add up to {len(fixed)} are needed")
        jumps: dict[int, list[npt.NDArray[np.int32]]] = {}
        for end, way in zip(np.cumsum(sizes)[:-1].tolist(), self._maps[:-1], strict=True):
            jumps.setdefault(end, []).append(way)
        goes_on = self.follower.distances <= room if room else self._final
        return Slots(self._start, np.stack([goes_on, self._final]), jumps, mass)

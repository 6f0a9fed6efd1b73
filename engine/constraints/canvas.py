"""Owns one request's constraint: an automaton, the fixed texts around its hole, special ids.

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
from engine.constraints.texts import left_out, start_state, state_map
from engine.constraints.token_dfa import TokenDFA

Floats = npt.NDArray[np.floating]
Tokens = npt.NDArray[np.integer]
Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Specials:
    """Ids with a meaning of their own on a canvas: `end` closes the hole, `pad` fills it up behind
    its end. With `sure_pad` padding costs nothing, whatever the model says of it."""

    end: tuple[int, ...] = ()
    pad: tuple[int, ...] = ()
    sure_pad: bool = False


class CanvasConstraint:
    """A language that `texts[0] + hole + texts[1]` must belong to.

    With no text around it: `CanvasConstraint(dfa, specials)`. An `opening` is what the hole must
    spell first; `texts[0]` then ends before it. Further holes stand between further texts: the
    one that is filled here leaves them a way, each of at most so many tokens as `later` says.
    Raises UnsatisfiableError if no text at all fits, saying where the fixed text breaks the
    language.
    """

    def __init__(
        self,
        dfa: TokenDFA,
        specials: Specials,
        texts: Sequence[bytes] = (b"", b""),
        opening: Opening | None = None,
        later: Sequence[int] = (),
    ) -> None:
        if len(texts) != 2 + len(later):
            raise ValueError("a canvas has a text before and a text behind each hole")
        if dfa.dfa.empty:
            raise UnsatisfiableError("no text meets the constraint")
        if opening is not None and opening.required:
            within = texts[0] + (opening.required if opening.in_language else b"")
            dfa, self._start = opened(dfa, opening, start_state(dfa.dfa, within, dfa.notes))
        else:
            self._start = start_state(dfa.dfa, texts[0], dfa.notes)
        self.dfa = dfa
        maps = [state_map(dfa.dfa, text) for text in texts[1:]]
        final = dfa.dfa.final[maps[-1]]
        for way, room in zip(reversed(maps[:-1]), reversed(later), strict=True):
            final = (dfa.distances(final) <= room)[way]
        self._final = final
        self._reducer = MassReducer(dfa.token_class, specials.end, specials.pad, specials.sure_pad)
        if self.least_tokens() is None:
            raise UnsatisfiableError(
                "no text in the hole meets the constraint: check the text behind it"
                + left_out(dfa.notes)
            )
        self._scan = Scan(dfa, dfa.useful_pairs(self._start, self._final))

    def least_tokens(self) -> int | None:
        """The fewest tokens (without an end token) that fill the hole; None if none do."""
        return self.dfa.least_tokens(self._start, self._final)

    def feasible_lengths(self, most: int) -> Bools:
        """[most + 1] whether the hole can be filled by exactly n ordinary tokens."""
        return self._scan.lengths(self._start, self._final, most)

    def feasible(self, fixed: Tokens, room: int = 0) -> bool:
        """Whether a canvas can be completed when every token may stand in an open slot (-1)."""
        mass = self._reducer.anything(np.asarray(fixed))
        return self._scan.reachable(self._slots(mass, room))

    def step(self, log_probs: Floats, fixed: Tokens, room: int = 0) -> StepView:
        """One exact pass over a canvas.

        `fixed` [L] holds a token id, or -1 where a slot is open; `log_probs` [R, V] one normalised
        row for each open slot, in order. -inf bans a token; never cut the rows to the likeliest
        tokens. `room` tokens may still come behind a hole that is full without an end.
        """
        known = np.asarray(fixed, dtype=np.int64)
        mass = self._reducer.reduce(np.asarray(log_probs), known)
        return StepView(self._scan, self._slots(mass, room), mass)

    def shortest(self, fixed: Tokens) -> npt.NDArray[np.int64]:
        """The completion [L] of a canvas with the fewest tokens, as if no model had a say.

        Raises UnsatisfiableError if there is none.
        """
        known = np.asarray(fixed, dtype=np.int64)
        slots = self._slots(self._reducer.anything(known), 0)
        labels = best_labels(self._scan, slots)
        tokens = known.copy()
        for slot in np.flatnonzero(known < 0).tolist():
            tokens[slot] = self._reducer.members(labels[slot])[0]
        return tokens

    @property
    def final(self) -> Bools:
        """[S] where the hole may end."""
        return self._final

    def moved(self, spelled: bytes) -> "CanvasConstraint":
        """The same constraint behind `spelled`, which the hole holds already."""
        other = copy(self)
        other.__dict__.pop("follower", None)
        other._start = self.follower.state(spelled)
        return other

    @cached_property
    def follower(self) -> Follower:
        """The hole as a reading sees it that knows one slot at a time."""
        return Follower(self._scan, self.dfa, self._reducer, self._start, self._final)

    def _slots(self, mass: ClassMass, room: int) -> Slots:
        goes_on = self.follower.distances <= room if room else self._final
        return Slots(self._start, np.stack([goes_on, self._final]), mass)

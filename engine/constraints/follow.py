"""Owns the step of a reading that knows one slot at a time, from the left: which tokens may come.

A token may come if the rest of the canvas can still be completed in the slots that are left.
"""

from collections import OrderedDict
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from engine.constraints.mass import MassReducer
from engine.constraints.scan import Scan, Slots
from engine.constraints.token_dfa import TokenDFA

REMEMBERED = 64

Bools = npt.NDArray[np.bool_]
Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Follow:
    """What may come next: `tokens` ascending, without the end token; `may_end` whether that fits.

    Neither: the text in front can't be completed.
    """

    tokens: Ints
    may_end: bool


class Follower:
    """One hole, read from the left. Between calls it only remembers what it has worked out of the
    slots to come."""

    def __init__(
        self, scan: Scan, dfa: TokenDFA, reducer: MassReducer, start: int, final: Bools
    ) -> None:
        self._scan, self._dfa, self._reducer = scan, dfa, reducer
        self._start, self._final = start, final
        self._known: tuple[Ints, int, Bools] | None = None
        self._free: OrderedDict[int, Follow] = OrderedDict()  # where every way is open

    @cached_property
    def distances(self) -> Ints:
        """[S] the fewest tokens from a state to an end of the hole."""
        return self._dfa.distances(self._final)

    def state(self, spelled: bytes) -> int:
        """The state behind `spelled`, from the hole's start; 0 if it doesn't fit."""
        return self._dfa.dfa.run(spelled, self._start)

    def is_over(self, spelled: bytes) -> bool:
        """Whether the text is complete and nothing at all may follow."""
        state = self.state(spelled)
        return bool(self._final[state]) and not len(self._pairs(state))

    def next(self, spelled: bytes, ahead: Ints, room: int = 0) -> Follow:
        """What may stand in the slot `ahead[0]`, behind slots that spell `spelled`.

        `ahead` [n] are ids, -1 where a slot is open; `room` tokens may come behind them.
        """
        state = self.state(spelled)
        open_only = len(ahead) > 1 and bool((ahead[1:] < 0).all())
        roomy = open_only and len(ahead) - 1 + room >= self._farthest
        if roomy and state in self._free:
            return self._free[state]
        inside, ended = self._live(ahead, room)
        has_end = bool(len(self._reducer.members(self._reducer.end)))
        may_end = has_end and bool(self._final[state] & ended[state])
        found = Follow(self._tokens(state, inside), may_end)
        if roomy:
            self._free[state] = found
            if len(self._free) > REMEMBERED:
                self._free.popitem(last=False)
        return found

    @cached_property
    def _farthest(self) -> int:
        """The greatest distance from which an end is reached at all."""
        reached = self.distances[self.distances <= self._scan.states]
        return int(reached.max(initial=0))

    def _tokens(self, state: int, inside: Bools) -> Ints:
        """Tokens from a state to one that is live."""
        pairs = self._pairs(state)
        kinds = np.unique(self._scan.set_of[pairs[inside[self._scan.target[pairs]]]])
        starts = self._scan.set_starts
        lists = [self._scan.set_classes[starts[k] : starts[k + 1]] for k in kinds.tolist()]
        columns = np.unique(np.concatenate(lists)) if lists else np.empty(0, np.int64)
        ids = [self._reducer.members(column) for column in columns.tolist()]
        return np.sort(np.concatenate(ids)) if ids else np.empty(0, np.int64)

    def _pairs(self, state: int) -> Ints:
        low, high = self._scan.source_starts[state : state + 2]
        return self._scan.by_source[low:high]

    def _live(self, ahead: Ints, room: int) -> tuple[Bools, Bools]:
        """[S] whether a state behind `ahead[0]` can be completed, inside the hole or ended."""
        if (ahead[1:] < 0).all():
            closes = len(ahead) == 1 or len(self._reducer.members(self._reducer.pad)) > 0
            return self.distances <= len(ahead) - 1 + room, np.full(len(self._final), closes)
        known = self._known
        if known is None or known[1] != room or not _ends_with(known[0], ahead[1:]):
            mass = self._reducer.anything(ahead)
            goes_on = self.distances <= room
            slots = Slots(self._start, np.stack([goes_on, self._final]), mass)
            known = self._known = (ahead.copy(), room, self._scan.reach(slots))
        live = known[2][len(known[0]) - len(ahead) + 1]
        return live[0], live[1]


def _ends_with(longer: Ints, tail: Ints) -> bool:
    return len(longer) >= len(tail) and bool((longer[len(longer) - len(tail) :] == tail).all())

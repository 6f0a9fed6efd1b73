"""How long to wait before asking: until the next key is overdue, less where a word has ended."""

from collections import OrderedDict
from dataclasses import dataclass

BURST_SECONDS = 1.0
"""Keys further apart than this don't belong to one burst of typing."""
SHARE = 0.4
PATIENCE = 1.25
MOST_DOCUMENTS = 256
ENDS = frozenset(" \t\n.([{,:=")
"""After these the next word begins, which is what ghost text is about."""


@dataclass(frozen=True, slots=True)
class Pace:
    """How fast somebody types: the last request's time and the smoothed time between two."""

    at: float = float("-inf")
    gap: float | None = None

    def next(self, now: float) -> "Pace":
        """The pace behind one more request."""
        gap = now - self.at
        if gap >= BURST_SECONDS:
            return Pace(now)
        smooth = gap if self.gap is None else (1 - SHARE) * self.gap + SHARE * gap
        return Pace(now, smooth)


def delay(base: float, pace: Pace, before: str) -> float:
    """Seconds to wait; between half of `base` and three times as long.

    Where the next key is due soon, waiting for it spares a job; where it isn't, waiting is in vain.
    """
    due = base if pace.gap is None else PATIENCE * pace.gap
    wait = max(base, due) if due <= 3 * base else base
    return wait / 2 if before[-1:] in ENDS else wait


class Paces:
    """The pace in each document."""

    def __init__(self) -> None:
        self._paces: OrderedDict[str, Pace] = OrderedDict()

    def key(self, uri: str, now: float) -> Pace:
        """Something was typed."""
        pace = self._paces.pop(uri, Pace()).next(now)
        self._paces[uri] = pace
        if len(self._paces) > MOST_DOCUMENTS:
            self._paces.popitem(last=False)
        return pace

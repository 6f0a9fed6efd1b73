"""Owns constraints that are no automaton: a checker judges whole texts; one that passed is kept.

The witness rule still holds: tokens are revealed from the kept text alone, once it is the model's.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

Accepts = Callable[[str], bool]  # of the text in the hole


@dataclass(frozen=True, slots=True)
class Kept:
    """A text that passed; `from_model` tells it from the fallback, which is only ever an answer."""

    text: str
    from_model: bool


class BlackBox:
    """Holds the best text so far that the checker accepts.

    `fallback` is what stood in the hole before, or None.
    """

    def __init__(self, accepts: Accepts, fallback: str | None = None) -> None:
        self._accepts = accepts
        self.kept: Kept | None = None
        if fallback is not None and accepts(fallback):
            self.kept = Kept(fallback, from_model=False)

    def offer(self, candidates: Sequence[str]) -> int | None:
        """Ask about candidates, best first; keeps the first that passes and returns its place."""
        for place, candidate in enumerate(candidates):
            if self._accepts(candidate):
                self.kept = Kept(candidate, from_model=True)
                return place
        return None

"""Owns constraints that are no automaton: a checker judges whole texts; one that passed is kept.

The witness rule still holds: tokens are revealed from the kept text alone, once it is the model's.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from engine.constraints.errors import CheckerError

Accepts = Callable[[str], bool]  # of the text in the hole


@dataclass(frozen=True, slots=True)
class Kept:
    """A text that passed; `from_model` tells it from the fallback, which is only ever an answer."""

    text: str
    from_model: bool


class BlackBox:
    """Holds the best text so far that the checker accepts.

    `fallback` is what stood in the hole before, or None. A checker that fails counts as a refusal;
    after `patience` failures in a row it is not asked again, and `failed` says why.
    """

    def __init__(self, accepts: Accepts, fallback: str | None = None, patience: int = 3) -> None:
        self._accepts = accepts
        self._patience = patience
        self._failures = 0
        self.failed: str | None = None
        self.kept: Kept | None = None
        if fallback is not None and self._ask(fallback):
            self.kept = Kept(fallback, from_model=False)

    def offer(self, candidates: Sequence[str]) -> int | None:
        """Ask about candidates, best first; keeps the first that passes and returns its place."""
        for place, candidate in enumerate(candidates):
            if self._ask(candidate):
                self.kept = Kept(candidate, from_model=True)
                return place
        return None

    def _ask(self, text: str) -> bool:
        if self._failures >= self._patience:
            return False
        try:
            verdict = self._accepts(text)
        except CheckerError as error:
            self._failures += 1
            self.failed = str(error)
            return False
        self._failures = 0
        return verdict

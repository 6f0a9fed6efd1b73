"""The last answers: what was typed since may still agree with one, and then nothing is asked."""

from collections import deque
from dataclasses import dataclass

from lsp_server.ghost.spot import Spot, typed_since

KEPT = 8


@dataclass(frozen=True, slots=True)
class Answer:
    """Texts between two others, the best first.

    Attributes:
        asked: how many were asked for; there may be fewer, or none.
    """

    uri: str
    before: str
    after: str
    texts: tuple[str, ...]
    asked: int

    def rest(self, spot: Spot) -> tuple[str, ...] | None:
        """What is left of the texts at `spot`; None if what was typed since is not in them."""
        if spot.document.uri != self.uri:
            return None
        typed = typed_since((self.before, self.after), spot)
        if typed is None:
            return None
        left = tuple(text[len(typed) :] for text in self.texts if goes_on(text, typed))
        return left if left or not typed else None


def goes_on(text: str, typed: str) -> bool:
    """Whether `text` begins with what was typed and has more to say."""
    return text.startswith(typed) and bool(text[len(typed) :].strip())


class Answers:
    """See the module; the newest first."""

    def __init__(self) -> None:
        self._kept: deque[Answer] = deque(maxlen=KEPT)

    def add(self, answer: Answer) -> None:
        """Remember an answer."""
        self._kept.appendleft(answer)

    def find(self, spot: Spot) -> tuple[tuple[str, ...], int]:
        """Texts for `spot` that are known, and how many were asked for when they came, else 0."""
        for answer in self._kept:
            rest = answer.rest(spot)
            if rest is not None:
                return rest, answer.asked
        return (), 0

    def forget(self, uri: str) -> None:
        """Drop what belongs to a document."""
        kept = [answer for answer in self._kept if answer.uri != uri]
        self._kept = deque(kept, maxlen=KEPT)

"""Append-only text from a canvas that fills in any order: what is said can't change any more."""

from engine.hole import Hole

HELD = 12
"""Characters that may yet turn out to repeat the rest of the line."""


class SettledText:
    """Owns what was said so far; see the module.

    Blanks at the end are held back, since the answer's shape may still drop them; so is the start
    of a stop string, and in a hole inside a line what may turn out to be the rest of that line.
    """

    def __init__(self, hole: Hole, stops: tuple[str, ...] = ()) -> None:
        self._hole = hole
        self._stops = stops
        self._held = HELD if hole.shape == "span" else 0
        self.said = ""
        self.stopped = False

    def grow(self, settled: str) -> str:
        """What can be said now that this much of the canvas is settled from the left."""
        answer, self.stopped = cut_at_stop(self._hole.answer(settled).text, self._stops)
        if not self.stopped and not self._hole.is_complete(settled):
            answer = answer[: len(answer) - self._held] if self._held else answer
            answer = self._without_begun_stop(answer).rstrip()
        return self._say(answer)

    def finish(self, text: str) -> str | None:
        """The rest, now that the whole answer is known; None if it isn't what was begun."""
        answer, _ = cut_at_stop(text, self._stops)
        return self._say(answer) if answer.startswith(self.said) else None

    def _say(self, answer: str) -> str:
        if not answer.startswith(self.said):
            return ""
        news = answer[len(self.said) :]
        self.said = answer if news else self.said
        return news

    def _without_begun_stop(self, text: str) -> str:
        """Without an end that may be the beginning of a stop string."""
        longest = max((len(stop) for stop in self._stops), default=0)
        for size in range(min(longest - 1, len(text)), 0, -1):
            if any(stop.startswith(text[-size:]) for stop in self._stops):
                return text[:-size]
        return text


def cut_at_stop(text: str, stops: tuple[str, ...]) -> tuple[str, bool]:
    """The text before the first stop string, and whether there was one."""
    places = [at for stop in stops if (at := text.find(stop)) >= 0]
    return (text[: min(places)], True) if places else (text, False)

"""Append-only text from a canvas that fills in any order, for protocols that can take nothing back.

The shape of a hole may still mend what has settled: close or cut what is open, drop what repeats.
So a line is said when another whole line stands behind it and nothing in it is open; the rest of
the answer is said at the end.
"""

from engine.hole import Hole
from engine.shape.answer import Answer

PAIRS = ("()", "[]", "{}")
QUOTES = ('"', "'", "`")


class SettledText:
    """Owns what was said so far; see the module. `stop`: the stop string that came, if one did.

    Of a hole that is taken as it is everything is said at once; `silent` says nothing before the
    end.
    """

    def __init__(self, hole: Hole, stops: tuple[str, ...] = (), silent: bool = False) -> None:
        self._hole = hole
        self._silent = silent
        self._stops = stops
        self.said = ""
        self.stop = ""

    def grow(self, settled: str) -> str:
        """What can be said now that this much of the canvas is settled from the left."""
        if self._silent:
            return ""
        shaped = self._hole.answer(settled)
        stands, self.stop = cut_at_stop(unclosed(shaped, len(settled)), self._stops)
        if self.stop:
            return self._say(stands)
        answer = shaped.text
        if self._hole.exact and not self._hole.whole_lines:
            return self._say(self._without_begun_stop(answer))
        if self._hole.is_complete(settled):
            return ""  # the engine sees that too, and its answer is on the way
        return self._say(self._without_begun_stop(finished_lines(answer, settled)).rstrip())

    def finish(self, text: str) -> str | None:
        """The rest, now that the whole answer is known; None if it isn't what was begun."""
        answer, _ = cut_at_stop(text, self._stops)
        return self._say(answer) if answer.startswith(self.said) else None

    def _without_begun_stop(self, text: str) -> str:
        """Without an end that may be the beginning of a stop string."""
        longest = max((len(stop) for stop in self._stops), default=0)
        for size in range(min(longest - 1, len(text)), 0, -1):
            if any(stop.startswith(text[-size:]) for stop in self._stops):
                return text[:-size]
        return text

    def _say(self, answer: str) -> str:
        if not answer.startswith(self.said):
            return ""
        news = answer[len(self.said) :]
        self.said = answer if news else self.said
        return news


def unclosed(answer: Answer, size: int) -> str:
    """`answer` to a text of `size` without what only closes it as long as it is not whole."""
    end = answer.edits[-1].text if answer.edits and answer.edits[-1].stop == size else ""
    return answer.text.removesuffix(end)


def finished_lines(answer: str, settled: str) -> str:
    """The lines of `answer` that stand, without the blanks at their end."""
    body = settled.lstrip()
    whole = max(0, body.count("\n") - 1)
    lines = answer.splitlines(keepends=True)[:whole]
    while lines and is_open("".join(lines)):
        lines.pop()
    return "".join(lines).rstrip()


def is_open(text: str) -> bool:
    """Whether a bracket or quote may be open in `text`; rather once too often."""
    unpaired = any(text.count(pair[0]) != text.count(pair[1]) for pair in PAIRS)
    return unpaired or any(text.count(quote) % 2 for quote in QUOTES)


def cut_at_stop(text: str, stops: tuple[str, ...]) -> tuple[str, str]:
    """The text before the first stop string, and that, if there is one."""
    found = [(at, stop) for stop in stops if (at := text.find(stop)) >= 0]
    at, stop = min(found, default=(len(text), ""))
    return text[:at], stop

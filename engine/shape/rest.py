"""Owns what stands right of a hole on its line, and where an answer begins to say it again."""

from functools import cached_property
from typing import NamedTuple

from engine.shape.scanner import Mark, State, scan
from engine.shape.site import Site

KEY_LIMIT = 12


class Stop(NamedTuple):
    """The answer ends before `cut`; the characters up to `seen` say so."""

    cut: int
    seen: int


class Rest:
    """The text right of one hole, which an answer is not to repeat."""

    def __init__(self, site: Site) -> None:
        self._site = site
        self._key = site.rest[:KEY_LIMIT]

    def key_at(self, text: str, start: int, stop: int, state: State) -> Stop | None:
        """Where between `start` and `stop`, all of it in `state`, it is begun again."""
        key = self._key
        if not key:
            return None
        at = text.find(key, start, stop + len(key))
        while at >= 0:
            left = text[at - 1] if at else self._site.current[-1:]
            if not (wordly(key[0]) and wordly(left)):
                return Stop(at, at + len(key)) if self._goes_on(state) else None
            at = text.find(key, at + 1, stop + len(key))
        return None

    def within_literal(self, text: str, state: State) -> int:
        """Where `text` begins to repeat what still stands in the hole's literal."""
        assert state.literal is not None
        inner = self._site.rest.partition(state.literal.close)[0]
        return len(text.removesuffix(inner))

    def within_bracket(self, text: str, mark: Mark) -> int:
        """Where `text` up to `mark`, a closer too many, begins to repeat what stands before that
        closer."""
        rest, closer = self._site.rest, text[mark.start : mark.stop]
        for own in self._site.scan(rest):
            alike = own.kind == mark.kind and own.frame is mark.frame
            if alike and rest[own.start : own.stop] == closer:
                return len(text[: mark.start].removesuffix(rest[: own.start]))
        return mark.start

    def _goes_on(self, state: State) -> bool:
        """Whether what stands right of the hole can go on from `state`."""
        own = self._site.state
        left = state.literal is None and not self._site.literal_owed
        if state.depth <= own.depth and (left or state.literal is own.literal):
            return True
        return self._lacks_opener and self._closes(state)

    @cached_property
    def _lacks_opener(self) -> bool:
        """Whether what stands behind the hole closes what only the hole can open."""
        site = self._site
        marks = scan(site.language.lexis, site.after, site.state)
        return site.state.literal is None and any(m.kind in ("stray", "broken") for m in marks)

    def _closes(self, state: State) -> bool:
        """Whether what stands behind the hole closes all that is opened in it, and no more."""
        if state.literal is not None and state.literal.quote.comment:
            return False
        for mark in scan(self._site.language.lexis, self._site.after, state):
            if mark.kind in ("stray", "broken"):
                return False
            if mark.state.depth <= self._site.state.depth and mark.state.literal is None:
                return True
        return False


def wordly(text: str) -> bool:
    """Whether a text begins as a word does."""
    return text[:1].isalnum() or text[:1] == "_"

"""The answer to a revision of several spans, cut at the text between them that stays as it is."""

from collections.abc import Sequence
from itertools import pairwise

from clients.cli.errors import EngineFailure
from protocol.messages import Done

Places = list[tuple[int, int]]
"""Where tokens begin and end, in characters: (of the old text, of the answer)."""


def revised_parts(done: Done, old: str, spans: Sequence[tuple[int, int]]) -> tuple[str, ...]:
    """What became of the [start, stop) `spans` of the `old` text.

    Raises:
        EngineFailure: the text between them is not what it was.
    """
    places = _places(done)
    bounds = [
        (_found(places, start, inner=False), _found(places, stop, inner=True))
        for start, stop in spans
    ]
    kept = [old[a[1] : b[0]] for a, b in pairwise(spans)]
    if kept != [done.text[a[1] : b[0]] for a, b in pairwise(bounds)]:
        raise EngineFailure("the engine's answer changes text between the spans; nothing is kept")
    return tuple(done.text[start:stop] for start, stop in bounds)


def _places(done: Done) -> Places:
    places = [(0, 0)]
    for token in done.tokens:
        was = token.text if token.revised_from is None else token.revised_from
        old, new = places[-1]
        places.append((old + len(was), new + len(token.text)))
    return places


def _found(places: Places, offset: int, inner: bool) -> int:
    """The offset in the answer; `inner` puts tokens that were added there before it."""
    here = [new for old, new in places if old == offset]
    if here:
        return here[-1] if inner else here[0]
    old, new = max(place for place in places if place[0] < offset)
    return new + offset - old

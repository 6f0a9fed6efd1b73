"""Spans of a document that stay where they belong while the document is edited. Pure.

Offsets count characters (code points) of the document's text.
"""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Span:
    """Characters [start, stop) of a text."""

    start: int
    stop: int


@dataclass(frozen=True, slots=True)
class Change:
    """Characters [start, stop) became `text`."""

    start: int
    stop: int
    text: str

    @property
    def growth(self) -> int:
        """Characters the text gained."""
        return len(self.text) - (self.stop - self.start)


def changed(old: str, new: str) -> Change | None:
    """The smallest change that makes `new` of `old`; None if they are equal."""
    if old == new:
        return None
    start = common_prefix(old, new)
    tail = common_suffix(old, new, min(len(old), len(new)) - start)
    return Change(start, len(old) - tail, new[start : len(new) - tail])


def tightened(change: Change, old: str) -> Change | None:
    """`change` of the text `old` without what it leaves as it is; None if it changes nothing."""
    inner = changed(old[change.start : change.stop], change.text)
    if inner is None:
        return None
    return Change(change.start + inner.start, change.start + inner.stop, inner.text)


def shift(span: Span, change: Change) -> Span | None:
    """Where `span` is after `change`; None if the change lies inside it.

    Text that comes directly before or behind a span is outside, in an empty span it is inside.
    """
    empty = span.start == span.stop == change.start == change.stop
    if change.stop <= span.start and not empty:
        return Span(span.start + change.growth, span.stop + change.growth)
    if change.start >= span.stop and not empty:
        return span
    return None


def shift_all(spans: Sequence[Span], change: Change) -> list[Span] | None:
    """All spans after `change`; None if it lies inside one of them."""
    moved = [shift(span, change) for span in spans]
    kept = [span for span in moved if span is not None]
    return kept if len(kept) == len(moved) else None


def common_prefix(old: str, new: str) -> int:
    """How many characters both texts begin with."""
    low, high = 0, min(len(old), len(new))
    while low < high:  # slices are compared at the speed of memory, characters are not
        middle = (low + high + 1) // 2
        if old[low:middle] == new[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def common_suffix(old: str, new: str, most: int) -> int:
    """How many characters, at most `most`, both texts end with."""
    low, high = 0, most
    while low < high:
        middle = (low + high + 1) // 2
        if old[len(old) - middle : len(old) - low] == new[len(new) - middle : len(new) - low]:
            low = middle
        else:
            high = middle - 1
    return low

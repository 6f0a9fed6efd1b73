"""An item while its segments and holes are gathered; all positions come from the layout."""

from collections.abc import Callable
from dataclasses import dataclass

from models.layout import Layout
from models.training.masks import Canvas, slot
from models.training.pack import Hole, Segment
from models.training.window import Window

Seen = tuple[int, int, int]
"""(segment, first, last): what a hole sees of a segment."""


@dataclass(frozen=True, slots=True)
class Filled:
    """A canvas with its slots."""

    canvas: Canvas
    slots: list[tuple[list[int], list[tuple[int, int, float, int]]]]


class Draft:
    """The text of a window, with what holes see beside it."""

    def __init__(self, window: Window, separator: int, layout: Layout, causal: bool) -> None:
        self.window = window
        self._causal = causal
        self.holes: list[Hole] = []
        self._layout = layout
        self._text = [separator, *window.ids]
        self.segments = [Segment(self._text, list(layout.prefix(len(self._text))))]
        self._suffixes: dict[int, list[Seen]] = {}

    def _segment(self, ids: list[int], positions: list[int]) -> Seen:
        self.segments.append(Segment(ids, positions))
        return len(self.segments) - 1, 0, len(ids)

    def reference(self, ids: list[int]) -> Seen:
        """A reference segment, cut to its window."""
        ids = ids[: self._layout.reference_limit]
        return self._segment(ids, list(self._layout.reference(len(ids))))

    def suffix(self, stop: int, length: Callable[[], int]) -> list[Seen]:
        """The suffix segment behind `stop`, made once; empty where its length is 0."""
        if stop not in self._suffixes:
            self._suffixes[stop] = self.behind(self.window.behind(stop, length()) or [])
        return self._suffixes[stop]

    def behind(self, ids: list[int]) -> list[Seen]:
        """A suffix segment of other tokens than the text's."""
        ids = ids[: self._layout.suffix_limit]
        return [self._segment(ids, list(self._layout.suffix(len(ids))))] if ids else []

    def add(self, prefix: int, filled: Filled, seen: list[Seen], breaks: int | None = None) -> None:
        """A hole behind `prefix` tokens of the text (and the separator); `breaks` as in Hole."""
        positions = list(self._layout.canvas(prefix + 1, len(filled.canvas.ids)))
        slots = [slot([self._text[prefix]], [part]) for part in filled.slots]
        seen = [*seen, (0, 0, prefix + 1)]
        self.holes.append(Hole(seen, positions, [0], slots, self._causal, breaks))

    def add_joint(
        self,
        prefix: int,
        between: list[int],
        fills: list[Filled],
        seen: list[Seen],
    ) -> None:
        """Two holes; the text between them sees the prefix, and stands behind the first canvas."""
        before = self._text[: prefix + 1]
        sizes = [len(filled.canvas.ids) for filled in fills]
        places = self._layout.joint(len(before), sizes, [len(between)])
        (first, second), (gap,) = places.canvases, places.betweens
        text = self._segment([*before, *between], [*self._layout.prefix(len(before)), *gap])
        pairs = zip(fills[0].slots, fills[1].slots, strict=True)
        slots = [slot([before[-1], between[-1]], list(pair)) for pair in pairs]
        self.holes.append(Hole([*seen, text], [*first, *second], [0, len(first)], slots))

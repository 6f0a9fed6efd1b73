"""Where every token sits: the rotary positions of segments and canvases in the `hole` regime.

The suffix segment comes first, then reference segments, then the prefix, then the canvas, which
begins with the anchor row: a copy of the last prefix token at its own position. Trainer and
engine both take their positions from here, and from nowhere else.
"""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Joint:
    """Positions of several canvases, each with its anchor row first, and of the text between."""

    canvases: tuple[range, ...]
    betweens: tuple[range, ...]


@dataclass(frozen=True, slots=True)
class Layout:
    """The windows of a checkpoint: [start, stop) in rotary positions."""

    suffix_start: int = 0
    suffix_stop: int = 128
    reference_start: int = 128
    reference_stop: int = 512
    prefix_origin: int = 512

    def __post_init__(self) -> None:
        ends = (self.suffix_start, self.suffix_stop, self.reference_start, self.reference_stop)
        if not (0 <= ends[0] <= ends[1] <= ends[2] <= ends[3] <= self.prefix_origin):
            raise ValueError(f"layout windows overlap or run backwards: {self}")

    @property
    def suffix_limit(self) -> int:
        """Most tokens of the suffix segment."""
        return self.suffix_stop - self.suffix_start

    @property
    def reference_limit(self) -> int:
        """Most tokens of one reference segment."""
        return self.reference_stop - self.reference_start

    def suffix(self, length: int) -> range:
        """Positions of a suffix segment of `length` tokens."""
        return _window(self.suffix_start, length, self.suffix_stop, "suffix")

    def reference(self, length: int) -> range:
        """Positions of a reference segment; each begins where the window does."""
        return _window(self.reference_start, length, self.reference_stop, "reference")

    def prefix(self, length: int) -> range:
        """Positions of a prefix segment: the separator token, then the prefix's tokens."""
        return range(self.prefix_origin, self.prefix_origin + length)

    def anchor(self, prefix_length: int) -> int:
        """Position of the anchor row behind a prefix segment of `prefix_length` tokens."""
        if prefix_length < 1:
            raise ValueError("a prefix segment holds at least the separator")
        return self.prefix_origin + prefix_length - 1

    def canvas(self, prefix_length: int, slots: int) -> range:
        """Positions of the anchor row and `slots` canvas rows: 1 + slots of them."""
        start = self.anchor(prefix_length)
        return range(start, start + 1 + slots)

    def joint(self, prefix_length: int, slots: Sequence[int], betweens: Sequence[int]) -> Joint:
        """Positions of several canvases of `slots` slots with `betweens` tokens between them.

        The text behind a canvas continues where the canvas ends; the next anchor is a copy of
        that text's last token, at its position.
        """
        if len(slots) != len(betweens) + 1 or min(betweens, default=1) < 1:
            raise ValueError("there is at least one token between two canvases")
        canvases, texts = [self.canvas(prefix_length, slots[0])], []
        for between, size in zip(betweens, slots[1:], strict=True):
            start = canvases[-1].stop
            texts.append(range(start, start + between))
            anchor = start + between - 1
            canvases.append(range(anchor, anchor + 1 + size))
        return Joint(tuple(canvases), tuple(texts))


def _window(start: int, length: int, stop: int, name: str) -> range:
    if length > stop - start:
        raise ValueError(
            f"a {name} segment of {length} tokens does not fit its window of {stop - start}"
        )
    return range(start, start + length)

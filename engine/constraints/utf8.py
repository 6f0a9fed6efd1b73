"""Owns sets of code points and how they are spelled in UTF-8; knows no expression."""

from collections.abc import Iterable
from functools import lru_cache

from engine.constraints.expression import Ranges

LAST = 0x10FFFF
ANY_CHAR: Ranges = ((0, 0xD7FF), (0xE000, LAST))
_WIDTHS = ((0, 0x7F), (0x80, 0x7FF), (0x800, 0xFFFF), (0x10000, LAST))


def normalise(ranges: Iterable[tuple[int, int]]) -> Ranges:
    """Sort and join ranges."""
    joined: list[tuple[int, int]] = []
    for low, high in sorted(ranges):
        if joined and low <= joined[-1][1] + 1:
            joined[-1] = (joined[-1][0], max(joined[-1][1], high))
        else:
            joined.append((low, high))
    return tuple(joined)


def complement(ranges: Iterable[tuple[int, int]]) -> Ranges:
    """Every scalar value outside `ranges`."""
    return _outside(normalise([*ranges, (0xD800, 0xDFFF)]))


def intersect(one: Ranges, other: Ranges) -> Ranges:
    """Scalar values in both."""
    return complement([*complement(one), *complement(other)])


def _outside(ranges: Ranges) -> Ranges:
    gaps, at = [], 0
    for low, high in ranges:
        if low > at:
            gaps.append((at, low - 1))
        at = high + 1
    if at <= LAST:
        gaps.append((at, LAST))
    return tuple(gaps)


@lru_cache(maxsize=4096)
def byte_sequences(ranges: Ranges) -> tuple[tuple[tuple[int, int], ...], ...]:
    """The set as sequences of byte ranges: each is one to four (low, high) pairs."""
    whole = intersect(ranges, ANY_CHAR)
    sequences = []
    for low, high in whole:
        for first, last in _WIDTHS:
            if low <= last and high >= first:
                sequences.extend(_split(max(low, first), min(high, last)))
    return tuple(sequences)


def _split(low: int, high: int) -> list[tuple[tuple[int, int], ...]]:
    """Split a range of equal spelled width into products of byte ranges."""
    if high <= 0x7F:
        return [((low, high),)]
    for shift in (6, 12, 18):
        mask = (1 << shift) - 1
        if low & ~mask != high & ~mask:
            if low & mask:
                return _split(low, low | mask) + _split((low | mask) + 1, high)
            if high & mask != mask:
                return _split(low, (high & ~mask) - 1) + _split(high & ~mask, high)
    return [tuple(zip(chr(low).encode(), chr(high).encode(), strict=True))]

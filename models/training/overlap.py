"""Exact overlap of texts: 50-character windows of normalised text, by 64-bit rolling hashes."""

import re
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

WINDOW = 50
BASE = np.uint64(0x9E3779B97F4A7C15)
SPREAD = np.uint64(0xD6E8FEB86659FD93)
MASK = (1 << 64) - 1
Hashes = NDArray[np.uint64]


def normalised(text: str) -> str:
    """White space as single spaces, lower case."""
    return re.sub(r"\s+", " ", text).lower()


def windows(text: str, length: int = WINDOW) -> Hashes:
    """A hash of every window of `length` characters of the normalised text.

    The hash of a run is built from the hashes of runs half as long, so that it costs a handful of
    passes over the text whatever the length.
    """
    x = np.frombuffer(normalised(text).encode("utf-32-le"), np.uint32).astype(np.uint64)
    x = (x + np.uint64(1)) * SPREAD
    x ^= x >> np.uint64(29)
    count = len(x) - length + 1
    if count <= 0:
        return x[:0]
    out, at, size, power = np.zeros(count, np.uint64), 0, 1, BASE
    while size <= length:
        if length & size:
            out = out * power + x[at : at + count]
            at += size
        if size * 2 <= length:
            x = x[:-size] * power + x[size:]
        power, size = np.uint64(int(power) ** 2 & MASK), size * 2
    return out


class Overlap:
    """The windows of texts that must not be learned from."""

    def __init__(self, texts: Iterable[str]) -> None:
        parts = [windows(text) for text in texts]
        self._hashes = np.unique(np.concatenate(parts)) if parts else np.zeros(0, np.uint64)

    def __len__(self) -> int:
        return len(self._hashes)

    def touches(self, text: str) -> bool:
        """Whether any window of `text` is among them."""
        if not len(self._hashes):
            return False
        found = windows(text)
        at = np.minimum(np.searchsorted(self._hashes, found), len(self._hashes) - 1)
        return bool((self._hashes[at] == found).any())

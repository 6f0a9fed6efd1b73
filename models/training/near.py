"""Near-duplicates by MinHash over word shingles (Broder 1997) with banding."""

import re
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

SHINGLE, BANDS, ROWS, SKETCH = 5, 16, 8, 1000
"""128 permutations in bands of 8: pairs of similarity .75 collide with probability .81, .5 with
.06. Of a long text the SKETCH smallest shingle hashes stand for it."""


class NearDuplicates:
    """Remembers texts by bands of their MinHash signature."""

    def __init__(self, seed: int = 0) -> None:
        rng = np.random.default_rng(seed)
        odd = rng.integers(1, 1 << 63, (BANDS * ROWS, 1), np.uint64) * np.uint64(2) + np.uint64(1)
        self._factors, self._offsets = odd, rng.integers(0, 1 << 63, (BANDS * ROWS, 1), np.uint64)
        self._seen: set[tuple[int, bytes]] = set()

    def add(self, text: str) -> bool:
        """Remember `text`; whether something like it was there before."""
        signature = self._signature(text)
        keys = [
            (band, signature[band * ROWS : (band + 1) * ROWS].tobytes()) for band in range(BANDS)
        ]
        known = any(key in self._seen for key in keys)
        self._seen.update(keys)
        return known

    def _signature(self, text: str) -> NDArray[np.uint64]:
        words = np.array([hash_word(word) for word in re.findall(r"\w+|[^\w\s]", text)], np.uint64)
        mixed = np.zeros(max(1, len(words) - SHINGLE + 1), np.uint64)
        for offset in range(min(SHINGLE, len(words))):
            mixed = mixed * np.uint64(0x100000001B3) + words[offset : offset + len(mixed)]
        shingles = np.unique(mixed)[:SKETCH]
        high = (shingles[None] * self._factors + self._offsets) >> np.uint64(20)
        minima: NDArray[np.uint64] = high.min(1)
        return minima


@lru_cache(1 << 20)
def hash_word(word: str) -> int:
    """FNV-1a of a word; the same in every process."""
    value = 0xCBF29CE484222325
    for byte in word.encode():
        value = ((value ^ byte) * 0x100000001B3) & 0xFFFFFFFFFFFFFFFF
    return value

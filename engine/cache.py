"""Which segments' key/values are kept: by content, reused up to the longest common token prefix.

A segment is a run of tokens that is causal in itself, so any prefix of it can be reused exactly.
"""

from dataclasses import dataclass, field
from itertools import count

import numpy as np

from models.keyvalues import KeyValues
from models.transformer import Transformer

REWIND = 64
WORTH_COPYING = 16


@dataclass(slots=True, eq=False)
class Entry:
    """Key/values of `ids` from position `origin` on; `readers` and `writer` are live leases."""

    origin: int
    ids: list[int]
    key_values: KeyValues
    readers: int = 0
    writer: "Lease | None" = None
    used: int = 0


@dataclass(slots=True, eq=False)
class Lease:
    """A job's hold on a segment: `done` of its `ids` have key/values, `cached` had them before.

    A segment that continues another one sees the whole of it (`behind`) and stands at `places`;
    it is its job's own and not kept.
    """

    entry: Entry
    ids: tuple[int, ...]
    done: int
    cached: int
    behind: "Lease | None" = None
    places: tuple[int, ...] = ()

    @property
    def pending(self) -> int:
        """Tokens that still need a pass."""
        return len(self.ids) - self.done

    def advance(self, tokens: int) -> None:
        """`tokens` more have been computed into the entry."""
        self.entry.ids.extend(self.ids[self.done : self.done + tokens])
        self.done += tokens
        if not self.pending and self.entry.writer is self:
            self.entry.writer = None


@dataclass(slots=True)
class SegmentCache:
    """Owns every kept segment; the least recently used go when `limit` bytes are passed."""

    transformer: Transformer
    limit: int
    _entries: list[Entry] = field(default_factory=list)
    _clock: "count[int]" = field(default_factory=count)

    @property
    def nbytes(self) -> int:
        """Bytes of all kept key/values."""
        return sum(entry.key_values.nbytes for entry in self._entries)

    def lease(self, origin: int, ids: tuple[int, ...]) -> Lease:
        """Hold the segment `ids` at `origin`, reusing the longest common prefix that is kept."""
        entry, common = self._closest(origin, ids)
        if entry is None or not self._take(entry, common, len(ids)):
            entry, common = self._fresh(origin, entry, common)
        lease = Lease(entry, ids, common, common)
        entry.readers += 1
        entry.used = next(self._clock)
        if lease.pending:
            entry.writer = lease
        self._evict()
        return lease

    def release(self, lease: Lease) -> None:
        """Let go; what was computed stays until it is evicted."""
        lease.entry.readers -= 1
        if lease.entry.writer is lease:
            lease.entry.writer = None
        self._evict()

    def _closest(self, origin: int, ids: tuple[int, ...]) -> tuple[Entry | None, int]:
        best, longest = None, 0
        for entry in self._entries:
            if entry.origin == origin and (n := common_prefix(entry.ids, ids)) > longest:
                best, longest = entry, n
        return best, longest

    def _take(self, entry: Entry, common: int, wanted: int) -> bool:
        """Whether the entry itself can serve; cuts off a short tail that nobody reads."""
        extra = len(entry.ids) - common
        if common == wanted:
            return True  # only reads: the tail behind stays as it is
        if entry.writer is not None:
            return False
        if extra == 0:
            return True
        if entry.readers or extra > REWIND:
            return False
        del entry.ids[common:]
        return True

    def _fresh(self, origin: int, source: Entry | None, common: int) -> tuple[Entry, int]:
        """A new entry, with a copy of what it shares with `source` if that is worth the copy."""
        if source is not None and common >= WORTH_COPYING:
            entry = Entry(origin, source.ids[:common], source.key_values.copy(common))
        else:
            entry, common = Entry(origin, [], self.transformer.new_key_values()), 0
        self._entries.append(entry)
        return entry, common

    def _evict(self) -> None:
        free = sorted((e for e in self._entries if not e.readers), key=lambda e: e.used)
        excess = self.nbytes - self.limit
        for entry in free:
            if excess > 0 or not entry.ids:  # what was never begun takes no bytes, but a place
                excess -= entry.key_values.nbytes
                self._entries.remove(entry)


def common_prefix(a: list[int], b: tuple[int, ...]) -> int:
    """Length of the longest common prefix of two id sequences."""
    length = min(len(a), len(b))
    differ = np.flatnonzero(np.asarray(a[:length]) != np.asarray(b[:length]))
    return int(differ[0]) if len(differ) else length

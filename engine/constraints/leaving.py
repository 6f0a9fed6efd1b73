"""Owns the tokens that leave a language: what they would have spelled before they left it.

A reading that continues a text wants tokens that end the hole and go on behind it (`",` where only
`"` may come). Their mass belongs to the token that spells the part inside, or to the hole's end.
"""

import numpy as np
import numpy.typing as npt

from engine.constraints.byte_dfa import ByteDFA
from engine.constraints.vocabulary import Vocabulary

Ints = npt.NDArray[np.int64]
Odds = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]
STAYS = -1
_ROOT = 0


class Leaving:
    """The vocabulary as a tree of bytes; `size` is the number of its ids.

    The tokens below a node stand together: [low, high) of the sorted tokens.
    """

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.size = vocabulary.size
        texts = vocabulary.token_bytes
        order = sorted(vocabulary.ids.tolist(), key=lambda token: texts[token] or b"")
        self._ids = np.array(order, np.int64)
        sorted_texts = [texts[token] or b"" for token in order]
        self._build(sorted_texts)

    def _build(self, texts: list[bytes]) -> None:
        sizes = np.array([len(text) for text in texts], np.int64)
        flat = np.frombuffer(b"".join(texts), np.uint8)
        offset = np.cumsum(sizes) - sizes
        node = np.zeros(len(texts), np.int64)
        byte, low, high = [np.zeros(1, np.uint8)], [np.zeros(1, np.int64)], [np.array([len(texts)])]
        parents, base = [np.full(1, -1)], 1
        for place in range(int(sizes.max(initial=0))):
            active = np.flatnonzero(sizes > place)
            letters = flat[offset[active] + place]
            key = node[active] * 256 + letters
            begins = np.flatnonzero(np.diff(key, prepend=-1))
            node[active] = base + np.cumsum(np.diff(key, prepend=key[0]) != 0)
            byte.append(letters[begins])
            parents.append(key[begins] // 256)
            low.append(active[begins])
            high.append(active[np.append(begins[1:], len(active)) - 1] + 1)
            base += len(begins)
        self._byte = np.concatenate(byte)
        self._low, self._high = np.concatenate(low), np.concatenate(high)
        self._count = np.bincount(np.concatenate(parents)[1:], minlength=base)
        self._first = 1 + np.cumsum(self._count) - self._count
        self._spelled = np.full(base, STAYS, np.int64)
        self._spelled[node[::-1]] = self._ids[::-1]

    def extended(self, text: bytes) -> dict[int, int]:
        """The tokens that are one byte longer than `text`, by that byte."""
        node = _ROOT
        for byte in text:
            found = self._child(node, byte)
            if found is None:
                return {}
            node = found
        low = self._first[node]
        children = range(int(low), int(low + self._count[node]))
        return {
            int(self._byte[n]): int(self._spelled[n]) for n in children if self._spelled[n] >= 0
        }

    def spelling(self, text: bytes) -> list[int]:
        """The tokens that `text` begins with, shortest first."""
        node, found = _ROOT, []
        for byte in text:
            child = self._child(node, byte)
            if child is None:
                break
            node = child
            if self._spelled[node] >= 0:
                found.append(int(self._spelled[node]))
        return found

    def _child(self, node: int, byte: int) -> int | None:
        low, count = int(self._first[node]), int(self._count[node])
        place = low + int(np.searchsorted(self._byte[low : low + count], byte))
        return place if place < low + count and self._byte[place] == byte else None

    def credits(self, dfa: ByteDFA, final: Bools, state: int, end: int) -> Ints:
        """[V] for each token in `state`: STAYS if it stays in the language, or leaves it from where
        the hole may not end; else the token that spells its longest part after which the hole may
        end, or the id `end` if that part is empty."""
        found = np.full(len(self._ids), STAYS, np.int64)
        node, at = np.array([_ROOT]), np.array([state])
        last = np.array([end if final[state] else STAYS])
        while len(node):
            count = self._count[node]
            parent = np.repeat(np.arange(len(node)), count)
            place = np.arange(len(parent)) - np.repeat(np.cumsum(count) - count, count)
            child = self._first[node[parent]] + place
            to = dfa.table[at[parent], dfa.byte_class[self._byte[child]]]
            gone = to == 0
            self._fill(found, child[gone], last[parent[gone]])
            node, at, before = child[~gone], to[~gone], last[parent[~gone]]
            here = self._spelled[node]
            last = np.where(final[at] & (here >= 0), here, before)
        credits = np.full(self.size, STAYS, np.int64)
        credits[self._ids] = found
        return credits

    def _fill(self, found: Ints, nodes: Ints, values: Ints) -> None:
        """Give every token below each node its value."""
        size = self._high[nodes] - self._low[nodes]
        within = np.arange(int(size.sum())) - np.repeat(np.cumsum(size) - size, size)
        found[np.repeat(self._low[nodes], size) + within] = np.repeat(values, size)


def lent(odds: Odds, credits: Ints) -> Odds:
    """[V] what each token gains from those that would leave the language behind it."""
    lends = np.flatnonzero(credits != STAYS)
    gained: Odds = np.bincount(credits[lends], odds[lends], len(odds)).astype(np.float64)
    return gained

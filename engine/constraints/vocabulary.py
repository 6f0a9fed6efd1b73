"""Owns the token bytes as arrays, and the trie of a vocabulary under a map of bytes to classes."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Trie:
    """Prefix tree in breadth-first order; node 0 is the root, siblings stand together.

    `column` [N] class byte that leads to a node, `first`, `count` [N] its children,
    `token_node` [T] the node of each ordinary token, `terminal` [N] whether a token ends there.
    """

    column: npt.NDArray[np.uint8]
    first: Ints
    count: Ints
    token_node: Ints
    terminal: npt.NDArray[np.bool_]


class Vocabulary:
    """The bytes of every token; special tokens (None or b"") belong to no constraint.

    `ids` [T] are the ordinary tokens; `key` names the content for caches.
    """

    def __init__(self, token_bytes: Sequence[bytes | None]) -> None:
        self.token_bytes = tuple(text or None for text in token_bytes)
        self.size = len(self.token_bytes)
        self.ids: Ints = np.array([i for i, t in enumerate(self.token_bytes) if t], np.int64)

    @cached_property
    def key(self) -> str:
        """SHA-256 over all token bytes."""
        digest = hashlib.sha256()
        for text in self.token_bytes:
            digest.update(b"\xff\xff" if text is None else len(text).to_bytes(4, "big") + text)
        return digest.hexdigest()

    @cached_property
    def lengths(self) -> Ints:
        """[T] bytes of each ordinary token."""
        return np.array([len(t) for t in self.token_bytes if t], np.int64)

    @cached_property
    def _columns(self) -> list[tuple[Ints, npt.NDArray[np.uint8]]]:
        """For each byte position: the tokens that are long enough, and their byte there."""
        texts = [t for t in self.token_bytes if t]
        flat = np.frombuffer(b"".join(texts), np.uint8)
        offset = np.cumsum(self.lengths) - self.lengths
        columns = []
        for place in range(int(self.lengths.max(initial=0))):
            active = np.flatnonzero(self.lengths > place)
            columns.append((active, flat[offset[active] + place]))
        return columns

    def trie(self, byte_class: npt.NDArray[np.uint8]) -> Trie:
        """The trie of all tokens, where bytes of one class count as the same byte."""
        node = np.zeros(len(self.ids), np.int64)
        parents, columns = [np.zeros(1, np.int64)], [np.zeros(1, np.uint8)]
        base = 1
        for active, raw in self._columns:
            key = node[active] * 256 + byte_class[raw]
            unique, place = np.unique(key, return_inverse=True)
            node[active] = base + place
            parents.append(unique // 256)
            columns.append((unique % 256).astype(np.uint8))
            base += len(unique)
        parent = np.concatenate(parents)
        count = np.bincount(parent[1:], minlength=base)
        terminal = np.zeros(base, bool)
        terminal[node] = True
        return Trie(np.concatenate(columns), 1 + np.cumsum(count) - count, count, node, terminal)

"""Owns the lift of a byte DFA to token classes; tokens that move every state alike are one class.

Tokens are grouped by a 64-bit hash of all their (state, next state) moves; the moves are summed
up while the vocabulary's trie is walked from many states at once, and never held all together.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from engine.constraints.byte_dfa import ByteDFA
from engine.constraints.errors import TooLargeError
from engine.constraints.limits import Clock, Limits
from engine.constraints.token_dfa import TokenDFA
from engine.constraints.vocabulary import Trie, Vocabulary

Ints = npt.NDArray[np.int64]
Hashes = npt.NDArray[np.uint64]
_CHUNK = 128
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)


def lift(
    dfa: ByteDFA, vocabulary: Vocabulary, limits: Limits, notes: tuple[str, ...] = ()
) -> TokenDFA:
    """Byte DFA -> token DFA. Raises TooLargeError past the caps on arcs and seconds."""
    trie = vocabulary.trie(dfa.byte_class)
    signature = _Walk(dfa, trie, limits).signatures()
    nodes = np.flatnonzero(trie.terminal & (signature != 0))
    _, first, classes = np.unique(signature[nodes], return_index=True, return_inverse=True)
    node_class = np.full(len(trie.column), -1, np.int32)
    node_class[nodes] = classes
    token_class = np.full(vocabulary.size, -1, np.int32)
    token_class[vocabulary.ids] = node_class[trie.token_node]
    owner = np.zeros(len(trie.column), np.int64)
    owner[trie.token_node] = vocabulary.ids
    texts = [vocabulary.token_bytes[i] or b"" for i in owner[nodes[first]]]
    return _grouped(dfa, token_class, _class_arcs(dfa, texts, limits), notes)


class _Walk:
    """One walk over the trie from all live states, in chunks that bound the memory."""

    def __init__(self, dfa: ByteDFA, trie: Trie, limits: Limits) -> None:
        self._table, self._trie = dfa.table, trie
        self._cap, self._arcs = limits.token_arcs, 0
        self._clock = Clock(limits.seconds)
        rng = np.random.default_rng(0x7E70)
        self._mix = rng.integers(1, 2**63 - 1, (2, dfa.states), np.int64).astype(np.uint64)

    def signatures(self) -> Hashes:
        """[N] hash of the moves of the text that leads to each node; 0: it fits nowhere."""
        total = np.zeros(len(self._trie.column), np.uint64)
        for low in range(1, len(self._table), _CHUNK):
            self._clock.check()
            self._chunk(np.arange(low, min(low + _CHUNK, len(self._table))), total)
        return total

    def _chunk(self, source: Ints, total: Hashes) -> None:
        trie = self._trie
        node, at = np.zeros(len(source), np.int64), source.astype(np.int32)
        while len(source):
            count = trie.count[node]
            parent = np.repeat(np.arange(len(source)), count)
            place = np.arange(len(parent)) - np.repeat(np.cumsum(count) - count, count)
            child = trie.first[node[parent]] + place
            to = self._table[at[parent], trie.column[child]]
            live = np.flatnonzero(to)
            source, node, at = source[parent[live]], child[live], to[live]
            self._add(source, node, at, total)

    def _add(self, source: Ints, node: Ints, at: npt.NDArray[np.int32], total: Hashes) -> None:
        ends = np.flatnonzero(self._trie.terminal[node])
        self._arcs += len(ends)
        if self._arcs > self._cap:
            raise TooLargeError(f"the constraint needs more than {self._cap} token moves")
        np.add.at(total, node[ends], _hash(self._mix, source[ends], at[ends]))


def _hash(mix: Hashes, source: Ints, target: npt.NDArray[np.integer]) -> Hashes:
    """One 64-bit word for each (source, target), to be summed up modulo 2**64."""
    word = (mix[0][source] * (mix[1][target] | np.uint64(1))) ^ (mix[1][source] + mix[0][target])
    word *= _GOLDEN
    return np.asarray(word ^ (word >> np.uint64(29)), np.uint64)


@dataclass(frozen=True, slots=True)
class _Arcs:
    source: Ints
    label: Ints
    target: Ints


def _class_arcs(dfa: ByteDFA, texts: list[bytes], limits: Limits) -> _Arcs:
    """The moves of one text for each class, from every state."""
    sources, labels, targets, total = [], [], [], 0
    everywhere = np.arange(dfa.states)
    for label, text in enumerate(texts):
        at = everywhere
        for byte in text:
            at = dfa.table[at, dfa.byte_class[byte]]
        source = np.flatnonzero(at)
        sources.append(source)
        targets.append(at[source].astype(np.int64))
        labels.append(np.full(len(source), label, np.int64))
        total += len(source)
        if total > limits.class_arcs:
            raise TooLargeError(f"the constraint needs more than {limits.class_arcs} class moves")
    if not total:
        nothing = np.zeros(0, np.int64)
        return _Arcs(nothing, nothing, nothing)
    return _Arcs(np.concatenate(sources), np.concatenate(labels), np.concatenate(targets))


def _grouped(
    dfa: ByteDFA, token_class: npt.NDArray[np.int32], arcs: _Arcs, notes: tuple[str, ...]
) -> TokenDFA:
    """Join arcs into pairs of states, and pairs that share one set of classes."""
    if not len(arcs.source):
        arcs = _Arcs(*(np.zeros(1, np.int64) for _ in range(3)))  # dead state to itself
        token_class = np.where(token_class < 0, -1, token_class).astype(np.int32)
    order = np.lexsort((arcs.label, arcs.source, arcs.target))
    source, label, target = arcs.source[order], arcs.label[order], arcs.target[order]
    first = np.flatnonzero(np.diff(source, prepend=-1) | np.diff(target, prepend=-1))
    size = np.diff(np.append(first, len(source)))
    rng = np.random.default_rng(0x5E75)
    words = rng.integers(1, 2**63 - 1, int(label.max()) + 1, np.int64).astype(np.uint64)
    signature = np.add.reduceat(words[label], first)
    _, lead, pair_set = np.unique(signature, return_index=True, return_inverse=True)
    starts = np.concatenate([[0], np.cumsum(size[lead])])
    spread = np.repeat(first[lead] - starts[:-1], size[lead]) + np.arange(starts[-1])
    return TokenDFA(
        dfa,
        token_class,
        source[first].astype(np.int32),
        target[first].astype(np.int32),
        pair_set.astype(np.int32).ravel(),
        starts.astype(np.int32),
        label[spread].astype(np.int32),
        notes,
    )

"""Owns the states of `Members`: optional entries with separators, in their order or in any."""

from collections.abc import Callable

from engine.constraints.expression import Concat, Members, Node, Repeat
from engine.constraints.nfa_states import Nfa

Emit = Callable[[Node, int], int]  # builds an expression in front of a state


class MembersBuilder:
    """Builds from the last entry on; states know how many, or which, entries are already there."""

    def __init__(self, nfa: Nfa, emit: Emit) -> None:
        self._nfa = nfa
        self._emit = emit

    def in_order(self, node: Members, after: int) -> int:
        """Entries in the order given; the count of those already there is kept up to a cap."""
        top = max(node.low, 1 if node.high is None else min(node.high, len(node.entries)), 1)
        tails = self._free(node, top, after)
        for entry in reversed(node.entries):
            tails = [
                self._nfa.new(
                    *self._taken(node, entry.node, count, tails),
                    *(() if entry.required else (tails[count],)),
                )
                for count in range(top + 1)
            ]
        return tails[0]

    def _taken(self, node: Members, entry: Node, count: int, tails: list[int]) -> tuple[int, ...]:
        """The way through an entry, with a separator unless it is the first."""
        if node.high is not None and count >= node.high:
            return ()
        taken = self._emit(entry, tails[min(count + 1, len(tails) - 1)])
        return (self._emit(node.separator, taken) if count else taken,)

    def _free(self, node: Members, top: int, after: int) -> list[int]:
        """What may follow the listed entries, for each count of entries already there."""
        ends = []
        for count in range(top + 1):
            closed = [after] if count >= node.low else []
            room = None if node.high is None else node.high - count
            if node.free is not None and room != 0 and count + 1 >= node.low:
                more = Repeat(Concat((node.separator, node.free)), 0, room and room - 1)
                first = self._emit(node.free, self._emit(more, after))
                closed.append(self._emit(node.separator, first) if count else first)
            ends.append(self._nfa.new(*closed))
        return ends

    def any_order(self, node: Members, after: int) -> int:
        """Each entry at most once, wherever it stands; one state for each set of entries.

        The number of states doubles with each entry; only for nodes without an upper count.
        """
        every = range(len(node.entries))
        must = sum(1 << i for i in every if node.entries[i].required)
        behind: dict[tuple[int, bool], int] = {}
        for mask in reversed(range(1 << len(node.entries))):
            for free in (True, False):
                state = behind[mask, free] = self._nfa.new()
                empty = self._nfa.empty[state]
                if mask & must == must and mask.bit_count() + free >= node.low:
                    empty.append(after)
                ways = [
                    (node.entries[i].node, (mask | 1 << i, free))
                    for i in every
                    if not mask >> i & 1
                ]
                if node.free is not None:
                    ways.append((node.free, (mask, True)))
                for entry, to in ways:
                    taken = self._emit(entry, behind[to])
                    later = mask or free
                    empty.append(self._emit(node.separator, taken) if later else taken)
        return behind[0, False]

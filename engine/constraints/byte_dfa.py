"""Owns the byte automaton: an immutable value with a dense, class-compressed table."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

Arc = tuple[int, int, int]  # low byte, high byte, target


@dataclass(frozen=True, eq=False)
class ByteDFA:
    """A deterministic automaton over bytes. State 0 is dead: no arcs, not final.

    `table` [S, K] int32 targets, `byte_class` [256] uint8 column of each byte, `final` [S] bool.
    """

    table: npt.NDArray[np.int32]
    byte_class: npt.NDArray[np.uint8]
    final: npt.NDArray[np.bool_]
    start: int

    @property
    def states(self) -> int:
        """Number of states with the dead one."""
        return len(self.table)

    @property
    def empty(self) -> bool:
        """Whether no text at all is accepted; holds for trimmed automata."""
        return self.start == 0

    @cached_property
    def delta(self) -> npt.NDArray[np.int32]:
        """[S, 256] targets."""
        return np.ascontiguousarray(self.table[:, self.byte_class])

    @cached_property
    def arcs(self) -> list[list[Arc]]:
        """Live arcs of each state as byte ranges."""
        rows: list[list[Arc]] = [[] for _ in range(self.states)]
        delta = self.delta
        cuts = np.ones((self.states, 257), bool)
        cuts[:, 1:256] = delta[:, 1:] != delta[:, :-1]
        state, low = np.nonzero(cuts[:, :256])
        end = np.nonzero(cuts[:, 1:])[1]
        target = delta[state, low]
        for s, a, b, t in zip(
            state.tolist(), low.tolist(), end.tolist(), target.tolist(), strict=True
        ):
            if t:
                rows[s].append((a, b, t))
        return rows

    def run(self, text: bytes, state: int | None = None) -> int:
        """The state after `text` from `state` (the start by default); 0 once it is refused."""
        at = self.start if state is None else state
        moves = self._moves
        for column in text.translate(self._columns):
            at = moves[at, column]
            if not at:
                break
        return at

    def accepts(self, text: bytes) -> bool:
        """Whether the whole text belongs to the language."""
        return bool(self.final[self.run(text)])

    def refused_at(self, text: bytes) -> int | None:
        """Offset of the first byte after which no continuation is accepted; None if there is one.

        Exact for trimmed automata, whose live states all reach a final one.
        """
        at, moves = self.start, self._moves
        for offset, column in enumerate(text.translate(self._columns)):
            at = moves[at, column]
            if not at:
                return offset
        return None

    @cached_property
    def _moves(self) -> memoryview:
        """The table for one look-up at a time, which arrays are slow at."""
        return np.ascontiguousarray(self.table).data

    @cached_property
    def _columns(self) -> bytes:
        """The column of each byte, as `bytes.translate` takes it."""
        return self.byte_class.tobytes()


def from_arcs(rows: Sequence[Sequence[Arc]], final: Sequence[bool], start: int) -> ByteDFA:
    """Build the compressed table from byte-range arcs; row 0 must be the dead state."""
    source = np.repeat(np.arange(len(rows)), [len(row) for row in rows])
    flat = np.array([arc for row in rows for arc in row], np.int64).reshape(-1, 3)
    marks = np.zeros(257, bool)
    marks[flat[:, 0]] = True
    marks[flat[:, 1] + 1] = True
    marks[0] = True
    starts = np.flatnonzero(marks[:256])
    column = np.cumsum(marks[:256]) - 1
    span = column[flat[:, 1]] - column[flat[:, 0]] + 1
    first = np.repeat(column[flat[:, 0]], span)
    step = np.arange(len(first)) - np.repeat(np.cumsum(span) - span, span)
    table = np.zeros((len(rows), len(starts)), np.int32)
    table[np.repeat(source, span), first + step] = np.repeat(flat[:, 2], span)
    return compressed(table, column.astype(np.uint8), np.asarray(final, bool), start)


def compressed(
    table: npt.NDArray[np.int32],
    byte_class: npt.NDArray[np.uint8],
    final: npt.NDArray[np.bool_],
    start: int,
) -> ByteDFA:
    """Join equal columns of the table."""
    _, first, column = np.unique(
        np.ascontiguousarray(table.T).view(f"V{4 * len(table)}").ravel(),
        return_index=True,
        return_inverse=True,
    )
    narrow = np.ascontiguousarray(table[:, first])
    return ByteDFA(narrow, column.astype(np.uint8).ravel()[byte_class], final, start)


NEVER = from_arcs([[]], [False], 0)

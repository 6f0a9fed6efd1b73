"""Who comes next, as pure functions over works: urgency, shares, deadlines, rows. No torch.

Order: classes first (a work that has waited too long moves up), then the client that had the least
of the engine so far, then that client's earliest deadline, then arrival.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from engine.job import JointJob, Work
from engine.policies import ReadingKind
from engine.query import Priority, Query

RANKS: dict[Priority, int] = {"auto": 0, "manual": 1, "batch": 2}
PATIENCE = 2.0
"""Seconds after which a work that waits counts as one class more urgent."""
PREFILL_ROWS = 128
"""Rows of a turn in which a work's context is still being read."""
NEVER = float("inf")


@dataclass(slots=True)
class Entry:
    """A live work and what its order depends on."""

    work: Work
    waits_since: float
    """Its last turn, or its arrival."""
    number: int
    """Counts arrivals."""
    is_fresh: bool = True
    """Its context is still being read."""

    @property
    def rows(self) -> int:
        """Rows it brings to the next pass."""
        return PREFILL_ROWS if self.is_fresh else denoising_rows(self.work)


def denoising_rows(work: Work) -> int:
    """Rows of one denoising step of a work."""
    if isinstance(work, Query):
        return sum(part.size for part in work.next_parts())
    if isinstance(work, JointJob):
        return sum(denoising_rows(hole) for hole in work.holes)
    return len(work.canvas) + 1 if work.policy.reading is ReadingKind.CANVAS else 1


def rank(entry: Entry, now: float) -> int:
    """The class of a work, 0 the most urgent."""
    waited = int(max(0.0, now - entry.waits_since) / PATIENCE)
    return max(0, RANKS[entry.work.priority] - waited)


def in_order(entries: Sequence[Entry], served: Mapping[str, float], now: float) -> list[Entry]:
    """All works, the next first. `served` are the rows each client had.

    Clients of one class take turns: what a work would cost counts as served for its followers.
    """
    ordered: list[Entry] = []
    spent = dict(served)
    for level in sorted({rank(entry, now) for entry in entries}):
        queues: dict[str, list[Entry]] = {}
        for entry in sorted((e for e in entries if rank(e, now) == level), key=_urgency):
            queues.setdefault(entry.work.client, []).append(entry)
        while queues:
            client = min(queues, key=lambda name: (spent.get(name, 0.0), queues[name][0].number))
            entry = queues[client].pop(0)
            spent[client] = spent.get(client, 0.0) + entry.rows
            ordered.append(entry)
            if not queues[client]:
                del queues[client]
    return ordered


def packed(ordered: Sequence[Entry], most: int, rows: int) -> list[Entry]:
    """The first works that fit together into one pass: at most `most`, with so many rows.

    The first always goes; a work that doesn't fit lets smaller ones behind it pass.
    """
    batch: list[Entry] = []
    room = rows
    for entry in ordered:
        if len(batch) == most:
            break
        if not batch or entry.rows <= room:
            batch.append(entry)
            room -= entry.rows
    return batch


def turns_before(ordered: Sequence[Entry], entry: Entry, most: int) -> int:
    """Passes that go by before a work takes its first."""
    return next(n for n, other in enumerate(ordered) if other is entry) // most


def can_meet(work: Work, wait: float, now: float) -> bool:
    """Whether a work's deadline leaves time for a first step that is `wait` seconds away."""
    return work.deadline is None or now + wait <= work.deadline


def _urgency(entry: Entry) -> tuple[float, int]:
    return (NEVER if entry.work.deadline is None else entry.work.deadline, entry.number)

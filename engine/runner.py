"""Jobs -> one packed batch -> model -> decisions. The only owner of device memory."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

import torch
from torch import Tensor

from engine.cache import Lease, SegmentCache, common_prefix
from engine.denoiser import propose, reveal
from engine.job import Job, StepResult
from engine.policies import Indices, ReadingKind
from models.config import ModelConfig
from models.keyvalues import KeyValues
from models.transformer import Pass, RowGroup, Transformer

CHUNK = 128


@dataclass(slots=True)
class JobState:
    """Device memory of one job: its leases, and the keys of its own rows."""

    leases: tuple[Lease, ...]
    own: KeyValues
    causal_ids: list[int] = field(default_factory=list)
    """Canvas tokens whose causal keys stand in `own`, from slot 0 on."""
    reported: bool = False


@dataclass(slots=True)
class Rows:
    """Rows of one job in the coming pass, before they are packed."""

    ids: list[int]
    positions: list[int]
    group: RowGroup  # with start = 0
    probes: int = 0
    """How many of the last rows need logits."""


@dataclass(slots=True)
class Turn:
    """What one job does in this pass: chunks of its context, then perhaps denoising rows."""

    job: Job
    state: JobState
    chunks: list[tuple[Lease, int]]
    context: list[Rows] = field(default_factory=list)
    denoise: Rows | None = None


class Runner:
    """Runs steps; keeps a JobState for every live job and the segment cache behind them.

    `banned` ids are never proposed: special tokens but the end mark (padding only follows that).
    """

    def __init__(self, transformer: Transformer, cache_bytes: int, banned: Collection[int]) -> None:
        self._transformer = transformer
        self._cache = SegmentCache(transformer, cache_bytes)
        self._states: dict[str, JobState] = {}
        self._banned = torch.tensor(sorted(banned), dtype=torch.long, device=transformer.device)

    @property
    def config(self) -> ModelConfig:
        """The model's configuration."""
        return self._transformer.config

    @property
    def cached_bytes(self) -> int:
        """Bytes of key/values held for contexts."""
        return self._cache.nbytes

    @torch.inference_mode()
    def run(self, jobs: Sequence[Job]) -> list[StepResult]:
        """One forward pass that takes every job one turn further."""
        if not jobs:
            return []
        turns = [self._turn(job) for job in jobs]
        hidden, starts = self._forward(turns)
        return [self._conclude(turn, hidden, starts) for turn in turns]

    def forget(self, job: Job) -> None:
        """Free what only this job needed; its context stays cached."""
        state = self._states.pop(job.id, None)
        for lease in state.leases if state else ():
            self._cache.release(lease)

    def _state(self, job: Job) -> JobState:
        if job.id not in self._states:
            layout, context = self.config.layout, job.context
            segments = [(layout.suffix_start, context.suffix)]
            segments += [(layout.reference_start, ids) for ids in context.references]
            segments += [(layout.prefix_origin, context.prefix)]
            leases = tuple(self._cache.lease(at, ids) for at, ids in segments if ids)
            self._states[job.id] = JobState(leases, self._transformer.new_key_values())
        return self._states[job.id]

    def _turn(self, job: Job) -> Turn:
        """Up to CHUNK rows of context, and the denoising rows if that completes the context."""
        state, room = self._state(job), CHUNK
        chunks: list[tuple[Lease, int]] = []
        for lease in state.leases:
            take = min(room, lease.pending)
            if take:
                chunks.append((lease, take))
                room -= take
        turn = Turn(job, state, chunks, [_chunk_rows(lease, take) for lease, take in chunks])
        if sum(lease.pending for lease in state.leases) == CHUNK - room:
            turn.denoise = READERS[job.policy.reading](job, state, self.config)
        return turn

    def _forward(self, turns: list[Turn]) -> tuple[Tensor, dict[int, int]]:
        """Pack base rows first, canvas rows behind; returns hidden states and each Rows' start."""
        base = [rows for turn in turns for rows in turn.context]
        base += [t.denoise for t in turns if t.denoise and _reads(t, ReadingKind.CAUSAL)]
        canvas = [t.denoise for t in turns if t.denoise and _reads(t, ReadingKind.CANVAS)]
        ids: list[int] = []
        positions: list[int] = []
        groups: list[RowGroup] = []
        starts: dict[int, int] = {}
        for rows in base + canvas:
            starts[id(rows)] = len(ids)
            groups.append(_shifted(rows.group, len(ids)))
            ids += rows.ids
            positions += rows.positions
        device = self._transformer.device
        split = sum(len(rows.ids) for rows in base)
        step = Pass(
            torch.tensor(ids, device=device),
            torch.tensor(positions, device=device),
            split,
            tuple(groups),
        )
        return self._transformer.forward(step), starts

    def _conclude(self, turn: Turn, hidden: Tensor, starts: dict[int, int]) -> StepResult:
        """Account for the context rows, and denoise if there were denoising rows."""
        result = StepResult(turn.job, prefilled=sum(take for _, take in turn.chunks))
        if not turn.state.reported:
            result.cached = sum(lease.cached for lease in turn.state.leases)
            turn.state.reported = True
        for lease, take in turn.chunks:
            lease.advance(take)
        if turn.denoise is not None:
            stop = starts[id(turn.denoise)] + len(turn.denoise.ids)
            result.revealed = self._denoise(turn, hidden[stop - turn.denoise.probes : stop])
            result.forwards = 1
        return result

    def _denoise(self, turn: Turn, hidden: Tensor) -> Indices:
        job, canvas = turn.job, turn.job.canvas
        slots = canvas.masked
        if _reads(turn, ReadingKind.CAUSAL):
            slots = slots[:1]
        else:
            hidden = hidden[slots]
        logits = self._transformer.logits(hidden, _reads(turn, ReadingKind.CANVAS))
        logits[:, self._banned] = float("-inf")
        return reveal(propose(logits, slots, job), job, self.config.eos_id, self.config.pad_id)


def _reads(turn: Turn, kind: ReadingKind) -> bool:
    return turn.job.policy.reading is kind


def _chunk_rows(lease: Lease, take: int) -> Rows:
    """The next `take` tokens of a segment, causal behind what stands."""
    at, entry = lease.done, lease.entry
    positions = range(entry.origin + at, entry.origin + at + take)
    group = RowGroup(0, take, ((entry.key_values, at),), entry.key_values, at)
    return Rows(list(lease.ids[at : at + take]), list(positions), group)


def _visible(state: JobState) -> tuple[tuple[KeyValues, int], ...]:
    """The whole context, rows that this very pass computes included."""
    return tuple((lease.entry.key_values, len(lease.ids)) for lease in state.leases)


def canvas_rows(job: Job, state: JobState, config: ModelConfig) -> Rows:
    """The anchor and every slot, all seeing each other; row j predicts slot j."""
    prefix, canvas = job.context.prefix, job.canvas
    ids = [prefix[-1], *canvas.tokens.tolist()]
    positions = config.layout.canvas(len(prefix), len(canvas))
    group = RowGroup(0, len(ids), _visible(state), state.own, skip=1, causal=False)
    return Rows(ids, list(positions), group, probes=len(ids))


def causal_rows(job: Job, state: JobState, config: ModelConfig) -> Rows:
    """The settled tokens whose keys are still missing; the last row predicts the first mask."""
    prefix, canvas = job.context.prefix, job.canvas
    settled = canvas.tokens[: canvas.settled].tolist()
    known = common_prefix(state.causal_ids, tuple(settled[:-1]))
    fresh = settled[known:]
    state.causal_ids = settled
    positions = list(config.layout.canvas(len(prefix), len(settled)))
    context = _visible(state)
    if not settled:
        group = RowGroup(0, 1, context, state.own, skip=1)
        return Rows([prefix[-1]], positions[:1], group, probes=1)
    group = RowGroup(0, len(fresh), (*context, (state.own, known)), state.own, at=known)
    return Rows(fresh, positions[1 + known :], group, probes=1)


def _shifted(group: RowGroup, by: int) -> RowGroup:
    return RowGroup(
        group.start + by,
        group.stop + by,
        group.context,
        group.store,
        group.at,
        group.skip,
        group.causal,
    )


READERS = {ReadingKind.CANVAS: canvas_rows, ReadingKind.CAUSAL: causal_rows}

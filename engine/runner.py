"""Jobs -> one packed batch -> model -> decisions. The only owner of device memory."""

import logging
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

import torch
from torch import Tensor

from engine.cache import Lease, SegmentCache
from engine.errors import kind_and_place
from engine.guidance import guided
from engine.job import Job, JointJob, StepResult, Unsatisfiable, Work
from engine.joint import denoise_joint, joint_rows, joint_state
from engine.query import Part, Query
from engine.readings import DENOISERS, answer_part
from engine.rows import BUILDERS, JobState, Rows, context_rows, query_rows
from models.config import ModelConfig
from models.linear import FEW_ROWS
from models.transformer import Pass, RowGroup, RowKind, Transformer

CHUNK = 128

logger = logging.getLogger(__name__)


@dataclass(slots=True)
class Share:
    """What one job does in this pass: chunks of its context, then perhaps rows of its own."""

    work: Work
    state: JobState
    chunks: list[tuple[Lease, int]]
    parts: list[Part] = field(default_factory=list)
    rows: list[Rows] = field(default_factory=list)
    plain: list[Rows] = field(default_factory=list)
    """Of a guided job: the same rows once more, without the instruction in sight."""

    @property
    def own(self) -> list[Rows]:
        """All rows but those of the context."""
        return [*self.rows, *self.plain]


class Runner:
    """Runs steps; keeps a JobState for every live job and the segment cache behind them.

    `banned` ids are never proposed: special tokens but the end mark (padding only follows that).
    A pass of `few` rows costs little more than one of a single row: the others may check drafts.
    """

    def __init__(
        self,
        transformer: Transformer,
        cache_bytes: int,
        banned: Collection[int],
        few: int = FEW_ROWS,
    ) -> None:
        self._transformer = transformer
        self._few = few
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
    def run(self, works: Sequence[Work]) -> list[StepResult]:
        """One forward pass that takes every job, of at least one, a step further."""
        room = self._few // len(works) - 1
        shares = [self._share(work, max(0, room)) for work in works]
        chunks = [[context_rows(lease, take) for lease, take in share.chunks] for share in shares]
        packed = [rows for group in chunks for rows in group]
        packed += [r for kind in RowKind for share in shares for r in share.own if r.kind is kind]
        # a branch that took its last slot's rival is full, and has no rows
        probed = self._probe(packed, self._forward(packed)) if packed else {}
        return [self._conclude(share, probed) for share in shares]

    def forget(self, work: Work) -> None:
        """Free what only this job needed; its context stays cached."""
        state = self._states.pop(work.id, None)
        for lease in state.leases if state else ():
            self._cache.release(lease)

    def _state(self, work: Work) -> JobState:
        if work.id not in self._states:
            layout, context = self.config.layout, work.context
            lease, new = self._cache.lease, self._transformer.new_key_values
            suffix = lease(layout.suffix_start, context.suffix) if context.suffix else None
            others = [lease(layout.reference_start, ids) for ids in context.references]
            others.append(lease(layout.prefix_origin, context.prefix))
            state = JobState(suffix, tuple(others), new(), new())
            if context.guided and not isinstance(work, JointJob):
                state.plain = state.without_last_reference(self._transformer)
            if isinstance(work, JointJob):
                state = joint_state(work, state, self._transformer)
            self._states[work.id] = state
        return self._states[work.id]

    def _share(self, work: Work, draft_room: int) -> Share:
        """Up to CHUNK rows of context, and rows of the job's own if that completes the context."""
        state, room = self._state(work), CHUNK
        chunks: list[tuple[Lease, int]] = []
        for lease in state.leases:
            if take := min(room, lease.pending):
                chunks.append((lease, take))
                room -= take
        share = Share(work, state, chunks)
        if sum(lease.pending for lease in state.leases) > CHUNK - room:
            return share
        if isinstance(work, Query):
            share.parts = work.next_parts()
        state.room = draft_room if state.plain is None else 0
        if state.plain is not None:
            state.plain.draft = list(state.draft)
            share.plain = self._rows(share, state.plain)
        share.rows = self._rows(share, state)
        return share

    def _rows(self, share: Share, state: JobState) -> list[Rows]:
        """The rows of a job's own, as one state sees them."""
        work = share.work
        if isinstance(work, Job):
            return BUILDERS[work.policy.reading](work, state, self.config)
        if isinstance(work, JointJob):
            return joint_rows(work, state, self.config)
        return query_rows(work, share.parts, state, self._transformer)

    def _forward(self, packed: list[Rows]) -> Tensor:
        """Hidden states of all rows, in the order they are packed."""
        counts = {kind: sum(len(r.ids) for r in packed if r.kind is kind) for kind in RowKind}
        causal = counts[RowKind.BASE]
        split = causal + counts[RowKind.CAUSAL]
        ids = [token for rows in packed for token in rows.ids]
        positions = [position for rows in packed for position in rows.positions]
        groups, start = [], 0
        for rows in packed:
            groups.append(_shifted(rows.group, start))
            start += len(rows.ids)
        device = self._transformer.device
        places = torch.tensor(positions, device=device)
        return self._transformer.forward(
            Pass(torch.tensor(ids, device=device), places, split, tuple(groups), causal)
        )

    def _probe(self, packed: list[Rows], hidden: Tensor) -> dict[int, Tensor]:
        """Logits of the probed rows of each Rows, by its id; one head call for each kind."""
        probed: dict[int, Tensor] = {}
        for kind in RowKind:
            asked, pieces, start = [], [], 0
            for rows in packed:
                stop = start + len(rows.ids)
                if rows.probes and rows.kind is kind:
                    asked.append(rows)
                    pieces.append(hidden[start:stop][rows.probes])
                start = stop
            if not asked:
                continue
            logits = self._transformer.logits(torch.cat(pieces), kind)
            logits[:, self._banned] = float("-inf")
            sizes = [len(rows.probes) for rows in asked]
            for rows, part in zip(asked, logits.split(sizes), strict=True):  # type: ignore[no-untyped-call]
                probed[id(rows)] = part
        return probed

    def _conclude(self, share: Share, probed: dict[int, Tensor]) -> StepResult:
        """Account for the context rows; denoise, or answer, if there were rows of the job's own."""
        work, state = share.work, share.state
        result = StepResult(work, prefilled=sum(take for _, take in share.chunks))
        if not state.reported:
            result.cached = sum(lease.cached for lease in state.leases)
            state.reported = True
        for lease, take in share.chunks:
            lease.advance(take)
        if share.rows:
            result.forwards = 2 if share.plain else 1
            result.rows = sum(len(rows.ids) for rows in share.own)
            try:
                self._take(share, _logits(share, probed), result)
            except Unsatisfiable as error:
                result.error = str(error)
            except Exception as error:  # noqa: BLE001  # the others in the pass go on
                logger.error("a step failed: %s", kind_and_place(error))
                result.error = f"{type(error).__name__}: {error}"
        return result

    def _take(self, share: Share, logits: list[Tensor], result: StepResult) -> None:
        """What the logits of its rows do to a work."""
        work, end = share.work, self.config.eos_id
        if isinstance(work, Job):
            denoise = DENOISERS[work.policy.reading]
            result.rivals = denoise(work, share.state, logits, self.config)
        elif isinstance(work, JointJob):
            denoise_joint(work, share.state, logits, self.config)
        else:
            pairs = zip(share.parts, logits, strict=True)
            work.answers += [answer_part(p, rows, end) for p, rows in pairs]


def _logits(share: Share, probed: dict[int, Tensor]) -> list[Tensor]:
    """Of each group of rows that asked for them; guided, if the job is."""
    told = [probed[id(rows)] for rows in share.rows if rows.probes]
    plain = [probed[id(rows)] for rows in share.plain if rows.probes]
    if not plain:
        return told
    weight = share.work.context.guidance
    return [guided(*pair, weight) for pair in zip(told, plain, strict=True)]


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

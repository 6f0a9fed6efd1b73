"""What a job asks of a pass: rows for its context, and rows for each way of reading its canvas."""

from dataclasses import dataclass, field

from engine.cache import Lease, common_prefix
from engine.canvas import SlotState
from engine.job import Job
from engine.lookup import Ids, draft, drafts, ids
from engine.policies import ReadingKind
from engine.query import Part, Query
from engine.reviews import Evidence, Review
from models.config import ModelConfig
from models.keyvalues import KeyValues
from models.transformer import RowGroup, RowKind, Transformer

Visible = tuple[tuple[KeyValues, int], ...]
DRAFT_LIMIT = 8
SHADOW_ROWS = 512


@dataclass(slots=True)
class JobState:
    """Device memory of one job or query: its leases, and the keys of its own rows."""

    suffix: Lease | None
    others: tuple[Lease, ...]
    """References in order, then the prefix, then what continues it."""
    own: KeyValues
    scratch: KeyValues
    causal_ids: list[int] = field(default_factory=list)
    """Canvas tokens whose causal keys stand in `own`, from slot 0 on."""
    draft: list[int] = field(default_factory=list)
    """Tokens guessed for the first masked slots, still to be checked."""
    drafted: list[int] = field(default_factory=list)
    """The draft that the coming pass checks."""
    room: int = 0
    """Rows beyond the first that the coming pass may spend on a draft copied from the text."""
    text: Ids | None = None
    """The tokens of the prefix, to copy from."""
    standing: list[int] = field(default_factory=list)
    """Revealed slots that the coming pass looks at again, by `evidence` (see engine.reviews)."""
    evidence: Evidence = Evidence.REVEAL
    reported: bool = False
    plain: "JobState | None" = None
    """Of a guided job: the same without the last reference, over the same leases."""
    holes: list["JobState"] = field(default_factory=list)
    """Of a joint job: a state for each hole, over the same leases."""

    @property
    def leases(self) -> tuple[Lease, ...]:
        """All leases, the suffix first."""
        return self.others if self.suffix is None else (self.suffix, *self.others)

    def without_last_reference(self, new: Transformer) -> "JobState":
        """A state for the same job that does not see its last reference."""
        others = (*self.others[:-2], self.others[-1])
        return JobState(self.suffix, others, new.new_key_values(), new.new_key_values())

    def visible(self, with_suffix: bool = True) -> Visible:
        """The whole context, rows that the coming pass computes included."""
        leases = self.leases if with_suffix else self.others
        return tuple((lease.entry.key_values, len(lease.ids)) for lease in leases)


@dataclass(slots=True)
class Rows:
    """Consecutive rows of one job in the coming pass, before they are packed."""

    ids: list[int]
    positions: list[int]
    group: RowGroup  # with start = 0
    kind: RowKind = RowKind.BASE
    probes: list[int] = field(default_factory=list)
    """Which of the rows need logits."""


def context_rows(lease: Lease, take: int) -> Rows:
    """The next `take` tokens of a segment, causal behind what stands."""
    at, entry, behind = lease.done, lease.entry, lease.behind
    positions = lease.places[at : at + take] or range(entry.origin + at, entry.origin + at + take)
    seen = ((behind.entry.key_values, len(behind.ids)),) if behind is not None else ()
    group = RowGroup(0, take, (*seen, (entry.key_values, at)), entry.key_values, at)
    return Rows(list(lease.ids[at : at + take]), list(positions), group)


def canvas_rows(job: Job, state: JobState, config: ModelConfig) -> list[Rows]:
    """The anchor and every slot, all seeing each other; row j predicts slot j.

    Behind them what a review wants to know; a full canvas is only run for that.
    """
    rows = _canvas(job, state, config, [])
    if job.review is None:
        return [rows]
    state.evidence = _evidence(job, job.review)
    state.standing = _standing(job, state.evidence, config)
    others: list[Rows] = []
    if state.evidence is Evidence.ITSELF:
        rows.probes += state.standing
    elif state.evidence is Evidence.SHADOW:
        others = [_shadow(job, state, config, *pair) for pair in enumerate(state.standing)]
    elif state.evidence is Evidence.CAUSAL and state.standing:
        others = [_check(job, state, config)]
    if not rows.probes and not others:
        rows.probes = [0]  # nothing stands that could change: a pass that says so
    return [rows, *others] if rows.probes else others


def causal_rows(job: Job, state: JobState, config: ModelConfig) -> list[Rows]:
    """The settled tokens whose keys are still missing; the last row predicts the first mask.

    With room behind it rows that check what followed the same tokens elsewhere in the text.
    """
    if not len(job.canvas.masked):
        return []
    state.drafted = _copied(job, state, state.room)
    return [_causal(job, state, config, state.drafted)]


def _copied(job: Job, state: JobState, room: int) -> list[int]:
    """A draft for the first masks, from the prefix and what has settled."""
    if not room or not drafts(job):
        return []
    if state.text is None:
        state.text = ids(job.context.prefix)
    text = ids(state.text, job.canvas.tokens[: job.canvas.settled])
    return draft(text, min(room, _masked_run(job) - 1))


def speculative_rows(job: Job, state: JobState, config: ModelConfig) -> list[Rows]:
    """Causal rows that check the draft, and canvas rows that take it as given and draft on.

    Where the canvas has none, what followed the same tokens elsewhere in the text is one.
    """
    if not len(job.canvas.masked):
        return []
    room = min(_masked_run(job) - 1, DRAFT_LIMIT)
    state.drafted, state.draft = state.draft[:room] or _copied(job, state, room), []
    return [
        _causal(job, state, config, state.drafted),
        _canvas(job, state, config, state.drafted),
    ]


def query_rows(query: Query, parts: list[Part], state: JobState, new: Transformer) -> list[Rows]:
    """One group for each part; parts see nothing of each other but what they share."""
    prefix, layout = query.context.prefix, new.config.layout
    rows = []
    for part in parts:
        store = state.own if part is query.parts[0] else new.new_key_values()
        seen = state.visible(part.with_suffix)
        positions = list(layout.canvas(len(prefix), len(part.tokens)))
        if part.shared:
            ids, known = list(part.tokens[part.shared :]), part.shared + 1
            group = RowGroup(0, len(ids), (*seen, (state.own, part.shared)), store)
        else:
            ids, known = [prefix[-1], *part.tokens], 0
            group = RowGroup(0, len(ids), seen, store, skip=1, causal=not part.canvas)
        probes = [row - known for row in part.rows]
        kind = RowKind.CANVAS if part.canvas else RowKind.BASE
        rows.append(Rows(ids, positions[known:], group, kind, probes))
    return rows


def _masked_run(job: Job) -> int:
    """Length of the run of masks that begins at the first mask."""
    masked = job.canvas.masked
    gaps = (masked[1:] - masked[:-1] > 1).nonzero()[0]
    return int(gaps[0]) + 1 if len(gaps) else len(masked)


def _canvas(job: Job, state: JobState, config: ModelConfig, draft: list[int]) -> Rows:
    """The anchor and all slots, the draft put into the first masks; the other masks are probed."""
    masked, tokens = job.canvas.masked, job.canvas.tokens.copy()
    tokens[masked[: len(draft)]] = draft
    ids = [job.context.prefix[-1], *tokens.tolist()]
    positions = config.layout.canvas(len(job.context.prefix), len(tokens))
    group = RowGroup(0, len(ids), state.visible(), state.scratch, skip=1, causal=False)
    probes = masked[len(draft) :].tolist()
    return Rows(ids, list(positions), group, RowKind.CANVAS, probes)


def _evidence(job: Job, review: Review) -> Evidence:
    """A full canvas is looked at anew, never by old confidences."""
    evidence = review.reviewer.evidence
    full = not len(job.canvas.masked)
    return Evidence.ITSELF if full and evidence is Evidence.REVEAL else evidence


def _standing(job: Job, evidence: Evidence, config: ModelConfig) -> list[int]:
    """Revealed slots before the end mark, ascending; of many, those whose turn a shadow has."""
    canvas = job.canvas
    ends = (canvas.tokens == config.eos_id).nonzero()[0]
    stop = int(ends[0]) if len(ends) else len(canvas)
    if evidence is Evidence.CAUSAL:
        stop = min(stop, canvas.settled)
    slots = (canvas.states[:stop] == SlotState.REVEALED).nonzero()[0].tolist()
    if evidence is not Evidence.SHADOW or not slots:
        return list(slots)
    turns = -(-len(slots) // max(1, SHADOW_ROWS // (len(canvas) + 1)))
    return list(slots[job.step % turns :: turns])


def _shadow(job: Job, state: JobState, config: ModelConfig, number: int, slot: int) -> Rows:
    """A copy of the canvas with one revealed slot masked: that slot's exact leave-one-out score."""
    prefix, ids = job.context.prefix, job.canvas.tokens.tolist()
    ids[slot] = job.canvas.mask_id
    at = (number + 1) * len(ids)
    group = RowGroup(0, len(ids) + 1, state.visible(), state.scratch, at, skip=1, causal=False)
    positions = list(config.layout.canvas(len(prefix), len(ids)))
    return Rows([prefix[-1], *ids], positions, group, RowKind.CANVAS, probes=[slot])


def _check(job: Job, state: JobState, config: ModelConfig) -> Rows:
    """The settled tokens read causally, all of them anew."""
    prefix, canvas = job.context.prefix, job.canvas
    ids = [prefix[-1], *canvas.tokens[: state.standing[-1]].tolist()]
    positions = list(config.layout.canvas(len(prefix), len(ids) - 1))
    group = RowGroup(0, len(ids), state.visible(), state.scratch, len(canvas), skip=1)
    return Rows(ids, positions, group, RowKind.CAUSAL, probes=list(state.standing))


def _causal(job: Job, state: JobState, config: ModelConfig, draft: list[int]) -> Rows:
    """Rows for the settled tokens and the draft; the last 1 + len(draft) rows are probed."""
    prefix, canvas = job.context.prefix, job.canvas
    settled = canvas.tokens[: canvas.settled].tolist()
    known = common_prefix(state.causal_ids, tuple(settled[:-1]))
    fresh = settled[known:] + draft
    state.causal_ids = settled + draft
    positions = list(config.layout.canvas(len(prefix), len(settled) + len(draft)))
    if not settled:  # the anchor row, and the draft behind it
        ids = [prefix[-1], *draft]
        group = RowGroup(0, len(ids), state.visible(), state.own, skip=1)
        return Rows(ids, positions, group, RowKind.CAUSAL, probes=list(range(len(ids))))
    context = (*state.visible(), (state.own, known))
    group = RowGroup(0, len(fresh), context, state.own, at=known)
    probes = list(range(len(fresh) - 1 - len(draft), len(fresh)))
    return Rows(fresh, positions[1 + known :], group, RowKind.CAUSAL, probes)


BUILDERS = {
    ReadingKind.CANVAS: canvas_rows,
    ReadingKind.CAUSAL: causal_rows,
    ReadingKind.SPECULATIVE: speculative_rows,
}

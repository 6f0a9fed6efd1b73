"""Several holes denoised together: the rows of a pass over all their canvases, and what it does.

The text between the holes is one causal run behind the prefix, blind to suffix and canvases. All
canvases see the whole context, that run, and each other in both directions.
"""

from torch import Tensor

from engine.cache import Entry, Lease
from engine.job import JointJob
from engine.readings import DENOISERS
from engine.rows import JobState, Rows
from models.config import ModelConfig
from models.layout import Joint, Layout
from models.transformer import RowGroup, RowKind, Transformer


def joint_state(job: JointJob, state: JobState, new: Transformer) -> JobState:
    """`state`, with a lease for the text between the holes and a state for each hole."""
    ids = tuple(token for between in job.betweens for token in between)
    others = state.others
    if ids:
        places = _places(job, new.config.layout).betweens
        flat = tuple(place for positions in places for place in positions)
        entry = Entry(flat[0], [], new.new_key_values(), readers=1)
        others = (*others, Lease(entry, ids, 0, 0, behind=others[-1], places=flat))
    make = new.new_key_values
    holes = [JobState(state.suffix, others, make(), make()) for _ in job.holes]
    return JobState(state.suffix, others, state.own, state.scratch, holes=holes)


def joint_rows(job: JointJob, state: JobState, config: ModelConfig) -> list[Rows]:
    """For each hole its anchor and all its slots; the masks of open holes are probed."""
    last = [job.context.prefix[-1], *(between[-1] for between in job.betweens)]
    canvases = _places(job, config.layout).canvases
    scratch = [
        (own.scratch, len(hole.canvas)) for own, hole in zip(state.holes, job.holes, strict=True)
    ]
    rows = []
    for number, hole in enumerate(job.holes):
        ids = [last[number], *hole.canvas.tokens.tolist()]
        seen = (*state.visible(), *scratch[:number], *scratch[number + 1 :])
        group = RowGroup(0, len(ids), seen, state.holes[number].scratch, skip=1, causal=False)
        probes = hole.canvas.masked.tolist() if job.finishes[number] is None else []
        rows.append(Rows(ids, list(canvases[number]), group, RowKind.CANVAS, probes))
    return rows


def denoise_joint(
    job: JointJob, state: JobState, logits: list[Tensor], config: ModelConfig
) -> None:
    """Each open hole takes its own step, from its own logits [masks, V]."""
    for number, part in zip(job.open_holes, logits, strict=True):
        hole = job.holes[number]
        DENOISERS[hole.policy.reading](hole, state.holes[number], [part], config)


def _places(job: JointJob, layout: Layout) -> Joint:
    """Where everything stands; canvases keep their size, so this never changes."""
    slots = [len(hole.canvas) for hole in job.holes]
    return layout.joint(len(job.context.prefix), slots, [len(ids) for ids in job.betweens])

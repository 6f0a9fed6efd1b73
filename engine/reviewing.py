"""A review within a step: logits -> evidence for what stands -> slots remasked or replaced."""

import numpy as np
import torch
from torch import Tensor

from engine.canvas import SlotState
from engine.job import Job
from engine.reviews import Change, Evidence, Moment, Review, Standing, bounded
from engine.rows import JobState


def look_again(
    job: Job, review: Review, state: JobState, logits: list[Tensor], masked: int, end: int
) -> None:
    """Apply the review to the slots that stood before this step, `masked` slots being masks then.

    A pass over a full canvas counts down `job.reviews`; one that changes nothing is the last.
    """
    free = int((job.canvas.states != SlotState.FIXED).sum())
    job.step += masked == 0
    moment = Moment(job.step - job.began - 1, free, masked, len(job.canvas.masked))
    standing = _standing(job, state, logits, masked, end)
    change = review.reviewer.look(standing, review.plan, moment)
    if job.constraint is not None:  # a token can't just be swapped for another
        change = Change(np.concatenate([change.remask, change.replace]))
    changed = _apply(job, bounded(change, standing, review.plan, moment), standing)
    if moment.full:
        job.reviews = job.reviews - 1 if changed else 0


def _standing(job: Job, state: JobState, logits: list[Tensor], masked: int, end: int) -> Standing:
    """What the pass, before it revealed anything, found of the slots that stood."""
    slots = np.array(state.standing, dtype=np.int64)
    tokens = job.canvas.tokens[slots]
    confidence = job.canvas.confidence[slots]
    if state.evidence is Evidence.REVEAL or not len(slots):
        return Standing(slots, tokens, confidence, tokens, confidence)
    itself = state.evidence is Evidence.ITSELF
    rows = torch.cat([logits[0][masked:]] if itself else logits[1 if masked else 0 :])
    rows[:, end] = float("-inf")  # a text that stands does not end inside
    probabilities = rows.softmax(-1)
    targets = torch.from_numpy(tokens).to(rows.device)
    best = probabilities.max(-1)
    return Standing(
        slots,
        tokens,
        probabilities.gather(-1, targets[:, None])[:, 0].numpy(force=True),
        best.indices.numpy(force=True),
        best.values.numpy(force=True),
    )


def _apply(job: Job, change: Change, standing: Standing) -> int:
    """Remask and replace; the number of slots concerned."""
    thrown = standing.slots[np.concatenate([change.remask, change.replace])]
    slots, replace = standing.slots[change.replace], change.replace
    job.canvas.remask(thrown)
    job.canvas.reveal(slots, standing.best[replace], standing.best_scores[replace], job.step)
    job.remasked += len(thrown)
    return len(thrown)

"""One denoising step as pure functions: logits -> a proposal -> what is revealed."""

import dataclasses
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from engine.canvas import Canvas, SlotState
from engine.job import Draw, Job, Narrowed
from engine.policies import Indices, Progress, Proposal, in_time
from engine.sampling import gumbel, nucleus

EARLY_END = 0.9
EARLY_SHARE = 1 / 3
OUTSIDE = 60.0
"""Nats by which a constraint is told that a token lies outside the nucleus."""


def propose(logits: Tensor, slots: Indices, job: Job, end: int) -> tuple[Proposal, Narrowed | None]:
    """The token each masked slot would take, and how sure the model is of it.

    `logits` [M, V] in fp32, banned ids at -inf, for the masked `slots` [M]. Confidence is the
    token's probability at temperature 1; under a constraint, its probability among the allowed,
    at the temperature of the draw. No mask takes the `end` mark where that is fixed already.
    """
    rows = _without_end(logits, job.canvas, end)
    norm = rows.logsumexp(-1, keepdim=True)
    scores = drawn(rows, slots + job.finished, job.draw)
    tokens = scores.topk(2).indices
    chances = (rows.gather(-1, tokens) - norm).exp().numpy(force=True)
    pairs = tokens.numpy(force=True)
    spread = entropies(rows - norm) if job.policy.needs_entropy else np.zeros(len(slots))
    proposal = Proposal(slots, pairs[:, 0], chances[:, 0], pairs[:, 1], chances[:, 1], spread)
    if job.constraint is None:
        return proposal, None
    if job.constraint.draws:  # it knows where the end is, and tells what the model thinks of that
        return _narrowed(proposal, tempered(logits, job.draw), job)
    scores = _with_outside(scores, rows, job.draw)
    return _narrowed(proposal, (scores - scores.logsumexp(-1, keepdim=True)), job)


def _without_end(logits: Tensor, canvas: Canvas, end: int) -> Tensor:
    """The logits, end marks at -inf if the canvas has one that is fixed: masks are text there."""
    if not (canvas.states[canvas.tokens == end] == SlotState.FIXED).any():
        return logits
    rows = logits.clone()
    rows[:, end] = float("-inf")
    return rows


def entropies(log_probs: Tensor) -> npt.NDArray[np.float32]:
    """Entropy in nats [M] of log-probabilities [M, V]."""
    terms = log_probs.exp() * log_probs.clamp_min(-100.0)
    result: npt.NDArray[np.float32] = -terms.sum(-1).numpy(force=True)
    return result


def drawn(logits: Tensor, slots: Indices, draw: Draw) -> Tensor:
    """Scores whose argmax is the draw: at temperature 0 the logits themselves.

    Noise belongs to (seed, slot), not to the step, so that a draw can be repeated by any policy.
    `slots` count from the first finished block: each block draws anew.
    """
    if draw.temperature == 0.0:
        return logits
    scaled = nucleus(logits / draw.temperature, draw.top_p)
    noise = np.stack([gumbel(draw.seed, int(slot), logits.shape[-1]) for slot in slots])
    return scaled + torch.from_numpy(noise).to(logits.device)


def _with_outside(scores: Tensor, logits: Tensor, draw: Draw) -> Tensor:
    """Drawn scores, in which what the nucleus leaves out is only made unlikely."""
    if draw.temperature == 0.0 or draw.top_p >= 1.0:
        return scores
    return torch.where(scores.isinf(), logits / draw.temperature - OUTSIDE, scores)


def tempered(logits: Tensor, draw: Draw) -> Tensor:
    """Log-probabilities [M, V] at the draw's temperature, without noise.

    What the nucleus leaves out is only made unlikely: a constraint may need it.
    """
    if draw.temperature == 0.0:
        return logits.log_softmax(-1)
    scaled = logits / draw.temperature
    inside = nucleus(scaled, draw.top_p)
    return torch.where(inside.isinf(), scaled - OUTSIDE, scaled).log_softmax(-1)


def _narrowed(proposal: Proposal, scores: Tensor, job: Job) -> tuple[Proposal, Narrowed | None]:
    """Replace the leading proposals by the constraint's path."""
    assert job.constraint is not None
    count = job.constraint.reach(proposal.slots, job.canvas)
    if not count:
        return proposal, None
    head = scores[:count].numpy(force=True)
    narrowed = job.constraint.narrow(head, proposal.slots[:count], job)
    found = len(narrowed.tokens)

    def spliced(new: npt.NDArray[Any], old: npt.NDArray[Any]) -> npt.NDArray[Any]:
        return np.concatenate([new, old[found:]])

    zeros = np.zeros(found, np.float32)
    unforced = np.zeros(len(proposal.slots), np.bool_)
    return dataclasses.replace(
        proposal,
        tokens=spliced(narrowed.tokens, proposal.tokens),
        confidence=spliced(narrowed.confidence, proposal.confidence),
        rivals=spliced(narrowed.rivals, proposal.rivals),
        rivalry=spliced(narrowed.rivalry, proposal.rivalry),
        entropy=spliced(zeros, proposal.entropy),
        forced=spliced(narrowed.forced, unforced),
    ), narrowed


def hold_back_end(proposal: Proposal, canvas: Canvas, end: int) -> Proposal:
    """Keep an unsure end mark from winning before a third of the canvas is filled.

    A confident early end is the known failure of end-padded training; see design section 4.
    """
    filled = 1 - len(canvas.masked) / len(canvas)
    if filled >= EARLY_SHARE:
        return proposal
    early = (proposal.tokens == end) & (proposal.confidence < EARLY_END)
    held = np.where(early, 0.0, proposal.confidence)
    return dataclasses.replace(proposal, confidence=held)


def choose(proposal: Proposal, job: Job, end: int, pad: int) -> None:
    """Let the policy choose what to reveal, and reveal it as the job's next step."""
    held = hold_back_end(proposal, job.canvas, end)
    progress = Progress(job.step - job.began, len(job.canvas), job.steps_left)
    chosen = in_time(job.policy.choose(held, job.plan, progress), held, progress)
    job.step += 1
    reveal(proposal, chosen, job, end, pad)


def reveal(proposal: Proposal, chosen: Indices, job: Job, end: int, pad: int) -> None:
    """Reveal the chosen rows of a proposal.

    Once an end mark stands, every mask right of it becomes padding: that text is dropped anyway.
    """
    canvas = job.canvas
    slots, tokens = proposal.slots[chosen], proposal.tokens[chosen]
    forced = False if proposal.forced is None else proposal.forced[chosen]
    canvas.reveal(slots, tokens, proposal.confidence[chosen], job.step, forced)
    ends = np.flatnonzero(canvas.tokens == end)
    if len(ends):
        behind = canvas.masked[canvas.masked > ends[0]]
        canvas.reveal(behind, np.full(len(behind), pad), 1.0, job.step)


def reveal_given(job: Job) -> None:
    """Reveal the first masked slots as far as the constraint leaves one token for each.

    They are part of the step that revealed the slot before them.
    """
    while job.constraint is not None and len(job.canvas.masked):
        narrowed = job.constraint.given(job)
        if narrowed is None:
            break
        slots = job.canvas.masked[:1]
        job.canvas.reveal(slots, narrowed.tokens, narrowed.confidence, job.step, narrowed.forced)

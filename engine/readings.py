"""What the logits of a pass do to a job, one function for each way of reading its canvas."""

from collections.abc import Callable

import numpy as np
import torch
from torch import Tensor

from engine.denoiser import choose, propose, reveal, reveal_given
from engine.job import Job, Rival
from engine.policies import Proposal, ReadingKind
from engine.query import Answer, Part
from engine.reviewing import look_again
from engine.rows import JobState
from models.config import ModelConfig

Logits = list[Tensor]
"""For each of the job's groups of rows: logits [probed rows, V], banned ids at -inf."""

DRAFT_CONFIDENCE = 0.3


def denoise_canvas(job: Job, state: JobState, logits: Logits, config: ModelConfig) -> list[Rival]:
    """Propose for every masked slot, let the policy choose, look again at what stood before."""
    slots = job.canvas.masked
    if len(slots):
        proposal, narrowed = propose(logits[0][: len(slots)], slots, job, config.eos_id)
        choose(proposal, job, config.eos_id, config.pad_id)
        if narrowed is not None:
            job.keep(narrowed)
    if job.review is not None:
        look_again(job, job.review, state, logits, len(slots), config.eos_id)
    return []


def denoise_causal(job: Job, state: JobState, logits: Logits, config: ModelConfig) -> list[Rival]:
    """Reveal the longest run of the draft that the causal reading agrees with, and its next token.

    Without a draft that is the first masked slot.
    """
    job.step += 1
    rivals: list[Rival] = []
    for row in range(len(state.drafted) + 1):
        slots = job.canvas.masked[:1]
        proposal, narrowed = propose(logits[0][row : row + 1], slots, job, config.eos_id)
        reveal(proposal, np.array([0]), job, config.eos_id, config.pad_id)
        if narrowed is not None:
            job.keep(narrowed)
        rivals.append(_rival(proposal, job.finished))
        agreed = row < len(state.drafted) and proposal.tokens[0] == state.drafted[row]
        if not agreed or proposal.tokens[0] == config.eos_id:
            break
    reveal_given(job)
    return rivals


def _rival(proposal: Proposal, past: int) -> Rival:
    probability = float(proposal.rivalry[0])
    ratio = probability / max(float(proposal.confidence[0]), 1e-9)
    return Rival(int(proposal.slots[0]), int(proposal.rivals[0]), probability, ratio, past)


def denoise_speculative(
    job: Job, state: JobState, logits: Logits, config: ModelConfig
) -> list[Rival]:
    """Keep the longest run of the draft that the causal reading agrees with, and its next token.

    The new draft was made as if the whole old one stood; if it does not, it is thrown away.
    """
    rivals = denoise_causal(job, state, logits, config)
    if len(rivals) == len(state.drafted) + 1 and len(job.canvas.masked):
        state.draft = _draft(job, logits[1], config.eos_id)
    return rivals


def _draft(job: Job, canvas_logits: Tensor, end: int) -> list[int]:
    """Tokens the canvas reading is fairly sure of, from the first mask on, without a gap."""
    slots = job.canvas.masked
    free, _ = propose(canvas_logits[-len(slots) :], slots, job, end)
    tokens: list[int] = []
    for slot, token, sure in zip(free.slots, free.tokens, free.confidence, strict=True):
        if slot != slots[0] + len(tokens) or sure < DRAFT_CONFIDENCE:
            break
        tokens.append(int(token))
    return tokens


def answer_part(part: Part, logits: Tensor, end: int) -> Answer:
    """What a query's part asked, from the logits [rows, V] of the rows it asked."""
    log_probs = logits - logits.logsumexp(-1, keepdim=True)
    best = log_probs.topk(max(1, part.choices), -1)
    targets = torch.tensor(part.targets, device=logits.device)
    return Answer(
        log_probs.gather(-1, targets[:, None])[:, 0].numpy(force=True),
        best.indices[:, 0].numpy(force=True),
        log_probs[:, end].numpy(force=True),
        best.indices.numpy(force=True),
        best.values.numpy(force=True),
    )


DENOISERS: dict[ReadingKind, Callable[[Job, JobState, Logits, ModelConfig], list[Rival]]] = {
    ReadingKind.CANVAS: denoise_canvas,
    ReadingKind.CAUSAL: denoise_causal,
    ReadingKind.SPECULATIVE: denoise_speculative,
}

"""A transformer that remembers the logits it gave, and jobs made by hand."""

from collections.abc import Callable, Sequence

import torch
from torch import Tensor

from engine.canvas import Canvas
from engine.core import Engine
from engine.job import Job, Work
from engine.policies import POLICIES, Plan
from engine.query import Context
from engine.runner import Runner
from engine.scheduler import Scheduler
from models.loader import Model
from models.transformer import RowKind, Transformer


class Recording(Transformer):
    """Delegates to another transformer's weights and records every `logits` result."""

    def __init__(self, inner: Transformer) -> None:
        super().__init__(inner.config, inner.ends, inner.base, inner.canvas, inner.causal)
        self.seen: list[Tensor] = []

    def logits(self, hidden: Tensor, kind: RowKind) -> Tensor:
        logits = super().logits(hidden, kind)
        self.seen.append(logits.clone())
        return logits


class Leaning(Transformer):
    """Delegates to another transformer's weights; `lean` changes the logits of call 1, 2, ..."""

    def __init__(self, inner: Transformer, lean: Callable[[Tensor, int], None]) -> None:
        super().__init__(inner.config, inner.ends, inner.base, inner.canvas, inner.causal)
        self._lean = lean
        self._calls = 0

    def logits(self, hidden: Tensor, kind: RowKind) -> Tensor:
        logits = super().logits(hidden, kind)
        self._calls += 1
        self._lean(logits, self._calls)
        return logits


def make_job(
    prefix: Sequence[int],
    suffix: Sequence[int] = (),
    slots: int = 6,
    policy: str = "causal",
    name: str = "job",
) -> Job:
    """A job over token ids; id 5 is the separator and 16 the mask of the tiny model."""
    return Job(
        id=name,
        context=Context((5, *prefix), tuple(suffix)),
        canvas=Canvas(slots, 16),
        policy=POLICIES[policy],
        plan=Plan(steps=3),
    )


def make_engine(
    model: Model, cache_bytes: int = 64 << 20, few: int = 1
) -> tuple[Engine, Recording]:
    """An engine without text, which drafts nothing by itself, and the recording under it."""
    recording = Recording(model.transformer)
    banned = model.tokenizer.silent_ids - {model.config.eos_id}
    return Engine(Runner(recording, cache_bytes, banned, few), Scheduler(8)), recording


def finish(engine: Engine, *jobs: Work) -> None:
    """Run jobs to their end; a failed job fails the test."""
    for job in jobs:
        engine.add(job)
    while engine.busy:
        for result in engine.step():
            assert result.error is None, result.error


def run(model: Model, job: Job) -> tuple[list[int], list[Tensor]]:
    """Tokens and logits of one job on a cold engine."""
    engine, recording = make_engine(model)
    with torch.inference_mode():
        finish(engine, job)
    return job.canvas.tokens.tolist(), recording.seen


def log_probs(model: Model, logits: Tensor) -> Tensor:
    """Log-probabilities among the ids that may be proposed."""
    banned = sorted(model.tokenizer.silent_ids - {model.config.eos_id})
    return logits.index_fill(-1, torch.tensor(banned), float("-inf")).log_softmax(-1)

"""Searches over token ids, without text, and what drives them by hand."""

import numpy as np

from engine.core import Engine
from engine.job import Job
from engine.query import Answer
from engine.search import Search, Texts
from tests.engine.recording import make_job

TEXTS = Texts(
    lambda job: tuple(job.canvas.tokens[: job.canvas.settled].tolist()), len, lambda job: 0
)


def make_search(width: int, slots: int = 4, policy: str = "causal") -> Search:
    return Search(make_job([20, 21], [30, 31], slots, policy, name="f"), width, TEXTS, (30, 31))


def drive(engine: Engine, search: Search) -> int:
    """Run a search to its end; returns how many pieces of work it made."""
    works = list(search.start())
    made = len(works)
    for work in works:
        engine.add(work)
    while engine.busy:
        for result in engine.step():
            for work in search.advance(result):
                made += 1
                engine.add(work)
    return made


def answer(*target: float) -> Answer:
    zeros = np.zeros(len(target), np.float32)
    return Answer(np.array(target, np.float32), zeros.astype(np.int64), zeros)


def settle(job: Job, tokens: list[int], confidence: float) -> None:
    slots = job.canvas.masked[: len(tokens)]
    job.canvas.reveal(slots, np.array(tokens), confidence, 1)

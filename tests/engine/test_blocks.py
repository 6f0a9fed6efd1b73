"""Long holes block by block: a finished block is prefix like any other."""

import dataclasses

import numpy as np
import pytest
import torch

from engine.canvas import Canvas
from engine.constraints.leaving import STAYS
from engine.denoiser import propose, reveal
from engine.held import Held, Ids, Tokens
from engine.job import Draw, Job, Rival, StepResult
from engine.query import Query
from engine.search import Texts
from models.loader import Model
from tests.engine.recording import finish, make_engine, make_job, run
from tests.engine.searching import TEXTS, drive, make_search, settle


def long_job(slots: int, block: int, limit: int, policy: str) -> Job:
    job = make_job([20, 21, 22], [30, 31], slots, policy)
    return dataclasses.replace(job, block=block, limit=limit)


@pytest.mark.parametrize("policy", ["causal", "fixed", "threshold", "speculate"])
def test_a_long_hole_grows_block_by_block_to_its_limit(tiny: Model, policy: str) -> None:
    job = long_job(4, 6, 20, policy)
    tokens, _ = run(tiny, job)
    assert len(job.whole) == 20 and not len(job.whole.masked)
    assert job.whole.tokens.tolist()[-len(tokens) :] == tokens
    assert list(job.context.prefix[4:]) == job.whole.tokens.tolist()[: -len(tokens)]


def test_blocks_do_not_change_what_the_causal_reading_says(tiny: Model) -> None:
    """Its canvas tokens see the suffix as rows and not as prefix: the tokens behind may differ,
    but the first block is the same, and without a suffix everything is."""
    whole, cut = make_job([20, 21], slots=16), make_job([20, 21], slots=4)
    cut = dataclasses.replace(cut, block=4, limit=16)
    run(tiny, whole)
    run(tiny, cut)
    assert cut.whole.tokens.tolist() == whole.canvas.tokens.tolist()


def test_a_block_is_computed_once_and_its_keys_are_those_of_a_cold_prefix(tiny: Model) -> None:
    job = long_job(6, 6, 12, "fixed")
    engine, recording = make_engine(tiny)
    engine.add(job)
    prefilled = [
        result.prefilled for _ in iter(lambda: engine.busy, False) for result in engine.step()
    ]
    assert sum(prefilled) == 2 + 4 + 6, "suffix, separator and prefix, one block"
    second = make_job([20, 21, 22, *job.whole.tokens.tolist()[:6]], [30, 31], 6, "fixed")
    _, cold = run(tiny, second)
    warm = recording.seen[-len(cold) :]
    for left, right in zip(warm, cold, strict=True):
        torch.testing.assert_close(left, right, atol=2e-4, rtol=1e-4)


def test_a_job_that_grows_into_a_new_block_frees_what_it_held(tiny: Model) -> None:
    engine, _ = make_engine(tiny)
    finish(engine, long_job(4, 4, 16, "fixed"))
    assert not engine.busy


def test_a_finished_block_is_not_gone_back_to() -> None:
    """Its slots are no slots of the block that runs, neither at once nor as a second chance."""
    search = make_search(3, slots=3)
    [lead] = search.start()
    assert isinstance(lead, Job)
    search.texts = dataclasses.replace(TEXTS, flaws=lambda job: 1)
    settle(lead, [40, 41, 42], 0.9)
    assert search.advance(StepResult(lead, rivals=[Rival(1, 50, 0.1, 0.2)])) == []
    lead.next_block(2)
    assert search.advance(StepResult(lead, rivals=[Rival(2, 51, 0.4, 0.8)])) == []
    settle(lead, [43], 0.9)
    [branch] = search.advance(StepResult(lead, rivals=[Rival(0, 52, 0.4, 0.8, past=3)]))
    assert isinstance(branch, Job)
    assert branch.whole.tokens.tolist() == [40, 41, 42, 52, 16]
    search.advance(StepResult(branch, finish="stop"))
    search.advance(StepResult(lead, finish="stop"))
    assert search._branches == [lead, branch]


def test_a_search_forks_in_every_block(tiny: Model, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.search.FORK_RATIO", 0.0)
    engine, _ = make_engine(tiny)
    search = make_search(20, slots=4)
    search.lead.block, search.lead.limit = 4, 6
    search.texts = Texts(
        lambda job: tuple(job.whole.tokens[: job.whole.settled].tolist()), len, lambda job: 1
    )
    drive(engine, search)
    assert search.error is None
    assert {len(search.texts.read(job)) for job in search.ranked} == {6}


def test_the_vote_reads_whole_texts_behind_the_text_before_the_hole() -> None:
    """Finished blocks are a part of the texts, so they are not read before them as well."""
    search = make_search(2, slots=1)
    [lead] = search.start()
    assert isinstance(lead, Job)
    around = lead.context
    settle(lead, [40], 0.9)
    lead.next_block(1)
    settle(lead, [41], 0.9)
    [branch] = search.advance(StepResult(lead, rivals=[Rival(0, 50, 0.4, 0.8, past=1)]))
    search.advance(StepResult(lead, finish="stop"))
    [vote] = search.advance(StepResult(branch, finish="stop"))
    assert isinstance(vote, Query)
    assert lead.context != around
    assert vote.context == around


class Anything(Held):
    """A language of every text that does not end."""

    def __init__(self) -> None:
        super().__init__(None, Tokens([b"x"] * 320, 0, 15, None))  # type: ignore[arg-type]

    def _open_ways(self, *_: object) -> tuple[Ids, bool]:
        return np.arange(20, 300), False

    def _credits_of(self, *_: object) -> Ids:
        return np.full(320, STAYS)

    def behind(self, canvas: Canvas) -> Held:
        return self


@pytest.mark.parametrize("constraint", [None, Anything()])
def test_blocks_of_one_fill_draw_with_noise_of_their_own(constraint: Held | None) -> None:
    """From the same scores, block by block, what a single block draws."""

    def draws(block: int) -> list[int]:
        job = make_job([20], slots=block)
        job = dataclasses.replace(job, draw=Draw(1.0, 1.0, 7), constraint=constraint)
        for slot in range(8):
            if not len(job.canvas.masked):
                job.next_block(block)
            proposal, _ = propose(torch.zeros(1, 320), job.canvas.masked[:1], job, 0)
            reveal(proposal, np.array([0]), job, 0, 15)
            assert len(job.whole.masked) == -(slot + 1) % block
        return job.whole.tokens.tolist()

    assert draws(4) == draws(8)

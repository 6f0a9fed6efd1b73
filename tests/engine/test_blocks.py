"""Long holes block by block: a finished block is prefix like any other."""

import dataclasses

import pytest
import torch

from engine.job import Job
from models.loader import Model
from tests.engine.recording import finish, make_engine, make_job, run


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

"""Speculation changes how many passes a text takes, never the text."""

import dataclasses

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import engine.readings
from engine.job import Draw, Job
from models.loader import Model
from tests.engine.recording import finish, make_engine, make_job, run

IDS = st.integers(17, 300)
SLOW_FIXTURES = settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@SLOW_FIXTURES
@given(
    prefix=st.lists(IDS, max_size=12),
    suffix=st.lists(IDS, max_size=8),
    slots=st.integers(1, 14),
    fixed=st.dictionaries(st.integers(0, 13), IDS, max_size=4),
    draw=st.sampled_from([Draw(), Draw(1.0, 1.0, 3), Draw(0.7, 0.9, 4)]),
    confidence=st.sampled_from([0.0, 0.01, 0.3]),
)
def test_speculate_gives_the_text_of_causal(
    tiny: Model,
    prefix: list[int],
    suffix: list[int],
    slots: int,
    fixed: dict[int, int],
    draw: Draw,
    confidence: float,
) -> None:
    """With islands of fixed tokens, at any temperature, however bold the drafts are."""
    jobs: list[Job] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(engine.readings, "DRAFT_CONFIDENCE", confidence)
        for policy in ("causal", "speculate"):
            job = dataclasses.replace(make_job(prefix, suffix, slots, policy), draw=draw)
            for slot, token in fixed.items():
                if slot < slots:
                    job.canvas.fix(slot, token)
            if len(job.canvas.masked):
                run(tiny, job)
            jobs.append(job)
    causal, speculative = jobs
    assert speculative.canvas.tokens.tolist() == causal.canvas.tokens.tolist()
    assert speculative.step <= causal.step


class Echo:
    """A draft that is always right: what causal said before."""

    def __init__(self, tokens: list[int]) -> None:
        self.tokens = tokens

    def __call__(self, job: Job, *_: object) -> list[int]:
        return self.tokens[job.canvas.settled :]


def test_right_drafts_save_passes(tiny: Model, monkeypatch: pytest.MonkeyPatch) -> None:
    slow = make_job([20, 21], slots=12)
    tokens, _ = run(tiny, slow)
    monkeypatch.setattr(engine.readings, "_draft", Echo(tokens))
    fast = make_job([20, 21], slots=12, policy="speculate")
    engine_, _ = make_engine(tiny)
    finish(engine_, fast)
    assert fast.canvas.tokens.tolist() == tokens
    assert fast.step == 3, "one token, then eight of a draft and one more, then the rest"

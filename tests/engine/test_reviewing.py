"""Reviews inside the engine: exact evidence, fixed slots left alone, and an end to every job."""

import numpy as np
import pytest

from engine.canvas import Canvas, SlotState
from engine.core import Engine
from engine.job import Job
from engine.query import Context, Part, Query
from engine.reviews import (
    REVIEWERS,
    Change,
    Evidence,
    Moment,
    Review,
    Reviewer,
    ReviewPlan,
    Standing,
)
from models.loader import Model
from tests.engine.recording import finish, make_engine, make_job

PREFIX, SUFFIX, TEXT = [20, 30, 40], [50, 60], [70, 80, 90, 100, 110, 120]


def standing_job(reviewer: Reviewer, reviews: int = 1, fixed: int | None = None) -> Job:
    """A job over TEXT as if it had just been revealed."""
    job = make_job(PREFIX, SUFFIX, slots=len(TEXT), policy="fixed")
    for slot, token in enumerate(TEXT):
        if slot == fixed:
            job.canvas.fix(slot, token)
        else:
            job.canvas.reveal(np.array([slot]), np.array([token]), 0.5, 0)
    job.review, job.reviews = Review(reviewer, ReviewPlan(steps=4)), reviews
    return job


class Notes:
    """A rule that only remembers what it was told."""

    def __init__(self) -> None:
        self.seen: list[Standing] = []

    def __call__(self, standing: Standing, plan: ReviewPlan, moment: Moment) -> Change:
        self.seen.append(standing)
        return Change()


def evidence(tiny: Model, kind: Evidence) -> Standing:
    notes = Notes()
    engine, _ = make_engine(tiny)
    finish(engine, standing_job(Reviewer(notes, kind)))
    (standing,) = notes.seen
    return standing


def answers(tiny: Model, *parts: Part) -> list[float]:
    """exp of every target asked, in order, given that the text does not end there."""
    query = Query("q", Context((5, *PREFIX), tuple(SUFFIX)), list(parts))
    engine, _ = make_engine(tiny)
    engine.add(query)
    while engine.busy:
        engine.step()
    return [
        float(np.exp(target) / (1 - np.exp(end)))
        for answer in query.answers
        for target, end in zip(answer.target, answer.end, strict=True)
    ]


def test_shadow_evidence_is_the_exact_leave_one_out_probability(tiny: Model) -> None:
    parts = [
        Part((*TEXT[:slot], 16, *TEXT[slot + 1 :]), (slot,), (TEXT[slot],), canvas=True)
        for slot in range(len(TEXT))
    ]
    expected = answers(tiny, *parts)
    np.testing.assert_allclose(evidence(tiny, Evidence.SHADOW).scores, expected, rtol=1e-3)


def test_causal_evidence_is_the_causal_probability(tiny: Model) -> None:
    expected = answers(tiny, Part(tuple(TEXT), tuple(range(6)), tuple(TEXT)))
    np.testing.assert_allclose(evidence(tiny, Evidence.CAUSAL).scores, expected, rtol=1e-3)


@pytest.mark.parametrize("kind", [Evidence.ITSELF, Evidence.REVEAL])
def test_a_full_canvas_is_looked_at_anew(tiny: Model, kind: Evidence) -> None:
    expected = answers(tiny, Part(tuple(TEXT), tuple(range(6)), tuple(TEXT), canvas=True))
    np.testing.assert_allclose(evidence(tiny, kind).scores, expected, rtol=1e-3)


@pytest.mark.parametrize("name", sorted(REVIEWERS))
@pytest.mark.parametrize("policy", ["fixed", "threshold"])
def test_a_job_ends_within_its_slots(tiny: Model, name: str, policy: str) -> None:
    job = make_job(PREFIX, SUFFIX, slots=10, policy=policy)
    job.review = Review(REVIEWERS[name], ReviewPlan(steps=4, eta=0.9, doubt=0.9, edit=0.0))
    engine, _ = make_engine(tiny)
    finish(engine, job)
    assert job.step <= 10
    assert not len(job.canvas.masked)


@pytest.mark.parametrize("name", sorted(set(REVIEWERS) - {"none"}))
def test_a_full_canvas_is_reviewed_a_bounded_number_of_times(tiny: Model, name: str) -> None:
    job = standing_job(REVIEWERS[name], reviews=3, fixed=2)
    job.review = Review(REVIEWERS[name], ReviewPlan(steps=4, eta=0.9, doubt=1.1, edit=0.0))
    engine, _ = make_engine(tiny)
    finish(engine, job)
    assert job.step <= 3 * (1 + len(TEXT))
    assert job.canvas.states[2] == SlotState.FIXED and job.canvas.tokens[2] == TEXT[2]
    assert not len(job.canvas.masked) and job.reviews == 0
    assert job.remasked > 0


def test_a_review_with_nothing_to_look_at_ends(tiny: Model) -> None:
    for name in REVIEWERS:
        job = standing_job(REVIEWERS[name], reviews=2)
        job.canvas = Canvas(2, 16)
        job.canvas.fix(0, 20)
        job.canvas.fix(1, 21)
        engine, _ = make_engine(tiny)
        finish(engine, job)
        assert job.reviews == 0


def test_the_batch_makes_no_difference(tiny: Model) -> None:
    def run(together: bool) -> list[list[int]]:
        jobs = []
        for number, name in enumerate(sorted(REVIEWERS)):
            job = make_job(PREFIX[number % 2 :], SUFFIX, slots=8, policy="fixed", name=name)
            job.review = Review(REVIEWERS[name], ReviewPlan(steps=4, eta=0.5, doubt=0.5))
            jobs.append(job)
        engines: list[Engine] = []
        for job in jobs:
            if not engines or not together:
                engines.append(make_engine(tiny)[0])
            engines[-1].add(job)
        for engine in engines:
            finish(engine)
        return [job.canvas.tokens.tolist() for job in jobs]

    assert run(together=True) == run(together=False)

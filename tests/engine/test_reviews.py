"""Review rules: what they choose, and that no rule can keep a job from ending."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.reviews import REVIEWERS, Moment, ReviewPlan, Standing, bounded

IN_FLIGHT = Moment(step=2, slots=12, before=6, masked=3)
FULL = Moment(step=9, slots=12, before=0, masked=0)


def standing(scores: list[float], best: list[float] | None = None) -> Standing:
    count = len(scores)
    tokens = np.arange(20, 20 + count)
    other = tokens if best is None else tokens + 100
    return Standing(np.arange(count), tokens, np.array(scores), other, np.array(best or scores))


def look(name: str, scores: list[float], moment: Moment, **plan: float) -> list[int]:
    change = REVIEWERS[name].look(standing(scores), ReviewPlan(**plan), moment)  # type: ignore[arg-type]
    return change.remask.tolist()


@given(
    name=st.sampled_from(sorted(REVIEWERS)),
    scores=st.lists(st.floats(0, 1), max_size=12),
    step=st.integers(0, 20),
    before=st.integers(0, 12),
    revealed=st.integers(1, 12),
    eta=st.floats(0, 1),
    seed=st.integers(0, 99),
)
def test_masks_become_fewer_with_every_step(
    name: str, scores: list[float], step: int, before: int, revealed: int, eta: float, seed: int
) -> None:
    """The proof that jobs end: fewer remasks than reveals; on a full canvas, at most a share."""
    plan = ReviewPlan(steps=8, eta=eta, share=0.25, seed=seed)
    moment = Moment(step, 24, before, max(0, before - revealed))
    stands = standing(scores, [1.0] * len(scores))
    change = bounded(REVIEWERS[name].look(stands, plan, moment), stands, plan, moment)
    touched = [*change.remask.tolist(), *change.replace.tolist()]
    assert len(set(touched)) == len(touched)
    assert all(0 <= index < len(scores) for index in touched)
    if moment.full:
        assert len(change.remask) <= 6
    else:
        assert len(change.remask) < max(1, moment.revealed)


def test_of_too_many_the_least_probable_are_remasked() -> None:
    stands = standing([0.5, 0.1, 0.4, 0.2])
    change = REVIEWERS["wino"].look(stands, ReviewPlan(doubt=0.6), IN_FLIGHT)
    assert change.remask.tolist() == [1, 3, 2, 0]
    assert bounded(change, stands, ReviewPlan(), IN_FLIGHT).remask.tolist() == [1, 3]


def test_p2_remasks_what_the_schedule_still_holds_masked() -> None:
    assert look("p2", [0.9, 0.1, 0.5], IN_FLIGHT, steps=6) == [1, 2, 0]  # 6 masks wanted, 3 are
    assert look("p2", [0.9, 0.1, 0.5], IN_FLIGHT, steps=3) == []


def test_doubt_is_a_threshold() -> None:
    assert look("wino", [0.29, 0.31], IN_FLIGHT) == [0]
    assert look("causal_check", [0.29, 0.31], IN_FLIGHT, doubt=0.1) == []


def test_edit_replaces_only_what_the_model_is_sure_of() -> None:
    change = REVIEWERS["edit"].look(standing([0.1, 0.1], [0.95, 0.8]), ReviewPlan(), IN_FLIGHT)
    assert (change.remask.tolist(), change.replace.tolist()) == ([], [0])
    same = REVIEWERS["edit"].look(standing([0.95]), ReviewPlan(), IN_FLIGHT)
    assert same.replace.tolist() == []


@pytest.mark.parametrize("name", ["remdm_cap", "remdm_rescale", "remdm_conf", "remdm_loop"])
def test_remdm_remasks_about_its_rate(name: str) -> None:
    """sigma_max is 3/6 in flight and 1 on a full canvas."""
    expected = {"remdm_cap": 0.2, "remdm_rescale": 0.1, "remdm_conf": 0.1, "remdm_loop": 0.1}
    counts = [
        len(look(name, [0.5] * 100, IN_FLIGHT, eta=0.2, seed=seed, steps=4)) for seed in range(200)
    ]
    assert abs(np.mean(counts) / 100 - expected[name]) < 0.02
    assert look(name, [0.5] * 100, FULL, eta=1.0) == list(range(100))


def test_remdm_conf_prefers_the_unsure() -> None:
    scores = [0.0] * 50 + [1.0] * 50
    found = [s for seed in range(100) for s in look("remdm_conf", scores, FULL, eta=0.3, seed=seed)]
    assert sum(slot < 50 for slot in found) > 1.5 * sum(slot >= 50 for slot in found)


def test_remdm_loop_is_idle_outside_its_window() -> None:
    early = Moment(step=0, slots=12, before=12, masked=6)
    assert look("remdm_loop", [0.5] * 50, early, eta=1.0, steps=8) == []

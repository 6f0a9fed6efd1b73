"""Policies: always at least one slot, never one twice, and each rule's own promise."""

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.policies import ORDERS, POLICIES, Plan, Progress, Proposal, in_time


def make(slots: Sequence[int], confidence: Sequence[float]) -> Proposal:
    """A proposal whose rivals hold half of what is left, with the entropy of those two shares."""
    chances = np.array(confidence)
    shares = np.clip(np.stack([chances, 1 - chances]), 1e-9, 1)
    spread = -(shares * np.log(shares)).sum(0)
    ids = np.array(slots)
    return Proposal(ids, ids + 20, chances, ids + 21, (1 - chances) / 2, spread)


@st.composite
def proposals(draw: st.DrawFn) -> Proposal:
    slots = draw(st.lists(st.integers(0, 99), min_size=1, max_size=30, unique=True).map(sorted))
    confidence = [draw(st.floats(0, 1)) for _ in slots]
    return make(slots, confidence)


@st.composite
def plans(draw: st.DrawFn) -> Plan:
    return Plan(
        steps=draw(st.integers(1, 20)),
        counts=tuple(draw(st.lists(st.integers(1, 9), max_size=3))),
        order=draw(st.sampled_from(sorted(ORDERS))),
        threshold=draw(st.floats(0, 1)),
        seed=draw(st.integers(0, 9)),
    )


@pytest.mark.parametrize("name", POLICIES)
@given(proposal=proposals(), plan=plans(), step=st.integers(0, 30))
def test_every_policy_chooses_at_least_one_slot_and_none_twice(
    name: str, proposal: Proposal, plan: Plan, step: int
) -> None:
    chosen = POLICIES[name].choose(proposal, plan, Progress(step, 100))
    assert 1 <= len(chosen) == len(set(chosen.tolist())) <= len(proposal.slots)
    assert chosen.min() >= 0 and chosen.max() < len(proposal.slots)


@pytest.mark.parametrize("name", POLICIES)
@given(size=st.integers(1, 40), plan=plans())
def test_every_policy_empties_any_canvas(name: str, size: int, plan: Plan) -> None:
    left, step = np.arange(size), 0
    while len(left):
        offered = make(left.tolist(), np.linspace(0.1, 0.9, len(left)).tolist())
        chosen = POLICIES[name].choose(offered, plan, Progress(step, size))
        left, step = np.delete(left, chosen), step + 1
    assert step <= size


def proposal(*confidence: float) -> Proposal:
    return make(range(len(confidence)), confidence)


def test_fixed_takes_the_surest_in_equal_shares() -> None:
    choose = POLICIES["fixed"].choose
    surest = proposal(0.2, 0.9, 0.5, 0.7)
    assert choose(surest, Plan(steps=2), Progress(0, 4)).tolist() == [1, 3]
    assert choose(surest, Plan(steps=2), Progress(1, 4)).tolist() == [1, 3, 2, 0]


def test_fixed_follows_counts_and_repeats_the_last() -> None:
    choose = POLICIES["fixed"].choose
    plan = Plan(steps=9, counts=(1, 3), order="left")
    sizes = [len(choose(proposal(*[0.5] * 9), plan, Progress(step, 9))) for step in range(4)]
    assert sizes == [1, 3, 3, 3]


def test_ties_go_to_the_left() -> None:
    assert POLICIES["fixed"].choose(proposal(0.5, 0.5), Plan(2), Progress(0, 2)).tolist() == [0]


def test_threshold_takes_all_that_are_sure_or_the_first_in_its_order() -> None:
    choose, unsure = POLICIES["threshold"].choose, proposal(0.1, 0.3, 0.2)
    assert choose(proposal(0.95, 0.2, 0.9), Plan(8), Progress(0, 3)).tolist() == [0, 2]
    assert choose(unsure, Plan(8, order="confidence"), Progress(0, 3)).tolist() == [1]
    assert choose(unsure, Plan(8, order="left"), Progress(0, 3)).tolist() == [0]


def test_random_order_depends_on_seed_and_step_alone() -> None:
    choose = POLICIES["fixed"].choose
    runs = [
        choose(proposal(*[0.5] * 8), Plan(4, order="random", seed=seed), Progress(step, 8)).tolist()
        for seed, step in ((1, 0), (1, 0), (2, 0), (1, 1))
    ]
    assert runs[0] == runs[1]
    assert len({tuple(run) for run in runs}) > 1


def test_factor_wants_more_confidence_the_more_it_takes() -> None:
    choose = POLICIES["factor"].choose
    plan = Plan(8, factor=1.0)
    assert choose(proposal(0.6, 0.99, 0.7), plan, Progress(0, 3)).tolist() == [1, 2]
    assert choose(proposal(0.8, 0.99, 0.8), plan, Progress(0, 3)).tolist() == [1, 0, 2]
    assert choose(proposal(0.1, 0.2), plan, Progress(0, 2)).tolist() == [1]


def test_entropy_takes_what_stays_under_its_budget() -> None:
    choose = POLICIES["entropy"].choose
    sure, unsure = 0.999, 0.5
    assert len(choose(proposal(sure, sure, unsure), Plan(8, entropy=0.1), Progress(0, 3))) == 3
    assert len(choose(proposal(unsure, unsure), Plan(8, entropy=0.1), Progress(0, 2))) == 1


def test_margin_takes_what_leads_clearly() -> None:
    choose = POLICIES["margin"].choose
    assert choose(proposal(0.9, 0.4, 0.95), Plan(8), Progress(0, 3)).tolist() == [0, 2]
    assert choose(proposal(0.3, 0.4), Plan(8), Progress(0, 2)).tolist() == [1]


@pytest.mark.parametrize("name", POLICIES)
@given(size=st.integers(1, 40), steps=st.integers(1, 12), plan=plans())
def test_with_s_steps_left_every_canvas_policy_is_done_in_s_steps(
    name: str, size: int, steps: int, plan: Plan
) -> None:
    left = np.arange(size)
    for step in range(steps):
        offered = make(left.tolist(), np.linspace(0.1, 0.9, len(left)).tolist())
        progress = Progress(step, size, steps - step)
        chosen = in_time(POLICIES[name].choose(offered, plan, progress), offered, progress)
        assert len(set(chosen.tolist())) == len(chosen)
        left = np.delete(left, chosen)
        if not len(left):
            return
    raise AssertionError("not done in time")


def test_without_a_deadline_a_choice_stands() -> None:
    chosen = np.array([1])
    assert in_time(chosen, proposal(0.1, 0.2), Progress(0, 2)) is chosen

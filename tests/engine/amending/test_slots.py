"""Slots thrown back, canvases cut and extended; what a person typed stays through all of it."""

import msgspec
import numpy as np
import pytest

from engine.canvas import SlotState
from models.loader import Model
from protocol.messages import (
    Cancel,
    CanvasSpec,
    Pin,
    PolicyName,
    Remask,
    RemaskBelow,
    Resize,
    Sampling,
)
from tests.engine.amending.watched import POLICIES, Watched, fill

PINNED = CanvasSpec(tokens=12, pinned=True)


def masks(watched: Watched) -> list[int]:
    return [slot for slot, cell in enumerate(watched.mirror.cells) if cell is None]


@pytest.mark.parametrize("policy", ["fixed", "threshold"])
def test_a_canvas_policy_throws_back_just_what_it_is_told(tiny: Model, policy: PolicyName) -> None:
    watched = Watched(tiny, fill(policy, canvas=PINNED))
    watched.steps(6)
    shown = [slot for slot in range(12) if watched.mirror.cells[slot] is not None]
    assert len(shown) > 3
    watched.revise(Remask(shown[1], shown[2] + 1))
    states = watched.canvas.states
    assert [slot for slot in shown if states[slot] == SlotState.MASKED] == shown[1:3]
    watched.done()
    assert not watched.errors()
    assert None not in watched.mirror.cells


@pytest.mark.parametrize("policy", POLICIES)
def test_what_is_thrown_back_is_told_at_once_and_filled_again(
    tiny: Model, policy: PolicyName
) -> None:
    watched = Watched(tiny, fill(policy, canvas=PINNED))
    watched.steps(5)
    shown = [slot for slot, cell in enumerate(watched.mirror.cells) if cell is not None]
    watched.revise(Remask(shown[0], shown[0] + 1))
    assert watched.canvas.states[shown[0]] == SlotState.MASKED
    right = watched.canvas.states[shown[0] + 1 : 12]
    if policy in ("causal", "speculate"):
        assert (right == SlotState.MASKED).all(), "nothing right of a mask is seen causally"
    else:
        assert (right == SlotState.REVEALED).sum() == len([s for s in shown[1:] if s < 12])
    done = watched.done()
    assert None not in watched.mirror.cells
    assert done.text in "".join(cell or "" for cell in watched.mirror.cells)


def test_what_was_typed_is_not_thrown_back(tiny: Model) -> None:
    watched = Watched(tiny, fill("fixed", prefix="(", canvas=PINNED))
    watched.revise(Pin(2, 3, "typed"))
    watched.steps(4)
    watched.revise(Remask(0, len(watched.mirror.cells)), RemaskBelow(1.0))
    states = watched.canvas.states
    assert (states == SlotState.REVEALED).sum() == 0
    assert (states == SlotState.FIXED).sum() >= 2
    assert "typed" in "".join(cell or "" for cell in watched.mirror.cells)
    watched.done()
    assert "typed" in "".join(cell or "" for cell in watched.mirror.cells)


def test_the_unsure_are_thrown_back(tiny: Model) -> None:
    watched = Watched(tiny, fill("fixed", prefix="(", canvas=PINNED))
    watched.steps(6)
    canvas = watched.canvas
    sure = canvas.confidence[canvas.states == SlotState.REVEALED]
    middle = float(sorted(sure)[len(sure) // 2])
    watched.revise(RemaskBelow(middle))
    canvas = watched.canvas
    left = canvas.confidence[canvas.states == SlotState.REVEALED]
    assert 0 < len(left) < len(sure)
    assert (left >= middle).all()
    watched.done()


def test_an_end_mark_goes_with_its_padding(tiny: Model) -> None:
    watched = Watched(tiny, fill("threshold", prefix="(", canvas=CanvasSpec(tokens=10)))
    lead = watched.engine._session._session._live["a"].search.lead
    config = tiny.config
    lead.canvas.remask(np.flatnonzero(lead.canvas.states == SlotState.REVEALED))
    slots = np.arange(4, len(lead.canvas))
    tokens = np.full(len(slots), config.pad_id)
    tokens[0] = config.eos_id
    lead.canvas.reveal(slots, tokens, 1.0, 1)
    watched.revise(Remask(5, 6))
    assert watched.canvas.states[5] == SlotState.REVEALED, "padding alone stays"
    watched.revise(Remask(4, 5))
    assert (watched.canvas.states == SlotState.MASKED).all()
    watched.done()


@pytest.mark.parametrize("policy", POLICIES)
def test_a_canvas_is_extended_and_no_further(tiny: Model, policy: PolicyName) -> None:
    watched = Watched(tiny, fill(policy, prefix="(", shape="span", canvas=CanvasSpec(tokens=6)))
    size = len(watched.mirror.cells)
    watched.revise(Resize(size + 7))
    assert len(watched.canvas) <= size + 7
    watched.done()
    assert len(watched.mirror.cells) <= size + 7
    assert not watched.errors()


@pytest.mark.parametrize("policy", POLICIES)
def test_a_line_that_may_grow_keeps_the_size_it_is_given(tiny: Model, policy: PolicyName) -> None:
    line = msgspec.structs.replace(fill(policy, prefix="a = ("), suffix="\nend")
    watched = Watched(tiny, line)
    watched.steps(2)
    watched.revise(Resize(6))
    watched.done()
    assert len(watched.mirror.cells) <= 6
    assert not watched.errors()


def test_the_end_that_a_change_brought_does_not_outlive_the_next_change(tiny: Model) -> None:
    watched = Watched(tiny, fill(prefix="(", shape="span", canvas=CanvasSpec(tokens=12)))
    watched.steps(4)
    watched.revise(Resize(3))
    watched.revise(Resize(12))
    watched.done()
    assert None not in watched.mirror.cells
    assert not watched.errors()


def test_a_change_does_not_bring_a_cancelled_fill_back(tiny: Model) -> None:
    watched = Watched(tiny, fill(prefix="(", shape="span", canvas=CanvasSpec(tokens=12)))
    watched.steps(4)
    watched.engine.send(Cancel("a"))
    watched.revise(Resize(20))
    assert watched.done().finish == "cancelled"


def test_a_canvas_is_cut(tiny: Model) -> None:
    watched = Watched(tiny, fill("fixed", prefix="(", shape="span", canvas=CanvasSpec(tokens=12)))
    watched.steps(2)
    watched.revise(Resize(3))
    assert len(watched.canvas) == 3
    done = watched.done()
    assert len(watched.mirror.cells) == 3
    assert done.stats.tokens <= 3


@pytest.mark.parametrize(("tokens", "slots"), [(4, 8), (12, 16), (20, 24)])
def test_the_end_of_a_pinned_canvas_moves(tiny: Model, tokens: int, slots: int) -> None:
    watched = Watched(tiny, fill("fixed", prefix="(", canvas=PINNED))
    watched.steps(2)
    kept = watched.canvas.tokens[: min(tokens, 12)].tolist()
    watched.revise(Resize(tokens))
    canvas = watched.canvas
    assert canvas.tokens[: len(kept)].tolist() == kept
    assert len(canvas) == slots
    assert (canvas.tokens[tokens], canvas.states[tokens]) == (tiny.config.eos_id, SlotState.FIXED)
    done = watched.done()
    assert done.stats.tokens == slots
    assert len(watched.mirror.cells) == slots


def test_typed_text_is_not_cut_off(tiny: Model) -> None:
    for spec in (PINNED, CanvasSpec(tokens=12)):
        watched = Watched(tiny, fill("fixed", prefix="(", shape="span", canvas=spec))
        watched.revise(Pin(8, 9, "typed"))
        size = len(watched.canvas)
        watched.revise(Resize(5))
        assert len(watched.canvas) == size
        watched.done()
        assert watched.errors() == ["invalid_message"]


def test_what_moved_in_keeps_its_room(tiny: Model) -> None:
    watched = Watched(tiny, fill("fixed", prefix="value" + " \t" * 6, canvas=CanvasSpec(tokens=20)))
    watched.revise(Resize(2))
    watched.done()
    assert watched.errors() == ["invalid_message"]


def test_all_ops_are_done_or_none(tiny: Model) -> None:
    watched = Watched(tiny, fill("fixed", prefix="(", canvas=PINNED))
    watched.steps(3)
    before = watched.canvas.tokens.tolist()
    watched.revise(Remask(0, 12), Pin(1, 2, "x"), Remask(90, 99))
    assert watched.canvas.tokens.tolist() == before
    watched.done()
    assert watched.errors() == ["stale_base"]


def test_slots_that_have_moved_are_stale(tiny: Model) -> None:
    watched = Watched(tiny, fill("fixed", prefix="(", canvas=PINNED))
    base = watched.seq
    watched.revise(Pin(1, 2, "longer text"))
    watched.revise(Remask(5, 6), base=base)
    watched.hear()
    assert watched.errors() == ["stale_base"]
    watched.revise(Remask(5, 6))
    watched.done()
    assert watched.errors() == ["stale_base"]


def test_steps_and_randomness_from_now_on(tiny: Model) -> None:
    ends = []
    for seed in (3, 4):
        watched = Watched(tiny, fill("fixed", prefix="(", canvas=PINNED))
        watched.steps(12)
        watched = Watched(tiny, fill("fixed", prefix="(", canvas=PINNED))
        watched.steps(2)
        watched.revise(RemaskBelow(1.0), steps=2, seed=seed)
        step = watched.engine._session._session._live["a"].search.lead.step
        done = watched.done()
        assert done.stats.steps == step + 2
        ends.append(done.text)
    assert ends[0] != ends[1]


def test_a_review_has_the_steps_and_the_randomness_of_its_fill(tiny: Model) -> None:
    sampling = Sampling(policy="fixed", steps=12, review="remdm_cap", seed=3)
    watched = Watched(tiny, msgspec.structs.replace(fill(canvas=PINNED), sampling=sampling))
    watched.steps(2)
    watched.revise(Remask(0, 1), steps=2, seed=4)
    review = watched.engine._session._session._live["a"].search.lead.review
    assert review is not None and (review.plan.steps, review.plan.seed) == (2, 4)
    watched.done()

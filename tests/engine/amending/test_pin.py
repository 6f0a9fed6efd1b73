"""Typing into a running canvas: what was typed stays, the rest goes on, and nothing breaks."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.canvas import Canvas, SlotState
from models.loader import Model
from protocol.messages import CanvasSpec, Done, Error, Fill, Pin, PolicyName, Sampling, Splice
from tests.engine.amending.watched import POLICIES, Watched, fill


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("typed", ["x", "typed_in(1)", "\u00e9\u20ac"])
def test_what_is_typed_stays_and_the_job_goes_on(
    tiny: Model, policy: PolicyName, typed: str
) -> None:
    watched = Watched(tiny, fill(policy, canvas=CanvasSpec(tokens=12, pinned=True)))
    watched.steps(2)
    watched.revise(Pin(5, 6, typed))
    done = watched.end()
    assert isinstance(done, Done)
    assert not watched.errors()
    joined = "".join(cell or "" for cell in watched.mirror.cells)
    assert typed in joined
    assert None not in watched.mirror.cells
    if policy == "fixed":
        assert typed in done.text or "\n" in joined.partition(typed)[0]


def test_a_longer_text_moves_the_slots_behind_it(tiny: Model) -> None:
    watched = Watched(tiny, fill("fixed", canvas=CanvasSpec(tokens=8, pinned=True)))
    size = len(watched.mirror.cells)
    watched.revise(Pin(2, 3, "longer text"))
    watched.hear()
    splices = [m for m in watched.messages if isinstance(m, Splice)]
    (splice,) = splices
    assert (splice.id, splice.at, splice.delete) == ("a", 2, 1)
    assert len(watched.mirror.cells) == size - 1 + splice.insert
    assert "longer text" in "".join(cell or "" for cell in watched.mirror.cells)


def test_a_canvas_that_is_typed_full_is_done(tiny: Model) -> None:
    request = fill("fixed", prefix="(", canvas=CanvasSpec(tokens=4, pinned=True))
    watched = Watched(tiny, request)
    watched.revise(Pin(0, 4, "all of it"))
    done = watched.end()
    assert isinstance(done, Done)
    assert done.text == "all of it"


@pytest.mark.parametrize(("start", "stop"), [(0, 99), (99, 99), (40, 41)])
def test_slots_that_are_not_there_are_refused_and_the_job_goes_on(
    tiny: Model, start: int, stop: int
) -> None:
    watched = Watched(tiny, fill("fixed", canvas=CanvasSpec(tokens=8, pinned=True)))
    watched.revise(Pin(start, stop, "x"))
    assert isinstance(watched.end(), Done)
    assert watched.errors() == ["stale_base"]


def test_nothing_is_typed_before_the_moved_text_is_spelled(tiny: Model) -> None:
    watched = Watched(tiny, fill("fixed", prefix="value    "))
    watched.revise(Pin(0, 1, "x"))
    watched.hear()
    assert watched.errors() == ["stale_base"]


def test_typing_into_the_shown_answer_gives_up_the_others(tiny: Model) -> None:
    request = Fill("a", "a(", "", shape="span", sampling=Sampling(branches=4))
    watched = Watched(tiny, request)
    watched.steps(3)
    live = watched.engine._session._session._live["a"]
    assert len(live.search.running) > 1
    watched.revise(Pin(1, 2, "x"))
    watched.steps(1)
    assert live.search.running == ["a"]
    end = watched.end()
    assert watched.errors() == []
    assert isinstance(end, Done)
    assert end.alternatives == ()
    assert not watched.engine._runner._states


def test_a_fill_that_is_over_can_t_be_typed_into(tiny: Model) -> None:
    watched = Watched(tiny, fill("fixed", canvas=CanvasSpec(tokens=2, pinned=True)))
    watched.end()
    watched.revise(Pin(0, 1, "x"))
    watched.hear()
    last = watched.messages[-1]
    assert isinstance(last, Error)
    assert (last.code, last.ends) == ("not_found", False)


def test_a_canvas_has_an_end_to_its_growth(tiny: Model) -> None:
    watched = Watched(tiny, fill("fixed", canvas=CanvasSpec(tokens=1000, pinned=True)))
    watched.revise(Pin(20, 20, "x y z " * 100))
    watched.hear()
    assert watched.errors() == ["too_large"]


@settings(max_examples=20, deadline=None)
@given(
    policy=st.sampled_from(POLICIES),
    edits=st.lists(
        st.tuples(
            st.integers(0, 4), st.integers(0, 9), st.integers(0, 3), st.text(min_size=1, max_size=5)
        ),
        max_size=4,
    ),
)
def test_any_typing_at_any_time_keeps_the_client_equal(
    tiny: Model, policy: PolicyName, edits: list[tuple[int, int, int, str]]
) -> None:
    watched = Watched(tiny, fill(policy, prefix="(", canvas=CanvasSpec(tokens=10, pinned=True)))
    for wait, start, width, text in edits:
        watched.steps(wait)
        if watched.engine.busy:
            watched.revise(Pin(start, start + width, text))
    done = watched.end()
    assert isinstance(done, Done)
    spelled = "".join(cell or "" for cell in watched.mirror.cells)
    assert done.text in spelled


def test_a_splice_leaves_the_rest_of_a_canvas_as_it_is() -> None:
    canvas = Canvas(4, 99)
    canvas.reveal(np.array([0, 3]), np.array([10, 13]), np.array([0.5, 0.6]), 2)
    made = canvas.spliced(1, 3, Canvas.fixed([7, 8, 9], 99))
    assert made.tokens.tolist() == [10, 7, 8, 9, 13]
    assert made.states.tolist() == [
        SlotState.REVEALED,
        *[SlotState.FIXED] * 3,
        SlotState.REVEALED,
    ]
    assert made.steps.tolist() == [2, 0, 0, 0, 2]
    assert canvas.tokens.tolist() == [10, 99, 99, 13]
    assert canvas.spliced(0, 2).tokens.tolist() == [99, 13]
    for start, stop in ((0, 9), (3, 2), (0, 4)):
        with pytest.raises(ValueError, match=r"splice|slot"):
            canvas.spliced(start, stop)


def test_characters_without_tokens_are_refused_and_the_job_goes_on(lacking: Model) -> None:
    watched = Watched(lacking, fill("fixed", canvas=CanvasSpec(tokens=8, pinned=True)))
    watched.revise(Pin(2, 3, "a\x04"))
    assert isinstance(watched.end(), Done)
    assert watched.errors() == ["unsupported"]

"""Typing into a running canvas: what was typed stays, the rest goes on, and nothing breaks."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.canvas import Canvas, SlotState
from engine.config import EngineConfig
from engine.local import LocalEngine
from models.loader import Model
from protocol.messages import (
    Accepted,
    CanvasSpec,
    Delta,
    Done,
    Error,
    Fill,
    Pin,
    PolicyName,
    Revise,
    Sampling,
    ServerMessage,
    Splice,
)
from protocol.mirror import Mirror

POLICIES: list[PolicyName] = ["causal", "fixed", "threshold", "speculate"]


def fill(policy: PolicyName = "causal", prefix: str = "a = ", **fields: object) -> Fill:
    sampling = Sampling(policy=policy, steps=12, temperature=1.0, seed=3)
    return Fill(id="a", prefix=prefix, suffix=" + b\n", sampling=sampling, **fields)  # type: ignore[arg-type]


def pinned(start: int, stop: int, text: str) -> Revise:
    return Revise(id="a", base_seq=0, ops=(Pin(start, stop, text),))


class Watched:
    """An engine and the canvas as a client sees it."""

    def __init__(self, tiny: Model, request: Fill) -> None:
        self.engine = LocalEngine(tiny, EngineConfig(threads=1))
        self.mirror = Mirror()
        self.messages: list[ServerMessage] = []
        self.engine.send(request)
        self.hear()

    def hear(self) -> None:
        for message in self.engine.step():
            self.messages.append(message)
            if isinstance(message, Accepted):
                size = message.canvas_tokens
                self.mirror = Mirror([None] * size, [0.0] * size)
            elif isinstance(message, Delta | Splice):
                self.mirror.apply(message)

    def steps(self, count: int) -> None:
        for _ in range(count):
            self.hear()

    def end(self) -> Done | Error:
        while self.engine.busy:
            self.hear()
        last = self.messages[-1]
        assert isinstance(last, Done | Error)
        return last

    def errors(self) -> list[str]:
        return [m.code for m in self.messages if isinstance(m, Error)]


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("typed", ["x", "typed_in(1)", "\u00e9\u20ac"])
def test_what_is_typed_stays_and_the_job_goes_on(
    tiny: Model, policy: PolicyName, typed: str
) -> None:
    watched = Watched(tiny, fill(policy, canvas=CanvasSpec(tokens=12, pinned=True)))
    watched.steps(2)
    watched.engine.send(pinned(5, 6, typed))
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
    watched.engine.send(pinned(2, 3, "longer text"))
    watched.hear()
    splices = [m for m in watched.messages if isinstance(m, Splice)]
    (splice,) = splices
    assert (splice.id, splice.at, splice.delete) == ("a", 2, 1)
    assert len(watched.mirror.cells) == size - 1 + splice.insert
    assert "longer text" in "".join(cell or "" for cell in watched.mirror.cells)


def test_a_canvas_that_is_typed_full_is_done(tiny: Model) -> None:
    request = fill("fixed", prefix="(", canvas=CanvasSpec(tokens=4, pinned=True))
    watched = Watched(tiny, request)
    watched.engine.send(pinned(0, 4, "all of it"))
    done = watched.end()
    assert isinstance(done, Done)
    assert done.text == "all of it"


@pytest.mark.parametrize(("start", "stop"), [(0, 99), (99, 99), (40, 41)])
def test_slots_that_are_not_there_are_refused_and_the_job_goes_on(
    tiny: Model, start: int, stop: int
) -> None:
    watched = Watched(tiny, fill("fixed", canvas=CanvasSpec(tokens=8, pinned=True)))
    watched.engine.send(pinned(start, stop, "x"))
    assert isinstance(watched.end(), Done)
    assert watched.errors() == ["stale_base"]


def test_nothing_is_typed_before_the_moved_text_is_spelled(tiny: Model) -> None:
    watched = Watched(tiny, fill("fixed", prefix="value    "))
    watched.engine.send(pinned(0, 1, "x"))
    watched.hear()
    assert watched.errors() == ["stale_base"]


def test_one_of_several_answers_is_not_typed_into(tiny: Model) -> None:
    watched = Watched(tiny, fill("causal", alternatives=2))
    watched.engine.send(pinned(0, 1, "x"))
    watched.hear()
    assert watched.errors() in (["unsupported"], ["not_found"])


def test_a_fill_that_is_over_can_t_be_typed_into(tiny: Model) -> None:
    watched = Watched(tiny, fill("fixed", canvas=CanvasSpec(tokens=2, pinned=True)))
    watched.end()
    watched.engine.send(pinned(0, 1, "x"))
    watched.hear()
    last = watched.messages[-1]
    assert isinstance(last, Error)
    assert (last.code, last.ends) == ("not_found", False)


def test_a_canvas_has_an_end_to_its_growth(tiny: Model) -> None:
    watched = Watched(tiny, fill("fixed", canvas=CanvasSpec(tokens=1000, pinned=True)))
    watched.engine.send(pinned(20, 20, "x y z " * 100))
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
            watched.engine.send(pinned(start, start + width, text))
    done = watched.end()
    assert isinstance(done, Done)
    spelled = "".join(cell or "" for cell in watched.mirror.cells)
    assert done.text in spelled


def test_a_splice_leaves_the_rest_of_a_canvas_as_it_is() -> None:
    canvas = Canvas(4, 99)
    canvas.reveal(np.array([0, 3]), np.array([10, 13]), np.array([0.5, 0.6]), 2)
    canvas.splice(1, 3, [7, 8, 9])
    assert canvas.tokens.tolist() == [10, 7, 8, 9, 13]
    assert canvas.states.tolist() == [
        SlotState.REVEALED,
        *[SlotState.FIXED] * 3,
        SlotState.REVEALED,
    ]
    assert canvas.steps.tolist() == [2, 0, 0, 0, 2]
    for start, stop, tokens in ((0, 9, [1]), (3, 2, [1]), (0, 1, [])):
        with pytest.raises(ValueError, match="splice"):
            canvas.splice(start, stop, tokens)

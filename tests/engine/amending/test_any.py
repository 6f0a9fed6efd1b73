"""Any ops at any time: the client's canvas stays the engine's, and every fill ends once."""

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from models.loader import Model
from protocol.messages import (
    Accepted,
    Advance,
    CanvasSpec,
    ContextChange,
    Done,
    Error,
    Op,
    Pin,
    PolicyName,
    Remask,
    RemaskBelow,
    Resize,
)
from tests.engine.amending.watched import POLICIES, Watched, fill

SLOT = st.integers(0, 14)
TEXT = st.text("ab\u00e9\u4e2d\n (", min_size=1, max_size=4)
OPS: st.SearchStrategy[Op] = st.one_of(
    st.builds(lambda at, size: Remask(at, at + size), SLOT, st.integers(1, 5)),
    st.builds(RemaskBelow, st.floats(0, 1)),
    st.builds(lambda at, size, text: Pin(at, at + size, text), SLOT, st.integers(0, 3), TEXT),
    st.builds(Resize, st.integers(1, 24)),
    st.builds(Advance, st.integers(0, 4)),
    st.builds(
        ContextChange,
        prefix_drop=st.integers(0, 2),
        prefix_add=st.just("") | TEXT,
        suffix_drop=st.integers(0, 2),
        suffix_add=st.just("") | TEXT,
    ),
)
TURNS = st.lists(st.tuples(st.integers(0, 3), st.lists(OPS, min_size=1, max_size=3)), max_size=5)
HONEST = {"stale_base", "invalid_message", "too_large", "not_found"}


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    policy=st.sampled_from(POLICIES),
    prefix=st.sampled_from(["(", "a = ", "x\n    ", "re", "\u4e2d"]),
    canvas=st.sampled_from([CanvasSpec(tokens=8, pinned=True), CanvasSpec(tokens=8)]),
    answers=st.sampled_from([1, 1, 3]),
    turns=TURNS,
)
def test_any_ops_at_any_time_keep_the_client_equal(
    tiny: Model,
    policy: PolicyName,
    prefix: str,
    canvas: CanvasSpec,
    answers: int,
    turns: list[tuple[int, list[Op]]],
) -> None:
    watched = Watched(tiny, fill(policy, prefix=prefix, canvas=canvas, alternatives=answers))
    live = watched.engine._session._session._live.get("a")
    for wait, ops in turns:
        watched.steps(wait)
        if watched.engine.busy:
            watched.revise(*ops)
    watched.done()
    assert set(watched.errors()) <= HONEST
    assert live is None or watched.mirror.cells == live.cells
    ends = [m for m in watched.messages if isinstance(m, Done | Accepted)]
    assert len(ends) == 2
    assert not any(isinstance(m, Error) and m.ends for m in watched.messages)
    assert not watched.engine._runner._states

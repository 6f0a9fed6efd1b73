"""The client's canvas follows the deltas, whatever they are."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clients.cli.canvas import Canvas
from clients.cli.errors import EngineFailure
from engine.client import stream
from protocol.messages import Accepted, Delta, Done, Fill
from tests.fakes import FakeEngine


@given(st.text("ab (\n", min_size=1, max_size=30), st.integers(0, 2**20), st.integers(1, 5))
def test_the_canvas_ends_as_the_answer(text: str, seed: int, per_step: int) -> None:
    canvas = Canvas()
    client = FakeEngine(text, per_step=per_step, seed=seed, remask=0.5)
    for message in stream(client, Fill("f", "", "", shape="span")):
        if isinstance(message, Accepted):
            canvas.resize(message.canvas_tokens)
        if isinstance(message, Delta):
            canvas.apply(message)
            assert len(canvas.cells) == message.size
        if isinstance(message, Done):
            assert "".join(cell or "" for cell in canvas.cells) == message.text
            assert canvas.revealed == len(canvas.cells)


def test_a_canvas_grows_and_shrinks() -> None:
    canvas = Canvas()
    canvas.apply(Delta("f", 1, 3, (0, 2), ("a", "c"), (0.5, 0.5)))
    assert canvas.cells == ["a", None, "c"]
    canvas.apply(Delta("f", 2, 5, (), (), ()))
    assert canvas.cells == ["a", None, "c", None, None]
    canvas.apply(Delta("f", 3, 1, (0,), (None,), (0.0,)))
    assert canvas.cells == [None]
    assert canvas.is_new(0, 2)
    assert not canvas.is_new(0, 3)


def test_a_cell_outside_the_canvas_is_the_engines_fault() -> None:
    with pytest.raises(EngineFailure, match="outside its canvas"):
        Canvas().apply(Delta("f", 1, 2, (2,), ("a",), (0.5,)))

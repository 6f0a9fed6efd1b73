"""What a person does to one of several holes while they are filled."""

from collections.abc import Callable

import msgspec
import pytest

from engine.config import EngineConfig
from engine.local import LocalEngine
from models.loader import Model
from protocol.messages import (
    Advance,
    CanvasSpec,
    Delta,
    Done,
    Error,
    Fill,
    Op,
    Pin,
    Remask,
    Revise,
    ServerMessage,
)
from protocol.requests import NextHole
from tests.engine.several.asking import fill

PINNED = CanvasSpec(tokens=8, pinned=True)


def two(policy: str) -> Fill:
    second = NextHole("\n    y = ", canvas=PINNED)
    return fill(policy=policy, canvas=PINNED, holes=(second,))


class Live:
    """A running fill."""

    def __init__(self, tiny: Model, policy: str = "causal") -> None:
        self.engine = LocalEngine(tiny, EngineConfig(threads=1))
        self.said: list[ServerMessage] = []
        self.engine.send(two(policy))

    def until(self, true: Callable[[Delta], bool]) -> Delta:
        """Step until there is such a frame."""
        while self.engine.busy:
            new = self.engine.step()
            self.said += new
            for message in new:
                if isinstance(message, Delta) and true(message):
                    return message
        raise AssertionError("there was no such frame")

    def change(self, frame: Delta, op: Op, canvas: int | None = None) -> None:
        where = frame.canvas if canvas is None else canvas
        self.engine.send(Revise("f1", frame.seq, (op,), where))

    def end(self) -> tuple[Done | Error, list[str]]:
        """The last message, and the codes of what was refused."""
        self.said += list(iter(self.engine.receive, None))
        last = self.said[-1]
        assert isinstance(last, Done | Error)
        return last, [m.code for m in self.said if isinstance(m, Error)]


@pytest.mark.parametrize("number", [0, 1])
def test_the_hole_whose_turn_it_is_is_typed_into(tiny: Model, number: int) -> None:
    live = Live(tiny)
    frame = live.until(lambda delta: delta.canvas == number and delta.step == 3)
    live.change(frame, Pin(1, 2, "typed"))
    end, refused = live.end()
    assert refused == []
    assert isinstance(end, Done)
    assert "typed" in end.holes[number]
    assert "typed" not in end.holes[1 - number]
    assert not live.engine._runner._states


def test_frames_are_numbered_on_from_hole_to_hole(tiny: Model) -> None:
    """An op names the last frame of all, also where the hole before had more of them."""
    live = Live(tiny)
    live.until(lambda delta: delta.canvas == 1 and delta.step == 3)
    seqs = [message.seq for message in live.said if isinstance(message, Delta)]
    assert seqs == list(range(1, len(seqs) + 1))
    live.engine.send(Revise("f1", seqs[-1], (Pin(1, 2, "typed"),), 1))
    end, refused = live.end()
    assert refused == []
    assert isinstance(end, Done)
    assert "typed" in end.holes[1]


def test_an_op_on_a_hole_of_which_no_frame_was_seen_is_refused(tiny: Model) -> None:
    live = Live(tiny)
    first = live.until(lambda delta: delta.canvas == 0)
    frame = live.until(lambda delta: delta.canvas == 1 and delta.step == 3)
    live.change(msgspec.structs.replace(frame, seq=first.seq), Pin(1, 2, "typed"))
    assert live.end()[1] == ["stale_base"]


def test_a_thrown_back_slot_is_told_as_a_mask_of_its_hole(tiny: Model) -> None:
    live = Live(tiny)
    frame = live.until(lambda delta: delta.canvas == 1 and delta.step == 3)
    live.change(frame, Remask(1, 2))
    again = live.until(lambda delta: None in delta.cells)
    assert again.canvas == 1
    assert isinstance(live.end()[0], Done)


@pytest.mark.parametrize(
    ("policy", "op", "canvas", "code"),
    [
        ("causal", Pin(1, 2, "x"), 1, "not_found"),
        ("causal", Advance(1), 0, "unsupported"),
        ("threshold", Pin(1, 2, "x"), 0, "unsupported"),
    ],
)
def test_what_can_t_be_changed_is_refused_and_the_fill_goes_on(
    tiny: Model, policy: str, op: Op, canvas: int, code: str
) -> None:
    live = Live(tiny, policy)
    live.change(live.until(lambda delta: delta.canvas == 0), op, canvas)
    end, refused = live.end()
    assert refused == [code]
    assert isinstance(end, Done)

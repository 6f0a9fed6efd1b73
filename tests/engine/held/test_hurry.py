"""Deadlines, pins and the last gate: nothing is sent that does not keep to the language."""

import json
from typing import Any

import jsonschema_rs
import pytest

from engine.config import EngineConfig
from engine.job import Job, Narrowed
from engine.local import LocalEngine
from models.loader import Model
from protocol.constraint import JsonSchema, Regex
from protocol.messages import (
    Cancel,
    Done,
    Error,
    Fill,
    Pin,
    RemaskBelow,
    Revise,
    ServerMessage,
)
from protocol.requests import NextHole
from tests.engine.held.asking import SCHEMA, fill

POLICIES = ["causal", "speculate", "threshold", "fixed"]


class Clock:
    """A clock that jumps once so many steps were taken."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def hurried(tiny: Model, request: Fill, steps: int) -> Done | Error:
    """The end of a fill whose time is up after so many steps of its own."""
    clock = Clock()
    engine = LocalEngine(tiny, EngineConfig(threads=1), clock)
    engine.send(request)
    taken, said = 0, list[ServerMessage]()
    while not any(isinstance(m, Done | Error) for m in said):
        said += engine.step()
        taken += any(m.id == request.id for m in said)
        clock.now = 0.0 if taken < steps else 10.0
    engine.close()
    (end,) = [m for m in said if isinstance(m, Done | Error)]
    return end


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("steps", [3, 5, 9])
def test_the_witness_is_the_answer_in_a_hurry(tiny: Model, policy: Any, steps: int) -> None:
    request = fill(JsonSchema(SCHEMA), policy, deadline_ms=5000, sampling={"threshold": 0.99})
    end = hurried(tiny, request, steps)
    assert isinstance(end, Done), end
    assert jsonschema_rs.is_valid(json.loads(SCHEMA), json.loads(end.text))
    if end.finish == "deadline":
        assert any(token.forced and token.confidence == 0.0 for token in end.tokens)


@pytest.mark.parametrize("policy", POLICIES)
def test_a_pinned_canvas_is_completed_to_its_end(tiny: Model, policy: Any) -> None:
    constraint = Regex("[a-f]{3,60}", exact_tokens=20)
    end = hurried(tiny, fill(constraint, policy, deadline_ms=5000, prefix="x("), 3)
    assert isinstance(end, Done)
    assert 3 <= len(end.text) <= 60


def test_no_time_at_all_is_an_error_not_an_invented_text(tiny: Model) -> None:
    clock = Clock()
    engine = LocalEngine(tiny, EngineConfig(threads=1), clock)
    engine.send(fill(Regex("[a-f]{9}"), name="first"))  # compiles it
    while not any(isinstance(m, Done) for m in engine.step()):
        pass
    engine.send(fill(Regex("[a-f]{9}"), deadline_ms=5000))
    clock.now = 10.0
    (end,) = [m for m in iter(engine.receive, None) if isinstance(m, Done | Error)]
    engine.close()
    assert isinstance(end, Error)
    assert (end.code, end.param) == ("deadline", "constraint")


def test_cancelled_is_no_error(tiny: Model) -> None:
    engine = LocalEngine(tiny, EngineConfig(threads=1))
    engine.send(fill(Regex("[a-f]{90}")))
    while not engine.step():
        pass
    engine.send(Cancel("f"))
    (end,) = [m for m in iter(engine.receive, None) if isinstance(m, Done | Error)]
    engine.close()
    assert isinstance(end, Done)
    assert end.finish == "cancelled"


@pytest.mark.parametrize("policy", ["causal", "fixed"])
def test_a_hurry_with_several_holes(tiny: Model, policy: Any) -> None:
    request = Fill(
        "f",
        "x = ",
        "\n",
        constraint=Regex("[0-9]{9}"),
        sampling=fill(None, policy).sampling,
        holes=(NextHole("\ny = ", constraint=Regex("[a-f]{9}")),),
        deadline_ms=5000,
    )
    end = hurried(tiny, request, 3)
    assert isinstance(end, Done), end
    first, second = end.holes
    assert len(first) == 9 and first.isdigit()
    assert second == "" or len(second) == 9


@pytest.mark.parametrize(("text", "taken"), [("b", True), ("z", False), ("bbbbbbbbb", False)])
def test_typed_text_must_leave_a_way(tiny: Model, text: str, taken: bool) -> None:
    engine = LocalEngine(tiny, EngineConfig(threads=1))
    engine.send(fill(Regex("[a-f]{8}"), tokens=12, prefix="x("))
    while not engine.step():
        pass
    engine.send(Revise("f", 0, (Pin(3, 4, text),)))
    said = list(iter(engine.receive, None))
    engine.close()
    errors = [m.code for m in said if isinstance(m, Error)]
    assert errors == ([] if taken else ["constraint_unsatisfiable"])
    (end,) = [m for m in said if isinstance(m, Done)]
    assert len(end.text) == 8
    assert not taken or end.tokens[3].text == "b"


def test_an_answer_that_fails_the_last_gate_is_not_sent(
    tiny: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = LocalEngine(tiny, EngineConfig(threads=1))
    monkeypatch.setattr("engine.terms._gate", lambda *_: lambda text: "of a bug")
    engine.send(fill(Regex("[a-f]{8}")))
    (error,) = [m for m in iter(engine.receive, None) if isinstance(m, Done | Error)]
    engine.close()
    assert isinstance(error, Error)
    assert error.code == "engine_failed"
    assert "of a bug" in error.message


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("steps", [None, 4])
def test_the_chance_to_keep_to_it_is_told_from_the_last_change_on(
    tiny_engine: LocalEngine, policy: Any, steps: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was thrown back is not counted beside what stands in its place."""
    told: list[float] = []
    keep = Job.keep

    def spy(job: Job, narrowed: Narrowed) -> None:
        assert narrowed.log_valid is not None
        told.append(narrowed.log_valid)
        keep(job, narrowed)

    monkeypatch.setattr(Job, "keep", spy)
    tiny_engine.send(fill(Regex("[a-f]{9,12}"), policy, sampling={"threshold": 0.99}))
    while len(told) < 2:
        tiny_engine.step()
        assert tiny_engine.busy
    told.clear()
    tiny_engine.send(Revise("f", 9, (RemaskBelow(1.0),), steps=steps))
    *_, end = iter(tiny_engine.receive, None)
    assert isinstance(end, Done) and end.log_valid is not None
    each = policy in ("causal", "speculate")
    assert end.log_valid == pytest.approx(sum(told) if each else told[0], abs=1e-3)

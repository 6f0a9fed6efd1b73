"""What goes wrong in one request ends that request alone, and nothing of it stays."""

from typing import Any

import numpy as np
import pytest

from engine.boundary import Boundary
from engine.canvas import Canvas
from engine.config import EngineConfig
from engine.constraints.prefix_index import PrefixIndex
from engine.hole import Hole
from engine.job import Job, Narrowed, StepResult, Unsatisfiable
from engine.local import LocalEngine
from engine.policies import POLICIES, Plan
from engine.query import Context
from engine.turns import Turn
from models.loader import Model
from protocol.messages import (
    CanvasSpec,
    Done,
    Error,
    Fill,
    PolicyName,
    Remask,
    Revise,
    ReviseText,
    Sampling,
    Score,
    ServerMessage,
    Task,
)
from protocol.requests import NextHole


def fill(fill_id: str = "a") -> Fill:
    spec = CanvasSpec(tokens=6, pinned=True)
    sampling = Sampling(policy="fixed", steps=6)
    return Fill(id=fill_id, prefix="(", suffix=")", canvas=spec, sampling=sampling)


REQUESTS: list[Task] = [
    fill("bad"),
    Fill("bad", "a = ", "\n", holes=(NextHole("\nb = "),)),
    Fill("bad", "a = ", "\n", holes=(NextHole("\nb = "),), sampling=Sampling(policy="fixed")),
    ReviseText("bad", "a = ", "b + in", "\n", guard=0.0),
    Score("bad", "a = ", "b + in", "\n"),
]


def ends(engine: LocalEngine) -> dict[str | None, ServerMessage]:
    """The last word on each request, once nothing is left to do."""
    said: list[ServerMessage] = list(iter(engine.receive, None))
    return {message.id: message for message in said}


def nothing_stays(engine: LocalEngine) -> bool:
    """Whether no request is known anywhere."""
    session = engine._session._session
    known = (session._live, session._revisions._live, session._scorings._live)
    parts = (*known, engine._session._live, engine._owners, engine._runner._states)
    return not engine.busy and not any(parts)


@pytest.mark.parametrize("request_", REQUESTS)
def test_a_fault_met_in_a_result_ends_that_request_alone(
    tiny_engine: LocalEngine,
    request_: Task,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """The log tells where it was, and no text."""
    session = tiny_engine._session._session
    advance = session.advance

    def explode(result: StepResult) -> Turn:
        turn = advance(result)
        if result.work.id.startswith("bad"):
            raise KeyError("a secret text")
        return turn

    monkeypatch.setattr(session, "advance", explode)
    tiny_engine.send(request_)
    tiny_engine.send(fill("good"))
    found = ends(tiny_engine)
    error = found["bad"]
    assert isinstance(error, Error) and isinstance(found["good"], Done)
    assert (error.code, error.ends) == ("engine_failed", True)
    assert nothing_stays(tiny_engine)
    assert "KeyError at" in caplog.text and "test_faults.py" in caplog.text
    assert "secret" not in caplog.text


@pytest.mark.parametrize("request_", REQUESTS)
def test_an_id_is_free_as_soon_as_its_request_has_failed(
    tiny_engine: LocalEngine, request_: Task, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever is left of its work ends with it, and is not taken for the new one's."""

    def explode(result: StepResult) -> Turn:
        raise KeyError("a secret text")

    with monkeypatch.context() as patch:
        patch.setattr(tiny_engine._session._session, "advance", explode)
        tiny_engine.send(request_)
        error = tiny_engine.step()[-1]
    assert isinstance(error, Error) and error.ends
    tiny_engine.send(request_)
    assert not isinstance(ends(tiny_engine)["bad"], Error)
    assert nothing_stays(tiny_engine)


@pytest.mark.parametrize("request_", REQUESTS)
def test_a_fault_met_when_a_request_begins_leaves_nothing_of_it(
    tiny_engine: LocalEngine, request_: Task, monkeypatch: pytest.MonkeyPatch
) -> None:
    def explode(*_: object) -> None:
        raise KeyError("a secret text")

    with monkeypatch.context() as patch:
        for place in ("search.Search.start", "revision.program.Program.start"):
            patch.setattr(f"engine.{place}", explode)
        tiny_engine.send(request_)
        (error,) = tiny_engine.step()
    assert isinstance(error, Error) and error.code == "engine_failed"
    assert nothing_stays(tiny_engine)
    tiny_engine.send(request_)
    assert not isinstance(ends(tiny_engine)["bad"], Error)


def test_a_fault_met_in_a_change_ends_the_fill(
    tiny_engine: LocalEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    def explode(*_: object) -> None:
        raise KeyError("a secret text")

    tiny_engine.send(fill())
    tiny_engine.step()
    monkeypatch.setattr("engine.amending.amend.remask", explode)
    tiny_engine.send(Revise(id="a", base_seq=1, ops=(Remask(0, 1),)))
    error = ends(tiny_engine)["a"]
    assert isinstance(error, Error)
    assert (error.code, error.ends) == ("engine_failed", True)
    assert nothing_stays(tiny_engine)


def test_a_stop_rule_that_fails_ends_its_job_alone(
    tiny_engine: LocalEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    rule = Hole.is_complete

    def explode(hole: Hole, text: str) -> bool:
        if hole.prefix.endswith("["):
            raise KeyError("a secret text")
        return rule(hole, text)

    monkeypatch.setattr(Hole, "is_complete", explode)
    tiny_engine.send(Fill("bad", "a = [", "]\n"))
    tiny_engine.send(Fill("good", "a = (", ")\n"))
    found = ends(tiny_engine)
    assert isinstance(found["bad"], Error) and isinstance(found["good"], Done)
    assert nothing_stays(tiny_engine)


@pytest.mark.parametrize("policy", ["causal", "fixed"])
def test_a_fault_met_in_a_pass_ends_its_job_alone(
    tiny_engine: LocalEngine,
    policy: PolicyName,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    narrow = Boundary.narrow

    def explode(boundary: Boundary, scores: Any, slots: Any, job: Job) -> Narrowed:
        if job.id.startswith("bad"):
            raise KeyError("a secret text")
        return narrow(boundary, scores, slots, job)

    monkeypatch.setattr(Boundary, "narrow", explode)
    for name in ("bad", "good"):
        tiny_engine.send(Fill(name, "a = ", "\n", sampling=Sampling(policy=policy)))
    found = ends(tiny_engine)
    assert isinstance(found["bad"], Error) and isinstance(found["good"], Done)
    assert nothing_stays(tiny_engine)
    assert "KeyError at" in caplog.text and "secret" not in caplog.text


@pytest.mark.parametrize("policy", ["causal", "fixed", "speculate"])
def test_a_prefix_may_end_in_white_space_without_tokens(lacking: Model, policy: PolicyName) -> None:
    engine = LocalEngine(lacking, EngineConfig(threads=1))
    for name, prefix in (("a", "x = 1\x1d "), ("b", "x = 1\x1d"), ("c", "x = ")):
        engine.send(Fill(name, prefix, "\n", sampling=Sampling(policy=policy)))
    assert all(isinstance(end, Done) for end in ends(engine).values())


@pytest.mark.parametrize("policy", ["causal", "fixed"])
def test_a_boundary_that_no_token_spells_is_said_not_to_fit(
    lacking: Model, policy: PolicyName
) -> None:
    index = PrefixIndex(lacking.tokenizer.token_bytes)
    boundary = Boundary(index, b"\x1d ")
    job = Job("a", Context((5,), ()), Canvas(4, 16), POLICIES[policy], Plan(steps=3))
    slots = np.arange(1 if policy == "causal" else 2)
    with pytest.raises(Unsatisfiable):
        boundary.narrow(np.zeros((len(slots), index.size), np.float32), slots, job)

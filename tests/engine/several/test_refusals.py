"""Fills of several holes that can't be done, or that break off: said once, and nothing stays."""

from typing import Any

import msgspec
import pytest

from engine.config import EngineConfig
from engine.local import LocalEngine
from engine.session import Session
from engine.several.fills import Several
from models.loader import Model
from protocol.constraint import Regex, Syntax
from protocol.errors import ProtocolError
from protocol.messages import (
    Accepted,
    CanvasSpec,
    Delta,
    Done,
    Error,
    Fill,
    Sampling,
    ServerMessage,
)
from protocol.requests import NextHole
from tests.engine.several.asking import done, fill, heard


def errors(engine: LocalEngine, *requests: Fill) -> list[Error]:
    return [message for message in heard(engine, *requests) if isinstance(message, Error)]


@pytest.mark.parametrize(
    ("request_", "code", "param"),
    [
        (fill("a", ""), "invalid_message", "holes[1].before"),
        (fill(alternatives=2), "unsupported", "alternatives"),
        (
            fill(holes=(NextHole("a", canvas=CanvasSpec(pinned=True)),)),
            "invalid_message",
            "holes[0].canvas",
        ),
        (fill(canvas=CanvasSpec(pinned=True)), "invalid_message", "canvas"),
    ],
)
@pytest.mark.parametrize("policy", ["causal", "fixed"])
def test_what_can_not_be_done_is_refused_and_leaves_nothing_behind(
    tiny_engine: LocalEngine, request_: Fill, code: str, param: str, policy: Any
) -> None:
    request_ = msgspec.structs.replace(request_, sampling=Sampling(policy=policy))
    [error] = errors(tiny_engine, request_)
    assert (error.code, error.param) == (code, param)
    assert done(tiny_engine, fill(policy=policy)).holes


def test_a_later_hole_that_is_refused_leaves_the_first_one_unknown(
    tiny: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = Session(tiny, EngineConfig(threads=1))
    begin = session.begin

    def refuse_second(part: Fill, *rest: Any) -> Any:
        if part.id.endswith("#1"):
            raise ProtocolError("unsupported", "not that one")
        return begin(part, *rest)

    monkeypatch.setattr(session, "begin", refuse_second)
    with pytest.raises(ProtocolError, match="not that one"):
        Several(session, lambda: 0.0).open(fill())
    assert not session.running("f1#0") and not session.running("f1")


@pytest.mark.parametrize("policy", ["causal", "threshold"])
@pytest.mark.parametrize(
    "second",
    [
        NextHole("\n    y = ", canvas=CanvasSpec(2), constraint=Regex("[0-9]{40}")),
        NextHole("\n    y = ", constraint=Regex("[a-z]{9}é", exact_tokens=2)),
    ],
)
def test_a_later_hole_that_is_impossible_is_refused_before_the_first_pass(
    tiny_engine: LocalEngine, policy: Any, second: NextHole
) -> None:
    steps = tiny_engine.load.steps
    third = NextHole("\n    z = ")
    [error] = heard(tiny_engine, fill(policy=policy, holes=(third, second)))
    assert isinstance(error, Error)
    assert (error.code, error.param) == ("constraint_unsatisfiable", "holes[1].constraint")
    assert tiny_engine.load.steps == steps
    assert not tiny_engine._session._session._live


def test_a_later_hole_that_fails_is_named(
    tiny_engine: LocalEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.gate.accepts_in", lambda *_: lambda answer: False)
    second = NextHole("\n    y = ", constraint=Syntax(language="python", scope="hole"))
    [error] = errors(tiny_engine, fill(holes=(second,)))
    assert (error.code, error.param) == ("constraint_unsatisfiable", "holes[0].constraint")


def test_a_later_hole_whose_time_is_up_keeps_the_text_of_the_first(
    tiny: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.gate.accepts_in", lambda *_: lambda answer: False)
    now = [0.0]
    engine = LocalEngine(tiny, EngineConfig(threads=1), clock=lambda: now[0])
    second = NextHole("\n    y = ", constraint=Syntax(language="python", scope="hole"))
    engine.send(fill(policy="causal", holes=(second,), deadline_ms=5000))
    said: list[ServerMessage] = []
    while engine.busy:
        said += engine.step()
        shown = [message for message in said if isinstance(message, Delta)]
        now[0] = 9.0 if shown and shown[-1].canvas == 1 else 0.0
    end = said[-1]
    assert isinstance(end, Done), end
    assert end.finish == "deadline" and end.text and end.holes == (end.text, "")


@pytest.mark.parametrize("policy", ["causal", "fixed"])
def test_a_live_id_is_refused_whatever_kind_of_fill_has_it(
    tiny_engine: LocalEngine, policy: Any
) -> None:
    plain = Fill("f1", "a", "b")
    for pair in ((plain, fill(policy=policy)), (fill(policy=policy), plain)):
        [error] = errors(tiny_engine, *pair)
        assert error.code == "id_conflict" and not error.ends


@pytest.mark.parametrize("best_effort", [False, True])
def test_holes_whose_texts_are_tried_go_in_turn_and_end(
    tiny_engine: LocalEngine, monkeypatch: pytest.MonkeyPatch, best_effort: bool
) -> None:
    monkeypatch.setattr("engine.gate.accepts_in", lambda *_: lambda answer: False)
    held = Syntax(language="python", scope="hole", best_effort=best_effort)
    second = NextHole("\n    y = ", constraint=held)
    accepted, *_, end = heard(tiny_engine, fill(holes=(second,)))
    assert isinstance(accepted, Accepted) and "tried" in accepted.notes[-1]
    if best_effort:
        assert isinstance(end, Done) and end.finish == "constraint"
    else:
        assert isinstance(end, Error) and "texts that were tried" in end.message
    assert not tiny_engine.busy and tiny_engine.load.live == 0


def test_a_hole_that_fails_ends_the_others_with_it(
    tiny_engine: LocalEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first hole has one token, the second one takes eight steps."""

    def refuse(*_: object) -> None:
        raise ProtocolError("constraint_unsatisfiable", "not that one")

    monkeypatch.setattr("engine.session.judged", refuse)
    one, eight = CanvasSpec(1, pinned=True), CanvasSpec(8, pinned=True)
    sampling = Sampling(policy="fixed", steps=8)
    second = NextHole("\n    y", canvas=eight)
    request = fill(prefix="x = (", canvas=one, sampling=sampling, holes=(second,))
    [error] = errors(tiny_engine, request)
    assert error.code == "constraint_unsatisfiable" and error.id == "f1"
    assert not tiny_engine._session._session._live
    assert tiny_engine.load.steps < 8


@pytest.mark.parametrize("policy", ["causal", "fixed"])
def test_a_step_that_fails_ends_the_fill_with_one_error(
    tiny: Model, monkeypatch: pytest.MonkeyPatch, policy: Any
) -> None:
    engine = LocalEngine(tiny, EngineConfig(threads=1))

    def explode(*_: object) -> None:
        raise RuntimeError("no memory")

    with monkeypatch.context() as patch:
        patch.setattr(tiny.transformer, "logits", explode)
        [error] = errors(engine, fill(policy=policy))
    assert error.code == "engine_failed" and error.id == "f1"
    assert done(engine, fill(policy=policy)).holes

"""LocalEngine as a server's engine: waits told, late fills refused, what it lacks named."""

import random
from collections.abc import Sequence

import pytest

from engine.client import stream
from engine.config import EngineConfig
from engine.job import StepResult, Work
from engine.local import LocalEngine
from engine.making import LINE_LIMIT
from models.loader import Model
from protocol.capabilities import syntax_of
from protocol.messages import (
    Accepted,
    Cancel,
    CanvasSpec,
    Done,
    Error,
    Fill,
    Remask,
    Revise,
    Sampling,
    ServerMessage,
)
from protocol.values import Priority


class Clock:
    """A clock that goes on by itself, `pace` seconds at every look."""

    def __init__(self, pace: float) -> None:
        self.now, self.pace = 0.0, pace

    def __call__(self) -> float:
        self.now += self.pace
        return self.now


def fill(fill_id: str = "a", **fields: object) -> Fill:
    spec = CanvasSpec(tokens=6, pinned=True)
    sampling = Sampling(policy="fixed", steps=6)
    return Fill(id=fill_id, prefix="(", suffix=")", canvas=spec, sampling=sampling, **fields)  # type: ignore[arg-type]


def first(engine: LocalEngine) -> ServerMessage:
    return engine.step()[0]


def test_what_it_lacks_is_unsupported(
    tiny_engine: LocalEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.local.CAPABILITIES", frozenset({"score"}))
    tiny_engine.send(fill(stop=("x",)))
    (error,) = tiny_engine.step()
    assert isinstance(error, Error)
    assert (error.code, error.id, error.param, error.ends) == ("unsupported", "a", "stop", True)
    assert not tiny_engine.busy


def test_an_unsupported_revision_leaves_the_fill_alone(tiny_engine: LocalEngine) -> None:
    tiny_engine.send(fill())
    tiny_engine.send(Revise(id="a", base_seq=0, ops=(Remask(0, 1),), canvas=1))
    messages: list[ServerMessage] = []
    while tiny_engine.busy:
        messages += tiny_engine.step()
    errors = [message for message in messages if isinstance(message, Error)]
    assert [(error.code, error.ends) for error in errors] == [("unsupported", False)]
    assert isinstance(messages[-1], Done)


def test_a_fill_hears_how_long_it_has_to_wait(tiny: Model) -> None:
    engine = LocalEngine(tiny, EngineConfig(threads=1, batch_jobs=1), Clock(0.01))
    for number in range(3):
        engine.send(fill(f"f{number}"), client="one")
    accepted = [m for m in engine.step() if isinstance(m, Accepted)]
    assert [message.position for message in accepted] == [0, 1, 2]
    engine.send(fill("late"), client="one")
    late = next(m for m in engine.step() if isinstance(m, Accepted))
    assert late.position == 3
    assert late.est_ms is not None
    assert late.est_ms > 0


def test_a_fill_that_would_be_late_is_refused_at_once(tiny: Model) -> None:
    engine = LocalEngine(tiny, EngineConfig(threads=1, batch_jobs=1), Clock(0.05))
    for number in range(3):
        engine.send(fill(f"f{number}"), client="one")
    engine.step()
    engine.step()
    engine.send(fill("late", deadline_ms=40), client="one")
    error = next(m for m in engine.step() if m.id == "late")
    assert isinstance(error, Error)
    assert error.code == "overloaded"
    assert error.retry_after_ms is not None
    engine.send(fill("urgent", deadline_ms=5000, priority="auto"), client="two")
    assert isinstance(next(m for m in engine.step() if m.id == "urgent"), Accepted)


def test_load_is_told(tiny_engine: LocalEngine, tiny: Model) -> None:
    assert (tiny_engine.load.live, tiny_engine.load.steps) == (0, 0)
    tiny_engine.send(fill())
    first(tiny_engine)
    assert (tiny_engine.load.live, tiny_engine.load.steps) == (1, 1)
    while tiny_engine.busy:
        tiny_engine.step()
    assert tiny_engine.load.live == 0
    assert tiny_engine.load.cached_bytes > 0
    assert tiny_engine.facts.caps == tuple(sorted(tiny_engine.facts.caps))
    assert {syntax_of("python"), syntax_of("css")} <= set(tiny_engine.facts.caps)
    most = EngineConfig().prefix_tokens + tiny.config.layout.suffix_limit
    assert tiny_engine.facts.window == most


def test_a_cancel_acts_between_the_chunks_of_a_long_context(tiny: Model) -> None:
    engine = LocalEngine(tiny, EngineConfig(threads=1))
    words = " ".join(f"word{number}" for number in range(600))
    engine.send(Fill(id="a", prefix=words, suffix="", sampling=Sampling(policy="fixed")))
    assert isinstance(first(engine), Accepted)
    assert engine.step() == [], "the context is still being read"
    engine.send(Cancel("a"))
    (done,) = engine.step()
    assert isinstance(done, Done)
    assert (done.finish, done.text, done.stats.forwards) == ("cancelled", "", 0)
    assert not engine.busy
    assert engine.load.live == 0


def test_a_storm_of_cancels_leaves_nothing(tiny: Model) -> None:
    engine, dice = LocalEngine(tiny, EngineConfig(threads=1)), random.Random(5)
    live: set[str] = set()
    ends: dict[str, str] = {}
    for number in range(60):
        name = str(number)
        engine.send(fill(name), client=f"client{number % 3}")
        live.add(name)
        if dice.random() < 0.6:
            engine.send(Cancel(dice.choice(sorted(live))))
        for message in engine.step():
            if isinstance(message, Done):
                assert message.id not in ends
                ends[message.id] = message.finish
                live.discard(message.id)
    while engine.busy:
        for message in engine.step():
            if isinstance(message, Done):
                ends[message.id] = message.finish
    assert len(ends) == 60
    assert set(ends.values()) == {"cancelled", "stop"}
    assert engine.load.live == 0
    assert not engine._runner._states
    assert not engine._session._live


@pytest.mark.parametrize("priority", ["manual", "auto"])
def test_a_line_that_does_not_end_is_not_waited_for(
    tiny_engine: LocalEngine, priority: Priority
) -> None:
    """A random model writes no newline; the block that a line might open has room for more."""
    request = Fill(id="a", prefix="a = 1\n", suffix="\nb = 2\n", path="a.py", priority=priority)
    *_, end = stream(tiny_engine, request)
    assert isinstance(end, Done)
    assert "\n" not in end.text.rstrip("\n")
    assert end.stats.forwards <= LINE_LIMIT + 8


def test_a_turn_that_only_ends_fills_says_nothing_about_the_pace(
    tiny: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = Clock(0.0)
    engine = LocalEngine(tiny, EngineConfig(threads=1, batch_jobs=1), clock)
    run = engine._runner.run

    def slow(works: Sequence[Work]) -> list[StepResult]:
        clock.now += 0.1 * len(works)
        return run(works)

    monkeypatch.setattr(engine._runner, "run", slow)
    engine.send(fill())
    while engine.busy:
        engine.step()
    waits = []
    for _ in range(3):
        for name in ("first", "second"):
            engine.send(fill(name))
            engine.send(Cancel(name))
        waits += [m.est_ms for m in engine.step() if isinstance(m, Accepted)][1:]
    assert waits == [100.0] * 3

"""Constraints are compiled beside the engine: others go on, and whoever waits can be let go."""

import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from engine.config import EngineConfig
from engine.constraints.compiler import Compiled, ConstraintCompiler
from engine.constraints.errors import TooLargeError
from engine.constraints.spec import Regex as Pattern
from engine.constraints.worker import _Child
from engine.local import LocalEngine
from models.loader import Model
from protocol.constraint import Choices, Regex
from protocol.messages import Accepted, Cancel, Done, Error, ReviseText, ServerMessage
from tests.engine.held.asking import fill


class Clock:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


class Gate:
    """Holds every compilation up until it is opened."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.open = threading.Event()
        self.failure: Exception | None = None
        inner: Callable[..., Compiled] = ConstraintCompiler.compile

        def compile_later(compiler: ConstraintCompiler, *words: Any) -> Compiled:
            assert self.open.wait(60)
            if self.failure is not None:
                raise self.failure
            return inner(compiler, *words)

        monkeypatch.setattr(ConstraintCompiler, "compile", compile_later)


@pytest.fixture
def gate(monkeypatch: pytest.MonkeyPatch) -> Iterator[Gate]:
    found = Gate(monkeypatch)
    yield found
    found.open.set()


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def fresh(tiny: Model, clock: Clock) -> Iterator[LocalEngine]:
    found = LocalEngine(tiny, EngineConfig(threads=1), clock)
    yield found
    found.close()


def until_done(engine: LocalEngine, name: str) -> list[ServerMessage]:
    """Steps until a request has ended; everything that was said of it."""
    said: list[ServerMessage] = []
    while not any(isinstance(m, Done | Error) for m in said):
        assert engine.busy
        said += [message for message in engine.step() if message.id == name]
    return said


def test_other_fills_go_on_meanwhile(fresh: LocalEngine, gate: Gate) -> None:
    fresh.send(fill(Regex("[a-c]{4}"), name="waits"))
    fresh.send(fill(None, name="plain"))
    said = until_done(fresh, "plain")
    assert isinstance(said[0], Accepted) and isinstance(said[-1], Done)
    assert fresh.busy and fresh.load.live == 1
    gate.open.set()
    (*_, end) = until_done(fresh, "waits")
    assert isinstance(end, Done)
    assert len(end.text) == 4
    assert not fresh.busy


def test_what_was_compiled_is_at_hand_the_next_time(fresh: LocalEngine, gate: Gate) -> None:
    gate.open.set()
    fresh.send(fill(Regex("[a-c]{4}"), name="first"))
    until_done(fresh, "first")
    gate.open.clear()
    fresh.send(fill(Regex("[a-c]{4}"), name="second"))
    assert any(isinstance(message, Accepted) for message in fresh.step())


def test_a_request_that_waits_can_be_cancelled(fresh: LocalEngine, gate: Gate) -> None:
    fresh.send(fill(Regex("[a-c]{4}")))
    fresh.send(Cancel("f"))
    (end,) = fresh.step()
    assert isinstance(end, Done)
    assert (end.finish, end.text) == ("cancelled", "")
    assert not fresh.busy
    fresh.send(fill(Regex("[a-c]{5}")))  # the id is free again
    gate.open.set()
    (*_, end) = until_done(fresh, "f")
    assert isinstance(end, Done)
    assert len(end.text) == 5, "the answer is the second request's"


def test_an_id_that_waits_is_taken(fresh: LocalEngine, gate: Gate) -> None:
    for constraint in (Regex("[a-c]{4}"), Regex("x"), None):
        fresh.send(fill(constraint))
    errors = fresh.step()
    assert [(m.code, m.ends) for m in errors if isinstance(m, Error)] == [
        ("id_conflict", False)
    ] * 2
    gate.open.set()
    assert isinstance(until_done(fresh, "f")[-1], Done)


def test_an_id_that_runs_is_taken_for_what_would_wait(fresh: LocalEngine, gate: Gate) -> None:
    fresh.send(fill(None))
    fresh.send(fill(Regex("[a-c]{4}")))
    said = until_done(fresh, "f")
    assert [m.code for m in said if isinstance(m, Error)] == ["id_conflict"]
    while fresh.busy:
        said += fresh.step()
    assert isinstance(said[-1], Done)
    assert fresh.load.live == 0


def test_time_counts_while_a_request_waits(fresh: LocalEngine, gate: Gate, clock: Clock) -> None:
    fresh.send(fill(Regex("[a-c]{4}"), deadline_ms=500))
    assert fresh.step() == []
    clock.now = 0.6
    (error,) = fresh.step()
    assert isinstance(error, Error)
    assert (error.code, error.param, error.ends) == ("deadline", "constraint", True)
    assert not fresh.busy


def test_the_deadline_is_the_request_s(fresh: LocalEngine, gate: Gate, clock: Clock) -> None:
    fresh.send(fill(Regex("[a-c]{40}"), deadline_ms=500))
    clock.now = 0.4
    gate.open.set()
    while not any(isinstance(message, Accepted) for message in fresh.step()):
        pass
    clock.now = 0.5
    (end,) = [m for m in until_done(fresh, "f") if isinstance(m, Done | Error)]
    assert isinstance(end, Done)
    assert end.finish == "deadline"
    assert len(end.text) == 40
    assert end.stats.wall_ms == 500


@pytest.mark.parametrize(
    ("failure", "code"),
    [(TooLargeError("the constraint is large"), "too_large"), (OSError("?"), "engine_failed")],
)
def test_whatever_goes_wrong_ends_that_request_alone(
    fresh: LocalEngine, gate: Gate, failure: Exception, code: str
) -> None:
    gate.failure = failure
    gate.open.set()
    fresh.send(fill(Regex("[a-c]{4}")))
    (error,) = until_done(fresh, "f")
    assert isinstance(error, Error)
    assert (error.code, error.param) == (code, "constraint")
    gate.failure = None
    fresh.send(fill(Regex("[a-c]{4}")))
    assert isinstance(until_done(fresh, "f")[-1], Done)


def test_a_process_that_dies_is_an_error_and_is_replaced(fresh: LocalEngine) -> None:
    fresh.send(fill(Regex("a")))
    until_done(fresh, "f")
    worker = fresh._compiling._compiler._worker
    assert worker._child is not None
    worker._child._process.kill()
    fresh.send(fill(Regex("b")))
    (error,) = until_done(fresh, "f")
    assert isinstance(error, Error)
    assert error.code == "too_large"
    fresh.send(fill(Regex("b")))
    assert isinstance(until_done(fresh, "f")[-1], Done)


def test_only_so_many_may_wait(fresh: LocalEngine, gate: Gate, monkeypatch: Any) -> None:
    monkeypatch.setattr("engine.compiling.WAITING", 2)
    for number in range(3):
        fresh.send(fill(Regex(f"[a-c]{{{number + 1}}}"), name=f"f{number}"))
    (error,) = fresh.step()
    assert isinstance(error, Error)
    assert (error.id, error.code, error.retry_after_ms) == ("f2", "overloaded", 1000)


def test_who_has_left_still_counts_until_its_thread_ends(
    fresh: LocalEngine, gate: Gate, monkeypatch: Any
) -> None:
    monkeypatch.setattr("engine.compiling.WAITING", 2)
    for number in range(3):
        fresh.send(fill(Regex(f"[a-c]{{{number + 1}}}"), name=f"f{number}"))
        fresh.send(Cancel(f"f{number}"))
    assert [type(end) for end in fresh.step()] == [Done, Done, Error]
    assert not fresh.busy


def test_what_nobody_waits_for_is_not_compiled(fresh: LocalEngine, monkeypatch: Any) -> None:
    asked: list[str] = []
    inner = _Child.ask

    def ask(child: _Child, spec: Pattern, seconds: float) -> bytes:
        asked.append(spec.pattern)
        return inner(child, spec, seconds)

    monkeypatch.setattr(_Child, "ask", ask)
    with fresh._compiling._compiler._worker._lock:  # another constraint is being compiled
        fresh.send(fill(Regex("[a-c]{4}"), name="left"))
        fresh.send(fill(Regex("[a-c]{5}"), name="stays"))
        fresh.send(Cancel("left"))
    until_done(fresh, "stays")
    for thread in fresh._compiling._threads:
        thread.join()
    assert asked == ["[a-c]{5}"]


def test_a_revision_waits_too(fresh: LocalEngine, gate: Gate) -> None:
    fresh.send(ReviseText("r", "x = ", "blue", "\n", constraint=Choices(("blue", "red"))))
    assert fresh.step() == []
    gate.open.set()
    (*_, end) = until_done(fresh, "r")
    assert isinstance(end, Done)
    assert end.text in ("blue", "red")


def test_the_deadline_of_a_revision_counts_from_when_it_came(
    fresh: LocalEngine, gate: Gate, clock: Clock
) -> None:
    held = Choices(("blue", "red"))
    fresh.send(ReviseText("r", "x = ", "blue", "\n", constraint=held, deadline_ms=500))
    clock.now = 0.4
    gate.open.set()
    while not any(isinstance(message, Accepted) for message in fresh.step()):
        pass
    clock.now = 0.5
    end = until_done(fresh, "r")[-1]
    assert isinstance(end, Done)
    assert (end.text, end.finish, end.stats.wall_ms) == ("blue", "deadline", 500)


def test_a_fault_of_ours_ends_that_request_alone(
    fresh: LocalEngine, gate: Gate, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Met when the request goes on with what was compiled for it."""

    def explode(*_: object) -> None:
        raise KeyError("a text")

    gate.open.set()
    with monkeypatch.context() as patch:
        patch.setattr("engine.terms.Binder.bind", explode)
        fresh.send(fill(Regex("[a-c]{4}")))
        (error,) = until_done(fresh, "f")
    assert isinstance(error, Error)
    assert error.code == "engine_failed"
    assert fresh.load.live == 0 and not fresh.busy
    fresh.send(fill(Regex("[a-c]{4}")))
    assert isinstance(until_done(fresh, "f")[-1], Done)


def test_closing_ends_what_is_being_compiled(fresh: LocalEngine) -> None:
    fresh.send(fill(Regex("(a{200}){200}b")))
    fresh.close()
    assert not fresh.busy

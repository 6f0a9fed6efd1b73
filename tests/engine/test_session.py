"""Text in, text out: fills through the whole engine on a tiny random model."""

import dataclasses
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from torch import Tensor

from engine.client import stream
from engine.config import EngineConfig
from engine.local import LocalEngine
from engine.policies import POLICIES
from models.loader import Model
from protocol.cells import Cell
from protocol.messages import (
    Accepted,
    Cancel,
    CanvasSpec,
    ContextFile,
    Delta,
    Done,
    Error,
    Fill,
    Sampling,
    ServerMessage,
)
from tests.engine.recording import Leaning


def fill(prefix: str = "def f():\n", suffix: str = "\nend", **fields: Any) -> Fill:
    return Fill(fields.pop("id", "f1"), prefix, suffix, **fields)


def leaning(model: Model, lean: Callable[[Tensor, int], None]) -> LocalEngine:
    """An engine whose model leans as a test has it, in each call of its head."""
    transformer = Leaning(model.transformer, lean)
    return LocalEngine(dataclasses.replace(model, transformer=transformer), EngineConfig(threads=1))


def done(engine: LocalEngine, request: Fill) -> Done:
    *_, last = stream(engine, request)
    assert isinstance(last, Done), last
    return last


@settings(
    max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    prefix=st.text("ab(:\n é😀", max_size=20),
    suffix=st.text("ab)\n é", max_size=10),
    policy=st.sampled_from(sorted(POLICIES)),
    shape=st.sampled_from(["auto", "line", "block", "span"]),
    seed=st.integers(0, 99),
    temperature=st.sampled_from([0.0, 1.0]),
)
def test_frames_tokens_and_text_tell_one_story(
    tiny_engine: LocalEngine,
    prefix: str,
    suffix: str,
    policy: Any,
    shape: Any,
    seed: int,
    temperature: float,
) -> None:
    """Deltas alone rebuild the canvas; the answer's words are in it; tokens join to the answer."""
    sampling = Sampling(policy=policy, seed=seed, temperature=temperature)
    messages = list(stream(tiny_engine, fill(prefix, suffix, shape=shape, sampling=sampling)))
    accepted, last = messages[0], messages[-1]
    assert isinstance(accepted, Accepted) and isinstance(last, Done), messages
    cells: list[Cell] = [None] * accepted.canvas_tokens
    for message in messages[1:-1]:
        assert isinstance(message, Delta)
        cells += [None] * (message.size - len(cells))
        for slot, cell in zip(message.slots, message.cells, strict=True):
            cells[slot] = cell
    shown = iter("".join(cell or "" for cell in cells))
    assert all(character in shown for character in last.text if character.isalnum())
    assert "".join(token.text for token in last.tokens) == last.text
    assert last.stats.forwards == last.stats.steps >= 1


@pytest.mark.parametrize("policy", sorted(POLICIES))
def test_the_same_seed_gives_the_same_text(tiny: Model, policy: Any) -> None:
    sampling = Sampling(policy=policy, temperature=1.0, seed=7)
    texts = {
        done(LocalEngine(tiny, EngineConfig(threads=1)), fill(sampling=sampling)).text
        for _ in range(2)
    }
    assert len(texts) == 1


def test_a_policy_has_an_order_of_its_own_where_the_request_names_none(tiny: Model) -> None:
    """`threshold` goes from the left, `fixed` by confidence; a named order holds for both."""

    def reveals(policy: Any, **order: Any) -> list[Delta]:
        sampling = Sampling(policy=policy, threshold=1.0, steps=9, branches=1, **order)
        engine = LocalEngine(tiny, EngineConfig(threads=1))
        request = fill(canvas=CanvasSpec(9, pinned=True), sampling=sampling)
        return [message for message in stream(engine, request) if isinstance(message, Delta)]

    for policy, own, other in (
        ("threshold", "left", "confidence"),
        ("fixed", "confidence", "left"),
    ):
        assert reveals(policy) == reveals(policy, order=own) != reveals(policy, order=other)


def test_different_seeds_differ(tiny_engine: LocalEngine) -> None:
    texts = {
        done(tiny_engine, fill(sampling=Sampling(temperature=3.0, seed=seed))).text
        for seed in range(20)
    }
    assert len(texts) > 1


@pytest.mark.parametrize("policy", sorted(POLICIES))
@pytest.mark.parametrize("tokens", [1, 5, 8, 20])
def test_a_pinned_canvas_has_exactly_that_many_tokens(
    tiny: Model, tiny_engine: LocalEngine, policy: Any, tokens: int
) -> None:
    canvas = CanvasSpec(tokens=tokens, pinned=True)
    answer = done(
        tiny_engine,
        fill("a", "b", shape="span", canvas=canvas, sampling=Sampling(policy=policy)),
    )
    assert answer.finish == "stop"
    assert answer.stats.forwards <= tokens


@pytest.mark.parametrize("policy", sorted(POLICIES))
def test_an_exact_length_holds_where_the_model_would_end_sooner(tiny: Model, policy: Any) -> None:
    [letter] = tiny.tokenizer.encode("a")

    def lean(logits: Tensor, call: int) -> None:
        logits[:, letter] += 50.0
        logits[:, tiny.config.eos_id] += 100.0 * (call % 4 == 1)

    sampling, canvas = Sampling(policy=policy), CanvasSpec(tokens=12, pinned=True)
    request = fill("a", "b", shape="span", canvas=canvas, sampling=sampling)
    answer = done(leaning(tiny, lean), request)
    assert (answer.text, answer.finish) == ("a" * 12, "stop")
    assert len(answer.tokens) == 12


@pytest.mark.parametrize("policy", ["causal", "threshold"])
def test_an_exact_length_without_room_for_the_moved_text_is_refused(
    tiny_engine: LocalEngine, policy: Any
) -> None:
    canvas = CanvasSpec(tokens=2, pinned=True)
    request = fill("x:\n\n\n" + "\t" * 6, canvas=canvas, sampling=Sampling(policy=policy))
    [error] = errors(tiny_engine, request)
    assert (error.code, error.param) == ("invalid_message", "canvas")


@pytest.mark.parametrize("pinned", [True, False])
def test_an_answer_that_ends_inside_a_character_ends_before_it(tiny: Model, pinned: bool) -> None:
    spelled = [tiny.tokenizer.token_bytes.index(bytes([byte])) for byte in "ééé".encode()[:5]]

    def lean(logits: Tensor, call: int) -> None:
        logits[range(5), spelled] += 100.0

    sampling = Sampling(policy="fixed", steps=1)
    request = fill(
        "a", "b", shape="span", canvas=CanvasSpec(tokens=5, pinned=pinned), sampling=sampling
    )
    *frames, last = stream(leaning(tiny, lean), request)
    assert isinstance(last, Done), last
    assert last.text == "".join(token.text for token in last.tokens) == "éé"
    assert not any("\ufffd" in str(frame) for frame in frames)


def test_max_tokens_bounds_a_hole_that_never_ends(tiny_engine: LocalEngine) -> None:
    answer = done(tiny_engine, fill("a", "b", shape="span", canvas=CanvasSpec(tokens=3)))
    assert answer.finish in ("length", "stop")
    assert answer.stats.steps <= 4


def test_a_canvas_without_an_answer_grows_to_its_limit(tiny_engine: LocalEngine) -> None:
    answer = done(tiny_engine, fill("a(", "", shape="span"))
    assert answer.finish == "stop" or answer.stats.tokens > 16


def test_a_passed_deadline_ends_the_fill_with_what_is_settled(tiny: Model) -> None:
    ticks = iter(range(10_000))
    engine = LocalEngine(tiny, EngineConfig(threads=1), clock=lambda: next(ticks) / 1000)
    answer = done(engine, fill("a(", "", shape="span", deadline_ms=20))
    assert answer.finish == "deadline"
    assert answer.stats.steps < 30


def test_cancel_ends_a_fill_within_one_step(tiny_engine: LocalEngine) -> None:
    tiny_engine.send(fill())
    assert isinstance(tiny_engine.receive(), Accepted)
    assert isinstance(tiny_engine.receive(), Delta)
    tiny_engine.send(Cancel("f1"))
    last = tiny_engine.receive()
    assert isinstance(last, Done) and last.finish == "cancelled"
    assert tiny_engine.receive() is None


def test_leaving_a_stream_early_cancels_the_fill(tiny_engine: LocalEngine) -> None:
    messages = stream(tiny_engine, fill())
    next(messages)
    messages.close()
    assert [type(m) for m in iter(tiny_engine.receive, None)] == [Done]


def errors(engine: LocalEngine, *requests: Fill) -> list[Error]:
    for request in requests:
        engine.send(request)
    heard: list[ServerMessage] = list(iter(engine.receive, None))
    return [message for message in heard if isinstance(message, Error)]


def test_a_second_fill_of_a_live_id_is_refused_and_the_first_goes_on(
    tiny_engine: LocalEngine,
) -> None:
    [error] = errors(tiny_engine, fill(), fill())
    assert error.code == "id_conflict"


def test_a_pinned_canvas_without_a_length_is_refused(tiny_engine: LocalEngine) -> None:
    [error] = errors(tiny_engine, fill(canvas=CanvasSpec(pinned=True)))
    assert error.code == "invalid_message" and error.param == "canvas"


def test_a_step_that_fails_ends_its_fills_and_leaves_the_engine_usable(
    tiny: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = dataclasses.replace(tiny)
    engine = LocalEngine(broken, EngineConfig(threads=1))

    def explode(*_: object) -> None:
        raise RuntimeError("no memory")

    with monkeypatch.context() as patch:
        patch.setattr(tiny.transformer, "logits", explode)
        [error] = errors(engine, fill())
    assert error.code == "engine_failed" and "no memory" in error.message
    assert done(engine, fill()).finish


def test_the_default_model_completes_an_obvious_line(default_model: Model) -> None:
    """The one test of sense: the right line, at the right indentation, in its place."""
    engine = LocalEngine(default_model, EngineConfig(threads=1))
    prefix = "def fibonacci(n):\n    if n < 2:\n"
    answer = done(engine, fill(prefix, "    return fibonacci(n - 1) + fibonacci(n - 2)\n"))
    assert answer.text == "        return n\n"


def test_what_a_request_tells_changes_what_the_model_sees(tiny: Model) -> None:
    """Header, context files, old text, instruction: each its own segment, cached by content."""
    engine = LocalEngine(tiny, EngineConfig(threads=1))
    plain = done(engine, fill(shape="span"))
    request = fill(
        shape="span",
        path="src/a.py",
        context=(ContextFile("b.py", "x = 1"),) * 5,
        old_text="old",
        instruction="add a test",
    )
    first, again = done(engine, request), done(engine, request)
    assert first.stats.prefill_tokens > 0 == again.stats.prefill_tokens
    assert first.text == again.text
    assert [t.confidence for t in first.tokens] != [t.confidence for t in plain.tokens]


def test_a_deadline_makes_a_canvas_policy_hurry_instead_of_giving_up(tiny: Model) -> None:
    """A plain run of this canvas needs more steps than there is time for."""
    ticks = iter(range(10_000))
    engine = LocalEngine(tiny, EngineConfig(threads=1), clock=lambda: next(ticks) / 1000)
    sampling = Sampling(policy="fixed", steps=40)
    canvas = CanvasSpec(tokens=40, pinned=True)
    done(engine, fill(shape="span", canvas=canvas, sampling=sampling))  # learn the pace
    answer = done(engine, fill(shape="span", canvas=canvas, sampling=sampling, deadline_ms=60))
    assert answer.finish == "stop" and answer.stats.steps < 40

"""Fills of several holes, text in, text out, through the whole engine on a tiny random model."""

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.boundary import Boundary
from engine.client import stream
from engine.config import EngineConfig
from engine.job import JointJob, StepResult, Work
from engine.local import LocalEngine
from engine.policies import POLICIES, ReadingKind
from engine.session import Session
from engine.several.fills import Several
from engine.several.parts import one_hole, seed_of
from models.loader import Model
from protocol.cells import Cell
from protocol.constraint import Regex
from protocol.messages import (
    Accepted,
    Cancel,
    CanvasSpec,
    Delta,
    Done,
    Fill,
    Sampling,
    ServerMessage,
)
from protocol.requests import NextHole
from tests.engine.recording import finish, make_engine
from tests.engine.several.asking import done, fill, heard

CANVAS_POLICIES = sorted(n for n, p in POLICIES.items() if p.reading is ReadingKind.CANVAS)
BETWEEN = st.text("ab(:=\n é😀", min_size=1, max_size=12)
SHAPE: Any = st.sampled_from(["auto", "line", "block", "span"])


def canvases(messages: Sequence[ServerMessage]) -> dict[int, list[Cell]]:
    """The canvases as deltas alone tell them."""
    found: dict[int, list[Cell]] = {}
    for message in messages:
        if isinstance(message, Delta):
            cells = found.setdefault(message.canvas, [])
            cells += [None] * (message.size - len(cells))
            for slot, cell in zip(message.slots, message.cells, strict=True):
                cells[slot] = cell
    return found


@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    prefix=st.text("ab(:\n é😀", max_size=20),
    suffix=st.text("ab)\n é", max_size=10),
    holes=st.lists(st.tuples(BETWEEN, SHAPE, st.integers(1, 9)), min_size=1, max_size=3),
    policy=st.sampled_from(sorted(POLICIES)),
    seed=st.integers(0, 99),
    temperature=st.sampled_from([0.0, 1.0]),
)
def test_frames_and_texts_tell_one_story(
    tiny_engine: LocalEngine,
    prefix: str,
    suffix: str,
    holes: list[tuple[str, Any, int]],
    policy: Any,
    seed: int,
    temperature: float,
) -> None:
    request = Fill(
        "f1",
        prefix,
        suffix,
        sampling=Sampling(policy=policy, seed=seed, temperature=temperature),
        holes=tuple(NextHole(b, shape, canvas=CanvasSpec(n)) for b, shape, n in holes),
    )
    messages = list(stream(tiny_engine, request))
    accepted, last = messages[0], messages[-1]
    assert isinstance(accepted, Accepted) and isinstance(last, Done), messages
    assert {message.id for message in messages} == {"f1"}
    shown = canvases(messages)
    assert len(last.holes) == len(holes) + 1 and last.holes[0] == last.text
    for number, text in enumerate(last.holes):
        characters = iter("".join(cell or "" for cell in shown.get(number, [])))
        assert all(character in characters for character in text if character.isalnum())
    assert "".join(token.text for token in last.tokens) == last.text
    assert tiny_engine.load.live == 0 and not tiny_engine.busy


@pytest.mark.parametrize("policy", ["causal", "speculate"])
def test_in_turn_is_one_plain_fill_after_another(tiny: Model, policy: Any) -> None:
    request = fill(policy=policy)
    engine = LocalEngine(tiny, EngineConfig(threads=1))
    answers: list[str] = []
    for number in range(3):
        part = one_hole(request, number, answers)
        assert part.prefix.startswith(request.prefix + "".join(answers[:1]))
        answers.append(done(engine, part).text)
    whole = done(LocalEngine(tiny, EngineConfig(threads=1)), request)
    assert whole.holes == tuple(answers)
    assert whole.stats.forwards == whole.stats.steps > 3


def test_what_one_hole_sees_of_the_others() -> None:
    request = fill("\n  b = ", ", ", suffix=")\nend", prefix="a = ")
    first, second, third = (one_hole(request, n, ["1", "2"][:n]) for n in range(3))
    assert (first.prefix, first.suffix) == ("a = ", "\n  b = , )\nend")
    assert (second.prefix, second.suffix) == ("a = 1\n  b = ", ", ")
    assert (third.prefix, third.suffix) == ("a = 1\n  b = 2, ", ")\nend")
    assert not first.holes and first.sampling.seed == request.sampling.seed
    assert len({seed_of(request, n) for n in range(16)}) == 16


@pytest.mark.parametrize("policy", ["causal", *CANVAS_POLICIES])
def test_a_batch_gives_each_fill_what_it_gets_alone(tiny: Model, policy: Any) -> None:
    names = ("a", "b", "c")
    requests = [
        fill(f"\n{name} = ", name=name, sampling=Sampling(policy=policy, temperature=1.0, seed=n))
        for n, name in enumerate(names)
    ]
    together = {
        message.id: message.holes
        for message in heard(LocalEngine(tiny, EngineConfig(threads=1)), *requests)
        if isinstance(message, Done)
    }
    for request in requests:
        alone = done(LocalEngine(tiny, EngineConfig(threads=1)), request)
        assert together[request.id] == alone.holes


def test_holes_filled_together_share_their_passes(tiny_engine: LocalEngine) -> None:
    pinned = CanvasSpec(6, pinned=True)
    request = fill(
        canvas=pinned,
        holes=(NextHole("\n b", canvas=pinned), NextHole("\n c", canvas=pinned)),
        sampling=Sampling(policy="fixed", steps=3),
    )
    first, again = done(tiny_engine, request), done(tiny_engine, request)
    assert first.stats.forwards == first.stats.steps <= 3
    assert first.stats.prefill_tokens > again.stats.prefill_tokens > 0  # the text between
    assert again.stats.cached_tokens > 0 and first.holes == again.holes


def open_joint(model: Model, request: Fill) -> JointJob:
    config = EngineConfig(threads=1)
    several = Several(Session(model, config, lambda: 0.0), lambda: 0.0)
    [work] = several.open(request).add
    assert isinstance(work, JointJob)
    return work


def test_every_hole_is_healed_at_its_left_edge(tiny: Model) -> None:
    """What moves from the text before a hole is spelled at its start, and cut off again."""
    work = open_joint(tiny, fill("\n    y = ", "\n    re", " \n\n"))
    finish(make_engine(tiny)[0], work)
    spell = [tiny.tokenizer.bytes_of(hole.canvas.tokens.tolist()) for hole in work.holes]
    assert [bool(isinstance(hole.constraint, Boundary)) for hole in work.holes] == [
        True,
        True,
        True,
        False,
    ]
    for data, moved in zip(spell, (b" ", b" ", b"re"), strict=False):
        assert data.startswith(moved)
    text = [tiny.tokenizer.bytes_of(list(ids)) for ids in work.betweens]
    assert text == [b"\n    y =", b"\n    ", b" \n\n"]


def test_whole_lines_are_asked_with_a_line_end_behind_them(tiny: Model) -> None:
    request = fill("def g():\n", prefix="def f():\n", suffix="end\n")
    work = open_joint(tiny, request)
    assert [tiny.tokenizer.bytes_of(list(ids)) for ids in work.betweens] == [b"\ndef g():"]
    assert tiny.tokenizer.bytes_of(list(work.context.suffix)) == b"\nend\n"
    answer = done(LocalEngine(tiny, EngineConfig(threads=1)), request)
    assert all(text.endswith("\n") for text in answer.holes if text)


def test_a_canvas_beside_others_keeps_its_size(tiny_engine: LocalEngine) -> None:
    messages = list(stream(tiny_engine, fill("(", " ", canvas=CanvasSpec(3), shape="span")))
    sizes = [(message.canvas, message.size) for message in messages if isinstance(message, Delta)]
    assert len(set(sizes)) == 3


@pytest.mark.parametrize(
    ("request_", "word"),
    [
        (fill("b" * 3000), "text between"),
        (fill(canvas=CanvasSpec(49)), "hole is long"),
        (fill(shape="block", lines=4), "hole is long"),
    ],
)
def test_what_is_too_long_to_go_together_goes_in_turn_and_is_said(
    tiny_engine: LocalEngine, request_: Fill, word: str
) -> None:
    accepted, *_, last = stream(tiny_engine, request_)
    assert isinstance(accepted, Accepted) and any(word in note for note in accepted.notes)
    assert isinstance(last, Done) and len(last.holes) == len(request_.holes) + 1


@pytest.mark.parametrize("spec", [CanvasSpec(), CanvasSpec(8, most=64)])
def test_a_constraint_that_needs_more_room_than_there_is_together_is_met_in_turn(
    tiny_engine: LocalEngine, spec: CanvasSpec
) -> None:
    second = NextHole("\n    y = ", canvas=spec, constraint=Regex("[0-9]{40}"))
    accepted, *_, last = stream(tiny_engine, fill(holes=(second,)))
    assert isinstance(accepted, Accepted) and "more tokens" in accepted.notes[-1]
    assert isinstance(last, Done) and len(last.holes[1]) == 40


@pytest.mark.parametrize("review", ["wino", "remdm_cap"])
def test_a_review_is_carried_out_in_turn(tiny_engine: LocalEngine, review: Any) -> None:
    sampling = Sampling(policy="fixed", steps=4, review=review)
    accepted, *_, last = stream(tiny_engine, fill(sampling=sampling, canvas=CanvasSpec(16)))
    assert isinstance(accepted, Accepted) and "review" in accepted.notes[-1]
    assert isinstance(last, Done) and last.stats.remasked > 0


def test_branches_are_for_holes_in_turn(tiny_engine: LocalEngine) -> None:
    accepted, *_ = stream(tiny_engine, fill(sampling=Sampling(policy="fixed", branches=3)))
    assert isinstance(accepted, Accepted) and "one branch" in accepted.notes[-1]
    accepted, *_, last = stream(tiny_engine, fill(sampling=Sampling(policy="causal", branches=3)))
    assert isinstance(accepted, Accepted) and not accepted.notes
    assert isinstance(last, Done) and len(last.holes) == 3


@pytest.mark.parametrize("policy", ["causal", "fixed"])
def test_cancel_ends_all_holes_within_one_step(tiny_engine: LocalEngine, policy: Any) -> None:
    tiny_engine.send(fill(policy=policy))
    assert isinstance(tiny_engine.receive(), Accepted)
    assert isinstance(tiny_engine.receive(), Delta)
    messages = heard(tiny_engine, Cancel("f1"))
    last = messages[-1]
    assert isinstance(last, Done) and last.finish == "cancelled" and len(last.holes) == 3
    assert last.stats.forwards == 1
    assert not tiny_engine.busy and tiny_engine.load.live == 0


@pytest.mark.parametrize("policy", ["causal", "fixed"])
def test_a_deadline_is_for_all_holes_together(tiny: Model, policy: Any) -> None:
    """What had settled by then stands in each hole; those not begun are empty."""
    ticks = iter(range(100_000))
    engine = LocalEngine(tiny, EngineConfig(threads=1), clock=lambda: next(ticks) / 1000)
    wide = CanvasSpec(40)
    request = fill(
        suffix="",
        canvas=wide,
        shape="span",
        deadline_ms=40,
        holes=tuple(NextHole("(", "span", canvas=wide) for _ in range(3)),
        sampling=Sampling(policy=policy, order="left", counts=(1,)),
    )
    messages = list(stream(engine, request))
    last = messages[-1]
    assert isinstance(last, Done) and last.finish == "deadline" and len(last.holes) == 4
    assert last.stats.wall_ms < 120
    for number, cells in canvases(messages).items():
        settled = cells[: cells.index(None)] if None in cells else cells
        characters = iter("".join(cell or "" for cell in settled))
        text = last.holes[number]
        assert all(character in characters for character in text if character.isalnum())


def test_the_default_model_fills_two_obvious_holes(default_model: Model) -> None:
    engine = LocalEngine(default_model, EngineConfig(threads=1))
    request = fill(
        "\n\n\ndef subtract(a, b):\n    return ",
        prefix="def add(a, b):\n    return ",
        suffix="\n\n\nprint(add(1, 2), subtract(3, 4))\n",
        policy="causal",
    )
    assert done(engine, request).holes == ("a + b", "a - b")


def test_holes_with_text_between_that_has_no_tokens_are_filled_in_turn(lacking: Model) -> None:
    engine = LocalEngine(lacking, EngineConfig(threads=1))
    messages = heard(engine, fill("\x04", policy="fixed"))
    accepted, last = messages[0], messages[-1]
    assert isinstance(accepted, Accepted) and isinstance(last, Done)
    assert any("in turn" in note for note in accepted.notes)
    assert len(last.holes) == 2


def test_a_pass_of_several_holes_is_no_time_in_the_queue(
    tiny: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = [1.0]
    engine = LocalEngine(tiny, EngineConfig(threads=1), lambda: clock[0])
    run = engine._runner.run

    def slow(works: Sequence[Work]) -> list[StepResult]:
        clock[0] += 0.5
        return run(works)

    monkeypatch.setattr(engine._runner, "run", slow)
    stats = done(engine, fill()).stats
    assert stats.queue_ms == 0.0
    assert stats.model_ms == stats.wall_ms == 500.0 * stats.steps

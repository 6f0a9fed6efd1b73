"""Guidance on the instruction: its formula, its cost, and that 1 is plain conditioning."""

from typing import Any, get_args

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.client import stream
from engine.config import EngineConfig
from engine.guidance import guided
from engine.local import LocalEngine
from engine.query import Context, Part, Query
from models.loader import Model
from protocol.messages import Done, Error, Fill, NextHole, ReviseText, Sampling
from protocol.values import PolicyName
from tests.engine.recording import make_engine
from tests.engine.revision.asking import request

POLICIES = sorted(get_args(PolicyName))
PART = Part((70, 80, 90), (1, 3), (80, 50))


def ask(model: Model, context: Context, *parts: Part) -> list[np.ndarray[Any, Any]]:
    query = Query("q", context, list(parts))
    engine, _ = make_engine(model)
    engine.add(query)
    while engine.busy:
        assert all(result.error is None for result in engine.step())
    return [answer.target for answer in query.answers]


def last(model: Model, asked: Fill | ReviseText) -> Done | Error:
    *_, end = stream(LocalEngine(model, EngineConfig(threads=1)), asked)
    assert isinstance(end, Done | Error)
    return end


def fill(policy: Any = "causal", **fields: Any) -> Fill:
    given = {"id": "f", "prefix": "def f(a):\n    ", "suffix": "\n    return a\n"}
    told = {"instruction": "use in", "sampling": Sampling(policy=policy)}
    return Fill(**{**given, **told, **fields})


@settings(deadline=None)
@given(st.floats(0, 4), st.integers(0, 99))
def test_weights_lie_on_the_line_between_plain_and_told(weight: float, seed: int) -> None:
    torch.manual_seed(seed)
    told, plain = torch.randn(2, 3, 7)
    told[:, 2] = plain[:, 2] = float("-inf")
    mixed = guided(told, plain, weight)
    expected = (1 - weight) * plain.log_softmax(-1) + weight * told.log_softmax(-1)
    kept = [0, 1, 3, 4, 5, 6]
    torch.testing.assert_close(mixed[:, kept], expected[:, kept])
    assert bool((mixed[:, 2] == float("-inf")).all())


@pytest.mark.parametrize("canvas", [False, True])
def test_a_query_weighs_the_last_reference_alone(tiny: Model, canvas: bool) -> None:
    part = Part(PART.tokens, PART.rows, PART.targets, canvas=canvas)
    segments = ((97, 98), (101, 102, 103))
    told = ask(tiny, Context((5, 20, 30), (50,), segments), part)[0]
    plain = ask(tiny, Context((5, 20, 30), (50,), segments[:1]), part)[0]
    nothing = ask(tiny, Context((5, 20, 30), (50,), segments, guidance=0.0), part)[0]
    np.testing.assert_allclose(nothing, plain, atol=1e-4)
    more = ask(tiny, Context((5, 20, 30), (50,), segments, guidance=2.0), part)[0]
    less = ask(tiny, Context((5, 20, 30), (50,), segments, guidance=0.5), part)[0]
    assert np.sign(more - told).tolist() != [0, 0] and not np.allclose(told, plain)
    assert not np.allclose(less, told)


def test_shared_parts_are_guided_too(tiny: Model) -> None:
    context = Context((5, 20, 30), (50,), ((97, 98),), guidance=3.0)
    whole = Part((70, 80, 91), (3,), (50,))
    shared = Part((70, 80, 91), (3,), (50,), shared=2)
    alone, (_, again) = ask(tiny, context, whole), ask(tiny, context, PART, shared)
    np.testing.assert_allclose(again, alone[0], atol=1e-4)


@pytest.mark.parametrize("policy", POLICIES)
def test_one_is_plain_and_costs_nothing_more(tiny: Model, policy: Any) -> None:
    plain, one = last(tiny, fill(policy)), last(tiny, fill(policy, guidance=1.0))
    assert isinstance(plain, Done) and isinstance(one, Done)
    assert (one.text, one.stats.forwards) == (plain.text, plain.stats.forwards)


@pytest.mark.parametrize("policy", POLICIES)
def test_any_other_weight_costs_two_forwards_a_step(tiny: Model, policy: Any) -> None:
    found = last(tiny, fill(policy, guidance=4.0))
    assert isinstance(found, Done)
    assert found.stats.forwards == 2 * found.stats.steps


def test_speculation_changes_no_guided_text(tiny: Model) -> None:
    one, other = (
        last(tiny, fill("causal", guidance=2.5)),
        last(tiny, fill("speculate", guidance=2.5)),
    )
    assert isinstance(one, Done) and isinstance(other, Done)
    assert one.text == other.text


def test_a_batch_gives_each_its_own_guidance(tiny: Model) -> None:
    asked = [
        fill(p, id=f"{p}{w}", guidance=w) for p in ("causal", "fixed") for w in (0.0, 1.0, 3.0)
    ]
    engine = LocalEngine(tiny, EngineConfig(threads=1))
    for message in asked:
        engine.send(message)
    together = {}
    while (message := engine.receive()) is not None:
        if isinstance(message, Done):
            together[message.id] = message.text
    alone = {one.id: last(tiny, one) for one in asked}
    assert together == {name: end.text for name, end in alone.items() if isinstance(end, Done)}
    assert len(set(together.values())) > 2


@pytest.mark.parametrize("method", ["posterior", "causal", "canvas", "wino"])
def test_a_revision_can_be_guided(tiny: Model, method: Any) -> None:
    ends = [
        last(tiny, request(method=method, instruction="x = 1", guidance=weight, strength=0.0))
        for weight in (1.0, 3.0)
    ]
    one, more = (end for end in ends if isinstance(end, Done))
    assert [t.now for t in one.tokens] != [t.now for t in more.tokens]
    assert one.stats.forwards == one.stats.steps
    assert more.stats.forwards == 2 * more.stats.steps


@pytest.mark.parametrize("asked", [fill(instruction=None, guidance=2.0), request(guidance=2.0)])
def test_guidance_needs_an_instruction(tiny: Model, asked: Any) -> None:
    end = last(tiny, asked)
    assert isinstance(end, Error) and (end.code, end.param) == ("invalid_message", "guidance")


def test_several_holes_are_guided_one_after_another(tiny: Model) -> None:
    asked = fill("fixed", guidance=2.0, holes=(NextHole("\n    b = "),))
    first, *_, end = stream(LocalEngine(tiny, EngineConfig(threads=1)), asked)
    assert isinstance(end, Done) and len(end.holes) == 2
    assert any("one after another" in note for note in first.notes)  # type: ignore[union-attr]

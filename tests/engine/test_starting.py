"""How a fill begins and where it must end: warm starts, stop strings, bounds on its growth."""

import dataclasses
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from engine.client import stream
from engine.config import EngineConfig
from engine.hole import shape_hole
from engine.local import LocalEngine
from engine.shape.answer import Answer, Edit, behind, edited, stretched
from models.loader import Model
from protocol.messages import (
    Accepted,
    CanvasSpec,
    Delta,
    Done,
    Error,
    Fill,
    NextHole,
    PolicyName,
    Sampling,
    ServerMessage,
)
from tests.engine.amending.watched import POLICIES, Watched
from tests.engine.amending.watched import fill as watched_fill


def fill(policy: PolicyName, prefix: str = "(", **fields: Any) -> Fill:
    sampling = Sampling(policy=policy, steps=6, temperature=1.0, seed=5)
    return Fill("a", prefix, ")\n", sampling=sampling, **fields)


def heard(model: Model, request: Fill) -> list[ServerMessage]:
    return list(stream(LocalEngine(model, EngineConfig(threads=1)), request))


def refusal(model: Model, request: Fill) -> tuple[str, str | None]:
    *_, error = heard(model, request)
    assert isinstance(error, Error), error
    return error.code, error.param


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("pinned", [True, False])
def test_a_warm_start_is_shown_at_once_and_stays(
    tiny: Model, policy: PolicyName, pinned: bool
) -> None:
    spec = CanvasSpec(tokens=8, pinned=pinned)
    request = fill(policy, init=("def", " f", None, "re", None), canvas=spec, shape="span")
    accepted, first, *_, done = heard(tiny, request)
    assert isinstance(accepted, Accepted)
    assert isinstance(first, Delta)
    text = "".join(cell or "" for cell in first.cells)
    assert text == ("def f" if policy in ("causal", "speculate") else "def fre")
    assert first.step == 0
    assert isinstance(done, Done)
    assert done.text.startswith("def f")
    assert done.tokens[0].step == 0


@pytest.mark.parametrize("policy", POLICIES)
def test_a_warm_start_behind_text_that_moved_in(tiny: Model, policy: PolicyName) -> None:
    spec = CanvasSpec(tokens=10, pinned=True)
    for init in (("x", "y"), (None, "y")):
        request = fill(policy, prefix="a =\n    ", init=init, canvas=spec)
        *_, done = heard(tiny, request)
        assert isinstance(done, Done)
        assert init[0] is None or done.text.startswith("xy")


@pytest.mark.parametrize("policy", POLICIES)
def test_a_start_without_masks_ends_or_goes_on(tiny: Model, policy: PolicyName) -> None:
    pinned = CanvasSpec(tokens=2, pinned=True)
    *_, done = heard(tiny, fill(policy, init=("a", "b"), canvas=pinned))
    assert isinstance(done, Done)
    assert (done.text, done.finish) == ("ab", "stop")
    longer = fill(policy, init=tuple("abcdefgh"), canvas=CanvasSpec(tokens=4), shape="span")
    *_, done = heard(tiny, longer)
    assert isinstance(done, Done)
    assert done.text.startswith("abcd")


def test_a_warm_start_that_does_not_fit_is_refused(tiny: Model) -> None:
    pinned = CanvasSpec(tokens=2, pinned=True)
    assert refusal(tiny, fill("fixed", init=tuple("abc"), canvas=pinned)) == (
        "invalid_message",
        "init",
    )
    assert refusal(tiny, fill("causal", init=("a",), alternatives=2)) == ("unsupported", "init")
    holes = (NextHole("x"),)
    assert refusal(tiny, fill("fixed", init=("a",), holes=holes)) == ("unsupported", "init")


@pytest.mark.parametrize("policy", POLICIES)
def test_a_stop_string_ends_the_fill_before_it(tiny: Model, policy: PolicyName) -> None:
    spec = CanvasSpec(tokens=12, pinned=True)
    whole, letters = Done("a", "", "stop"), []
    for seed in range(20):
        sampling = Sampling(policy=policy, steps=6, temperature=1.0, seed=seed)
        request = replace(fill(policy, canvas=spec), sampling=sampling)
        *_, end = heard(tiny, request)
        assert isinstance(end, Done)
        whole, letters = end, [c for c in end.text[1:] if c.isascii()]
        if letters:
            break
    at = whole.text.find(letters[0])
    *_, done = heard(tiny, replace(request, stop=(letters[0], "never there")))
    assert isinstance(done, Done)
    assert done.text == whole.text[:at]
    assert "".join(token.text for token in done.tokens) == done.text
    assert done.finish == "stop"


@pytest.mark.parametrize("policy", POLICIES)
def test_a_canvas_grows_as_far_as_it_may(tiny: Model, policy: PolicyName) -> None:
    request = watched_fill(policy, prefix="(", shape="span", lines=400)
    watched = Watched(tiny, replace(request, canvas=CanvasSpec(tokens=4, most=70)))
    lead = watched.engine._session._session._live["a"].search.lead
    lead.stop = None  # only the bound ends it
    done = watched.done()
    assert done.finish == "length"
    assert done.stats.tokens == 70


TEXT = st.text("ab\n()", max_size=12)


@given(given_text=TEXT, text=TEXT, stops=st.lists(st.sampled_from(["a", "b(", "\n"]), max_size=2))
@settings(max_examples=200, deadline=None)
def test_what_follows_taken_text_is_the_rest_of_the_answer(
    given_text: str, text: str, stops: list[str]
) -> None:
    hole = dataclasses.replace(shape_hole("x = f(", "\ny", "span", 4), stops=tuple(stops))
    answer = hole.after(given_text).answer(text)
    whole = hole.answer(given_text + text)
    assert edited(text, answer.edits).text == answer.text
    if whole.text.startswith(given_text):
        assert given_text + answer.text == whole.text
    assert "".join(answer.pieces([text])) == answer.text
    assert hole.after(given_text).is_complete(text) == hole.is_complete(given_text + text)


def test_edits_across_the_edge_keep_their_part_behind_it() -> None:
    answer = Answer("Xde", (Edit(0, 3, "X"),))
    assert behind(answer, "a", "bcde") == Answer("Xde", (Edit(0, 2, "X"),))
    assert behind(answer, "abc", "de") == Answer("de")
    longer = Answer("a)", (Edit(1, 2, "\n)"),))
    assert behind(longer, "a\n", "") == Answer(")", (Edit(0, 0, ")"),))
    assert stretched(Answer("ab"), 2, 5) == Answer("ab", (Edit(2, 5),))
    assert stretched(Answer("a)", (Edit(1, 2, ")"),)), 2, 5).edits == (Edit(1, 5, ")"),)

"""Score requests through a whole engine: every token has its probability, in time or not at all."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from engine.client import stream
from engine.config import EngineConfig
from engine.local import LocalEngine
from engine.query import Answer, Context, Part, Query
from engine.revision.program import Steps
from models.loader import Model
from protocol.messages import Accepted, Cancel, Done, Error, Score, Scores
from tests.engine.revision.test_scorers import run

PREFIX, TEXT, SUFFIX = "def f(a):\n", "    b = a + in\n    return b\n", "\n\nf(1)\n"


def score(text: str = TEXT, **fields: Any) -> Score:
    return Score(**{"id": "s", "prefix": PREFIX, "text": text, "suffix": SUFFIX, **fields})


def scored(model: Model, request: Score) -> Scores:
    accepted, last = list(stream(LocalEngine(model, EngineConfig(threads=1)), request))
    assert isinstance(accepted, Accepted)
    assert isinstance(last, Scores), last
    return last


@pytest.mark.parametrize("method", [None, "causal", "canvas", "posterior"])
@pytest.mark.parametrize("text", [TEXT, "x", "\u00e9\u20ac = 1\n", "a\n\n\nb"])
def test_the_tokens_join_to_the_text_and_each_is_scored(
    tiny: Model, method: Any, text: str
) -> None:
    found = scored(tiny, score(text, method=method))
    assert "".join(token.text for token in found.tokens) == text
    assert found.finish == "converged"
    assert found.stats.forwards > 0
    body = [token for token in found.tokens if not token.locked]
    tail = body.pop() if text.endswith("\n") else None
    assert tail is None or (tail.text, tail.now) == ("\n", None)
    for token in body:
        assert token.now is not None and 0 <= token.now <= 1
        assert token.confidence == token.now
        assert token.best != token.text or not token.text


def test_causal_scores_are_those_of_the_model(tiny: Model) -> None:
    """Without white space at the edge nothing moves, so the tokens are plain to see."""
    found = scored(tiny, Score(id="s", prefix="(", text="ab+c", suffix=")"))
    tokenizer, separator = tiny.tokenizer, tiny.config.separator_id
    ids = tuple(tokenizer.encode("ab+c"))
    context = Context((separator, *tokenizer.encode("(")), tuple(tokenizer.encode(")")))
    part = Part(ids, tuple(range(len(ids))), ids)

    def steps() -> Steps[list[Answer]]:
        query = Query("by hand", context, [part])
        yield [query]
        return query.answers

    (answer,) = run(tiny, steps())
    told = [token.now for token in found.tokens]
    np.testing.assert_allclose(told, np.exp(answer.target), atol=1e-4)


def test_a_long_text_goes_window_by_window(tiny: Model) -> None:
    text = "x = 1\n" * 120
    found = scored(tiny, score(text))
    assert "".join(token.text for token in found.tokens) == text
    assert found.stats.steps > 2
    assert all(token.now is not None for token in found.tokens[:-1] if not token.locked)


def ticking(pace: float) -> Callable[[], float]:
    now = [0.0]

    def clock() -> float:
        now[0] += pace
        return now[0]

    return clock


def test_at_the_deadline_what_was_scored_is_told(tiny: Model) -> None:
    engine = LocalEngine(tiny, EngineConfig(threads=1), ticking(0.01))
    *_, last = stream(engine, score("x = 1\n" * 400, deadline_ms=150))
    assert isinstance(last, Scores)
    assert last.finish == "deadline"
    assert "".join(token.text for token in last.tokens) == "x = 1\n" * 400
    known = [token.now is not None for token in last.tokens if not token.locked]
    assert any(known) and not all(known)


def test_a_cancelled_request_leaves_nothing(tiny_engine: LocalEngine) -> None:
    tiny_engine.send(score("x = 1\n" * 120))
    tiny_engine.step()
    tiny_engine.send(Cancel("s"))
    (done,) = tiny_engine.step()
    assert isinstance(done, Done)
    assert done.finish == "cancelled"
    assert not tiny_engine.busy
    assert tiny_engine.load.live == 0


@pytest.mark.parametrize(("text", "code"), [("\n", "invalid_message"), ("x " * 5000, "too_large")])
def test_what_cannot_be_scored_is_refused(tiny_engine: LocalEngine, text: str, code: str) -> None:
    *_, error = stream(tiny_engine, score(text))
    assert isinstance(error, Error)
    assert error.code == code


def test_an_id_that_is_live_is_a_conflict(tiny_engine: LocalEngine) -> None:
    tiny_engine.send(score("x = 1\n" * 120))
    tiny_engine.step()
    tiny_engine.send(score())
    error = next(m for m in tiny_engine.step() if isinstance(m, Error))
    assert (error.code, error.ends) == ("id_conflict", False)


@pytest.mark.model
@pytest.mark.parametrize("method", ["causal", "canvas", "posterior"])
def test_a_wrong_name_is_the_least_likely_token(default_model: Model, method: Any) -> None:
    prefix = "def mean(values):\n    total = sum(values)\n    count = len(values)\n"
    suffix = "\n\nprint(mean([1, 2]))\n"
    request = Score("s", prefix, "    return total / xylophone\n", suffix, method)
    found = scored(default_model, request)
    known = [token for token in found.tokens if token.now is not None and token.text.strip()]
    weakest = min(known, key=lambda token: token.now or 0.0)
    assert weakest.text.strip() in "xylophone"

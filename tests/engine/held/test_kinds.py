"""Every kind of language under every policy, on a model whose logits are noise."""

from typing import Any, get_args

import pytest

from engine.local import LocalEngine
from protocol.constraint import Choices, Regex
from protocol.messages import Delta, Fill, PolicyName
from protocol.revise import ReviewName
from tests.engine.held.asking import KINDS, done, fill, heard, keeps_to, settled

POLICIES = get_args(PolicyName)
REVIEWS = [name for name in get_args(ReviewName) if name != "none"]


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("kind", KINDS)
def test_answers_keep_to_their_language(engine: LocalEngine, kind: str, policy: Any) -> None:
    for seed in range(3):
        sampling = {"temperature": (0.0, 1.0, 5.0)[seed], "top_p": (1.0, 0.5, 0.9)[seed]}
        request = fill(KINDS[kind], policy, sampling={**sampling, "seed": seed})
        end = done(engine, request)
        assert keeps_to(KINDS[kind], end.text), end.text
        assert "".join(token.text for token in end.tokens) == end.text
        assert end.log_valid is not None and end.log_valid <= 1e-6
        assert end.finish in ("stop", "converged", "length")


@pytest.mark.parametrize("review", REVIEWS)
def test_reviews_stay_in_the_language(engine: LocalEngine, review: Any) -> None:
    for kind, constraint in KINDS.items():
        sampling = {"review": review, "steps": 4, "threshold": 0.3}
        end = done(engine, fill(constraint, "threshold", sampling=sampling))
        assert keeps_to(constraint, end.text), kind


@pytest.mark.parametrize("policy", ["causal", "speculate", "fixed"])
def test_alternatives_all_keep_to_the_language(engine: LocalEngine, policy: Any) -> None:
    for suffix in ("\nend", ""):
        request = fill(KINDS["json_schema"], policy, alternatives=3, suffix=suffix)
        end = done(engine, request)
        texts = [end.text, *end.alternatives]
        assert len(set(texts)) == len(texts)
        assert all(keeps_to(KINDS["json_schema"], text) for text in texts)


def test_a_causal_fill_tries_close_rivals(engine: LocalEngine) -> None:
    end = done(engine, fill(Choices(("ab", "cd", "ef", "gh")), alternatives=4))
    assert len(end.alternatives) >= 1


@pytest.mark.parametrize("policy", ["causal", "fixed", "speculate"])
def test_the_same_seed_gives_the_same_text(engine: LocalEngine, policy: Any) -> None:
    def text(seed: int) -> str:
        sampling = {"temperature": 2.0, "seed": seed}
        return done(engine, fill(Regex("[a-z]{12}"), policy, sampling=sampling)).text

    assert text(1) == text(1)
    assert len({text(seed) for seed in range(4)}) > 1


@pytest.mark.parametrize("policy", POLICIES)
def test_what_settled_is_never_taken_back(engine: LocalEngine, policy: Any) -> None:
    messages = heard(engine, fill(KINDS["json_schema"], policy))
    cells: list[str | None] = []
    said = ""
    for message in messages:
        if isinstance(message, Delta):
            cells = [*cells, *[None] * message.size][: message.size]
            for slot, cell in zip(message.slots, message.cells, strict=True):
                cells[slot] = cell
            stop = cells.index(None) if None in cells else len(cells)
            now = "".join(cell or "" for cell in cells[:stop])
            assert now.startswith(said)
            said = now
    (end,) = settled(messages)
    assert end.text.startswith(said)


@pytest.mark.parametrize("policy", POLICIES)
def test_exact_tokens(engine: LocalEngine, policy: Any) -> None:
    for count in (3, 6, 11):
        constraint = Regex("[a-f]{3,40}", exact_tokens=count)
        end = done(engine, fill(constraint, policy, prefix="x("))
        assert keeps_to(constraint, end.text)
        assert len(end.tokens) == count


@pytest.mark.parametrize("policy", ["threshold", "fixed"])
def test_a_long_answer_goes_block_by_block(engine: LocalEngine, policy: Any) -> None:
    constraint = Regex("([a-d]{5};){14}")
    end = done(engine, fill(constraint, policy, tokens=120))
    assert keeps_to(constraint, end.text)
    assert end.stats.tokens > 48


@pytest.mark.parametrize("policy", ["causal", "fixed"])
def test_moved_text_comes_first(engine: LocalEngine, policy: Any) -> None:
    for prefix in ("def f():\n    ret", "x =  ", "in", "größ"):
        request: Fill = fill(KINDS["choices"], policy, prefix=prefix)
        end = done(engine, request)
        assert keeps_to(KINDS["choices"], end.text)


def test_tokens_tell_what_was_forced(engine: LocalEngine) -> None:
    end = done(engine, fill(Regex("zzzzzz")))
    assert end.text == "zzzzzz"
    assert any(token.forced for token in end.tokens)
    free = done(engine, fill(None))
    assert not any(token.forced for token in free.tokens)
    assert free.log_valid is None

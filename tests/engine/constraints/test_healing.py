"""Boundary healing against brute force over a small vocabulary."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.constraints.healing import MAX_REQUIRED_BYTES, HealingAutomaton
from engine.constraints.prefix_index import PrefixIndex
from tests.engine.constraints.toys import UNTIMED

TOKENS: list[bytes | None] = [
    None,
    b"a",
    b"b",
    b"ab",
    b"ba",
    b"aa",
    b"\xff",
    b"\xffa",
    b"a",
    b"abb",
]
INDEX = PrefixIndex(TOKENS)


def spelled(tokens: tuple[int, ...]) -> bytes:
    return b"".join(TOKENS[t] or b"" for t in tokens)


def accepted(tokens: tuple[int, ...], required: bytes) -> bool:
    """Special tokens only count once the required bytes are complete."""
    for n in range(len(tokens) + 1):
        head = tokens[:n]
        if spelled(head).startswith(required):
            return True
        if n < len(tokens) and TOKENS[tokens[n]] is None:
            return False
    return False


@UNTIMED
@given(st.binary(max_size=3))
def test_prefix_index_agrees_with_a_scan(prefix: bytes) -> None:
    want = [i for i, text in enumerate(TOKENS) if text and text.startswith(prefix)]
    assert INDEX.starting_with(prefix).tolist() == want
    if prefix:
        same = [i for i, text in enumerate(TOKENS) if text == prefix]
        assert INDEX.equal_to(prefix).tolist() == same


required_bytes = st.text("ab", max_size=4).map(str.encode) | st.just(b"\xffab")


@UNTIMED
@given(required_bytes)
def test_allowed_and_advance_agree(required: bytes) -> None:
    automaton = HealingAutomaton(INDEX, required)
    for state in range(automaton.done + 1):
        allowed = set(automaton.allowed(state).tolist())
        for token in range(len(TOKENS)):
            if token in allowed:
                assert state <= automaton.advance(state, token) <= automaton.done
            else:
                with pytest.raises(ValueError, match="does not spell"):
                    automaton.advance(state, token)


@UNTIMED
@given(required_bytes, st.integers(0, 2**31), st.integers(0, 3), st.booleans())
def test_best_path_is_the_brute_force_best(
    required: bytes, seed: int, length: int, pin: bool
) -> None:
    rng = np.random.default_rng(seed)
    log_probs = rng.standard_normal((length, len(TOKENS)))
    fixed = np.full(length, -1)
    if pin and length:
        fixed[rng.integers(length)] = rng.integers(len(TOKENS))
    automaton = HealingAutomaton(INDEX, required)
    path = automaton.best_path(log_probs, fixed)
    scores = {
        tokens: sum(log_probs[i, t] for i, t in enumerate(tokens) if fixed[i] < 0)
        for tokens in itertools.product(range(len(TOKENS)), repeat=length)
        if all(f < 0 or f == t for f, t in zip(fixed, tokens, strict=True))
        and accepted(tokens, required)
    }
    assert automaton.feasible(fixed) == bool(scores)
    if not scores:
        assert path is None
        return
    assert path is not None
    assert path.log_prob == pytest.approx(max(scores.values()))
    assert scores[tuple(path.tokens.tolist())] == pytest.approx(path.log_prob)
    assert path.states[-1] == automaton.done


def test_banned_tokens_make_a_canvas_infeasible() -> None:
    automaton = HealingAutomaton(INDEX, b"b")
    log_probs = np.full((1, len(TOKENS)), -np.inf)
    log_probs[0, 1] = 0.0
    assert automaton.best_path(log_probs, np.array([-1])) is None


def test_required_bytes_are_bounded() -> None:
    with pytest.raises(ValueError, match="at most"):
        HealingAutomaton(INDEX, b"a" * (MAX_REQUIRED_BYTES + 1))


def test_a_token_fits_only_if_the_rest_still_has_room() -> None:
    index = PrefixIndex([b"a", b"b", b"ab", b"abab", b"x"])
    automaton = HealingAutomaton(index, b"abab")
    assert automaton.fitting(0, 1).tolist() == [3]
    assert automaton.fitting(0, 2).tolist() == [2, 3]
    assert automaton.fitting(0, 4).tolist() == [0, 2, 3]
    assert automaton.fitting(0, 0).tolist() == automaton.allowed(0).tolist(), "there is no way"


def test_bytes_that_no_token_spells_have_no_way() -> None:
    automaton = HealingAutomaton(INDEX, b"a?")
    assert automaton.fitting(0, 4).tolist() == automaton.allowed(0).tolist()
    assert not len(automaton.fitting(1, 3))
    assert automaton.best_path(np.zeros((3, len(TOKENS))), np.full(3, -1)) is None

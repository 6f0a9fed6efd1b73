"""Tokens that leave a language, against a look at every token."""

import numpy as np
import pytest

from engine.constraints.leaving import STAYS, Leaving
from engine.constraints.limits import Bounds, Limits
from engine.constraints.regex import full_match
from tests.engine.constraints.toys import END, TOKENS, VOCABULARY

LEAVING = Leaving(VOCABULARY)


@pytest.mark.parametrize("pattern", [r"(ab)*c?a{0,2}|b+c", r"a(b|c)*a", r"a*", r"ab|b"])
def test_credits_agree_with_a_look_at_every_token(pattern: str) -> None:
    dfa = full_match(pattern, Limits(), Bounds()).dfa
    for state in range(1, dfa.states):
        found = LEAVING.credits(dfa, dfa.final, state, END)
        for token, text in enumerate(TOKENS):
            want = STAYS
            if text and not dfa.run(text, state):
                for size in range(len(text)):
                    part = text[:size]
                    at = dfa.run(part, state)
                    if at and dfa.final[at] and (not part or part in TOKENS):
                        want = TOKENS.index(part) if part else END
            assert found[token] == want, (state, text)


def test_tokens_one_byte_longer_and_tokens_of_a_text() -> None:
    assert LEAVING.extended(b"") == {97: 1, 98: 2, 99: 8}
    assert LEAVING.extended(b"a") == {97: 5, 98: 3}
    assert LEAVING.extended(b"aa") == {}
    assert LEAVING.extended(b"z") == {}
    assert LEAVING.spelling(b"abz") == [1, 3]
    assert LEAVING.spelling(b"z") == []


def test_every_token_of_the_vocabulary_has_its_place() -> None:
    dfa = full_match("a", Limits(), Bounds()).dfa
    credits = LEAVING.credits(dfa, np.zeros(dfa.states, bool), dfa.start, END)
    assert (credits == STAYS).all(), "where nothing may end, nothing is lent"

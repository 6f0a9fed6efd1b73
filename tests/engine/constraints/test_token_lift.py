"""The token automaton against running each token's bytes through the byte automaton."""

import numpy as np
import pytest

from engine.constraints.byte_dfa import ByteDFA
from engine.constraints.errors import TooLargeError
from engine.constraints.limits import Bounds, Limits
from engine.constraints.regex import full_match
from engine.constraints.token_dfa import TokenDFA
from engine.constraints.token_lift import lift
from engine.constraints.vocabulary import Vocabulary
from tests.engine.constraints.toys import TOKENS, VOCABULARY
from tests.engine.constraints.vocabularies import real_vocabulary


def moves(dfa: TokenDFA, token: int) -> set[tuple[int, int]]:
    """(from, to) of every pair that a token's class joins."""
    label = dfa.token_class[token]
    found = set()
    for pair in range(len(dfa.pair_from)):
        kind = dfa.pair_set[pair]
        classes = dfa.set_classes[dfa.set_starts[kind] : dfa.set_starts[kind + 1]]
        if label >= 0 and label in classes:
            found.add((int(dfa.pair_from[pair]), int(dfa.pair_to[pair])))
    return found


def by_bytes(dfa: ByteDFA, text: bytes | None) -> set[tuple[int, int]]:
    if text is None:
        return set()
    runs = ((state, dfa.run(text, state)) for state in range(1, dfa.states))
    return {(state, to) for state, to in runs if to}


@pytest.mark.parametrize("pattern", ["(ab)*c?a{0,2}|b+c", "a{2,4}", "[^a]*", "x", "(a|b|c){0,9}"])
def test_every_token_moves_as_its_bytes_do(pattern: str) -> None:
    dfa = full_match(pattern, Limits(), Bounds()).dfa
    lifted = lift(dfa, VOCABULARY, Limits())
    for token, text in enumerate(TOKENS):
        assert moves(lifted, token) == by_bytes(dfa, text), token


def test_with_the_real_vocabulary() -> None:
    vocabulary = real_vocabulary()
    dfa = full_match(r'\{"na?me": "[^"\\\n]{0,20}"\}', Limits(), Bounds()).dfa
    lifted = lift(dfa, vocabulary, Limits())
    assert lifted.classes < 400
    rng = np.random.default_rng(0)
    for token in rng.integers(0, vocabulary.size, 100).tolist():
        assert moves(lifted, token) == by_bytes(dfa, vocabulary.token_bytes[token])


def test_arcs_are_capped() -> None:
    dfa = full_match("[abc]*", Limits(), Bounds()).dfa
    with pytest.raises(TooLargeError, match="token moves"):
        lift(dfa, VOCABULARY, Limits(token_arcs=1))
    with pytest.raises(TooLargeError, match="class moves"):
        lift(full_match("a?b", Limits(), Bounds()).dfa, VOCABULARY, Limits(class_arcs=1))


def test_the_key_of_a_vocabulary_tells_contents_apart() -> None:
    assert Vocabulary([b"a", None]).key != Vocabulary([b"a", b"b"]).key
    assert Vocabulary([b"a", b""]).key == Vocabulary([b"a", None]).key

"""Healed boundaries under a constraint, against brute force and against a fresh lift."""

import itertools
import re

import numpy as np
import pytest

from engine.constraints.byte_dfa import ByteDFA
from engine.constraints.canvas import CanvasConstraint
from engine.constraints.errors import UnsatisfiableError
from engine.constraints.limits import Bounds, Limits
from engine.constraints.opening import Opening, opened
from engine.constraints.prefix_index import PrefixIndex
from engine.constraints.regex import full_match
from engine.constraints.token_lift import lift
from engine.constraints.vocabulary import Vocabulary
from tests.engine.constraints.test_token_lift import by_bytes, moves
from tests.engine.constraints.toys import SPECIALS, TOKENS, VOCABULARY, hole_text, random_rows

INDEX = PrefixIndex(TOKENS)


def canvas(pattern: str, before: bytes, required: bytes, in_language: bool) -> CanvasConstraint:
    dfa = lift(full_match(pattern, Limits(), Bounds()).dfa, VOCABULARY, Limits())
    return CanvasConstraint(dfa, SPECIALS, (before, b""), Opening(required, INDEX, in_language))


@pytest.mark.parametrize("required", [b"a", b"ab", b"bab", b"c"])
def test_classes_still_move_as_bytes_do(required: bytes) -> None:
    dfa = lift(full_match("(ab)*c?a{0,2}", Limits(), Bounds()).dfa, VOCABULARY, Limits())
    longer, start = opened(dfa, Opening(required, INDEX, False), dfa.dfa.start)
    assert longer.dfa.run(required, start) == dfa.dfa.start
    for token, text in enumerate(TOKENS):
        assert moves(longer, token) == by_bytes(longer.dfa, text), token


@pytest.mark.parametrize(
    ("pattern", "before", "required", "in_language"),
    [
        ("(ab)*c?a{0,2}|b+c", b"", b"a", False),
        ("(ab)*c?a{0,2}|b+c", b"ab", b"ab", True),
        ("b*", b"", b"aab", False),
    ],
)
def test_a_step_agrees_with_brute_force(
    pattern: str, before: bytes, required: bytes, in_language: bool
) -> None:
    rows = random_rows(np.random.default_rng(0), 4)
    scores = {}
    for tokens in itertools.product(range(len(TOKENS)), repeat=4):
        hole = hole_text(tokens)
        if hole is None or not hole.startswith(required):
            continue
        judged = before + hole if in_language else hole[len(required) :]
        if re.fullmatch(pattern, judged.decode()):
            scores[tokens] = float(rows[np.arange(4), tokens].sum())
    view = canvas(pattern, before, required, in_language).step(rows, np.full(4, -1))
    assert view.log_valid == pytest.approx(np.logaddexp.reduce([*scores.values()]), abs=1e-6)
    best = tuple(view.best.tokens.tolist())
    assert scores[best] == pytest.approx(max(scores.values()), abs=1e-6)


def test_an_opening_outside_the_language_is_refused() -> None:
    with pytest.raises(UnsatisfiableError, match="already breaks"):
        canvas("a*", b"a", b"b", in_language=True)


def test_a_long_opening_tries_a_token_only_where_it_may_stand(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    texts = [*(b" " * n for n in range(1, 9)), *(b" w%d" % n for n in range(200))]
    dfa = lift(full_match("[w0-9 ]*", Limits(), Bounds()).dfa, Vocabulary(texts), Limits())
    run, runs = ByteDFA.run, []

    def counted(self: ByteDFA, text: bytes, state: int | None = None) -> int:
        runs.append(text)
        return run(self, text, state)

    monkeypatch.setattr(ByteDFA, "run", counted)
    longer, start = opened(dfa, Opening(b" " * 64, PrefixIndex(texts), False), dfa.dfa.start)
    assert len(runs) <= 200 + 8 * 64, "a word may only stand in the last place"
    assert longer.dfa.run(b" " * 64 + b"w1", start) == dfa.dfa.start

"""What a canvas says before the first step: lengths, broken surroundings, impossible requests."""

import numpy as np
import pytest

from engine.constraints.canvas import CanvasConstraint, Specials
from engine.constraints.errors import UnsatisfiableError
from engine.constraints.limits import Bounds, Limits
from engine.constraints.regex import full_match
from engine.constraints.token_lift import lift
from tests.engine.constraints.toys import PAD, VOCABULARY, constraint, random_rows


def test_least_tokens_and_feasible_lengths() -> None:
    canvas = constraint(r"(aba){2}c", specials=Specials())
    assert canvas.least_tokens() == 4
    assert canvas.feasible_lengths(8).tolist() == [4 <= n <= 7 for n in range(9)]


def test_the_text_before_the_hole_is_named_where_it_breaks() -> None:
    with pytest.raises(UnsatisfiableError, match=r"line 2, column 2: 'ab.+nac'"):
        constraint("ab\nab", (b"ab\nac", b""))


def test_a_refusal_names_what_the_automaton_lacks() -> None:
    dfa = lift(full_match("a*", Limits(), Bounds()).dfa, VOCABULARY, Limits(), ("long texts",))
    for texts in ((b"ab", b""), (b"a", b"b")):
        with pytest.raises(UnsatisfiableError, match=r"or needs what was left .*: long texts"):
            CanvasConstraint(dfa, Specials(), texts)


def test_the_text_behind_the_hole_is_blamed() -> None:
    with pytest.raises(UnsatisfiableError, match="text behind"):
        constraint("a*", (b"a", b"b"))


def test_an_empty_language_is_refused() -> None:
    with pytest.raises(UnsatisfiableError, match="no text meets"):
        constraint("[^\\s\\S]")


def test_an_infeasible_canvas_says_so() -> None:
    canvas = constraint("a*")
    fixed = np.array([2, -1])
    view = canvas.step(random_rows(np.random.default_rng(0), 1), fixed)
    assert not view.feasible
    assert view.log_valid == -np.inf
    with pytest.raises(UnsatisfiableError, match="no completion"):
        _ = view.best


def test_a_banned_token_is_never_taken() -> None:
    rows = random_rows(np.random.default_rng(0), 2)
    rows[:, [1, 5]] = -np.inf
    assert not constraint("a+", specials=Specials()).step(rows, np.full(2, -1)).feasible


def test_shapes_are_checked() -> None:
    canvas = constraint("a*")
    with pytest.raises(ValueError, match="log_probs must be"):
        canvas.step(np.zeros((3, 10)), np.full(2, -1))
    for texts, later in (((b"",), ()), ((b"", b"", b""), ()), ((b"", b""), (1,))):
        with pytest.raises(ValueError, match="a text before and a text behind"):
            CanvasConstraint(canvas.dfa, Specials(), texts, later=later)


def test_a_full_canvas_is_judged_without_rows() -> None:
    canvas = constraint("a+")
    assert canvas.step(np.zeros((0, 10)), np.array([1, 5])).feasible
    assert not canvas.step(np.zeros((0, 10)), np.array([1, PAD])).feasible
    nothing = np.full(0, -1)
    assert constraint("ab", (b"a", b"b")).step(np.zeros((0, 10)), nothing).feasible
    assert not canvas.step(np.zeros((0, 10)), nothing).feasible

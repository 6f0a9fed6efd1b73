"""The reading that knows one slot at a time, growing canvases and completions: by brute force."""

import itertools
import re

import numpy as np
import pytest

from engine.constraints.canvas import CanvasConstraint, Specials
from engine.constraints.errors import UnsatisfiableError
from engine.constraints.limits import Bounds, Limits
from engine.constraints.regex import full_match
from engine.constraints.texts import state_map
from engine.constraints.token_lift import lift
from tests.engine.constraints.toys import (
    END,
    PAD,
    SPECIALS,
    TOKENS,
    VOCABULARY,
    constraint,
    hole_text,
    random_rows,
)

PATTERNS = [r"(ab)*c?a{0,2}|b+c", r"a(b|c)*a", r"(a|b)+c"]
PLAIN = Specials(end=(END,), pad=(PAD,))


def completions(pattern: str, fixed: list[int], room: int = 0) -> set[tuple[int, ...]]:
    """Every valid filling of a canvas; with `room`, also the beginnings of longer ones."""
    found = set()
    ids = [token for token, text in enumerate(TOKENS) if text or token in (END, PAD)]
    for tokens in itertools.product(ids, repeat=len(fixed)):
        if any(f not in (-1, t) for f, t in zip(fixed, tokens, strict=True)):
            continue
        text = hole_text(tokens)
        if text is None:
            continue
        more = range(1 if END in tokens else room + 1)
        tails = (
            b"".join(t)
            for n in more
            for t in itertools.product([b"a", b"b", b"c", b"ab", b"ba", b"aa"], repeat=n)
        )
        if any(re.fullmatch(pattern.encode(), text + tail) for tail in tails):
            found.add(tokens)
    return found


@pytest.mark.parametrize("pattern", PATTERNS)
@pytest.mark.parametrize(
    ("spelled", "ahead", "room"),
    [
        ([], [-1, -1, -1], 0),
        ([], [-1, -1], 2),
        ([1], [-1, -1, END], 0),
        ([2], [-1, -1, END, PAD], 0),
        ([], [-1, 8, -1], 0),
        ([1, 2], [-1], 0),
        ([1], [-1, -1], 1),
    ],
)
def test_what_may_come_is_what_can_be_completed(
    pattern: str, spelled: list[int], ahead: list[int], room: int
) -> None:
    follower = constraint(pattern, specials=PLAIN).follower
    text = b"".join(TOKENS[token] or b"" for token in spelled)
    want = {tokens[len(spelled)] for tokens in completions(pattern, [*spelled, *ahead], room)}
    found = follower.next(text, np.array(ahead), room)
    assert found.may_end == (END in want)
    assert set(found.tokens.tolist()) == want - {END}


def test_what_was_worked_out_serves_later_slots() -> None:
    follower = constraint(r"(a|b)+c", specials=PLAIN).follower
    first = np.array([-1, -1, 8, END])
    assert set(follower.next(b"", first).tokens.tolist()) == {1, 2, 3, 4, 5, 9}
    fresh = constraint(r"(a|b)+c", specials=PLAIN).follower
    for again in (follower, fresh):
        assert set(again.next(b"a", first[1:]).tokens.tolist()) == {1, 2, 3, 4, 5, 9}
        assert again.next(b"aa", np.array([-1, END])).tokens.tolist() == [8]


def test_over_means_that_nothing_may_follow() -> None:
    follower = constraint(r"a+c").follower
    assert [follower.is_over(text) for text in (b"", b"a", b"aac", b"c")] == [
        False,
        False,
        True,
        False,
    ]


@pytest.mark.parametrize("pattern", PATTERNS)
def test_a_canvas_with_room_may_stay_open(pattern: str) -> None:
    rows = random_rows(np.random.default_rng(0), 2)
    canvas = constraint(pattern, specials=PLAIN)
    ways = completions(pattern, [-1, -1], room=2)
    want = {tokens: float(rows[[0, 1], tokens].sum()) for tokens in ways}
    view = canvas.step(rows, np.full(2, -1), room=2)
    assert view.log_valid == pytest.approx(np.logaddexp.reduce([*want.values()]), abs=1e-6)
    best = tuple(view.best.tokens.tolist())
    assert want[best] == pytest.approx(max(want.values()), abs=1e-6)


@pytest.mark.parametrize("pattern", PATTERNS)
@pytest.mark.parametrize("fixed", [[-1, -1, -1, -1], [-1, 2, -1, -1], [-1, -1, -1, END]])
def test_the_shortest_completion(pattern: str, fixed: list[int]) -> None:
    canvas = constraint(pattern, specials=PLAIN)
    ways = completions(pattern, fixed)
    if not ways:
        with pytest.raises(UnsatisfiableError):
            canvas.shortest(np.array(fixed))
        return
    tokens = tuple(canvas.shortest(np.array(fixed)).tolist())
    assert tokens in ways
    assert size(tokens) == min(map(size, ways))


def size(tokens: tuple[int, ...]) -> int:
    return sum(token not in (END, PAD) for token in tokens)


def test_padding_that_costs_nothing() -> None:
    rows = random_rows(np.random.default_rng(0), 3)
    rows[:, PAD] = -np.inf
    sure = Specials(end=(END,), pad=(PAD,), sure_pad=True)
    view = constraint(r"a|aa|aaa", specials=sure).step(rows, np.full(3, -1))
    ways = [t for t in completions(r"a|aa|aaa", [-1, -1, -1])]
    scores = {
        tokens: sum(float(rows[i, t]) for i, t in enumerate(tokens) if t != PAD) for tokens in ways
    }
    assert view.log_valid == pytest.approx(np.logaddexp.reduce([*scores.values()]), abs=1e-6)
    best = tuple(view.best.tokens.tolist())
    assert scores[best] == pytest.approx(max(scores.values()), abs=1e-6)
    drawn = view.sample(np.random.default_rng(1))
    assert tuple(drawn.tokens.tolist()) in ways


def test_later_holes_are_left_a_way() -> None:
    texts = (b"a", b"c", b"a")
    dfa = lift(full_match(r"a+c(ba)*a", Limits(), Bounds()).dfa, VOCABULARY, Limits())
    canvas = CanvasConstraint(dfa, PLAIN, texts, later=(1,))
    assert canvas.least_tokens() == 0
    assert canvas.follower.next(b"", np.array([-1, -1])).tokens.tolist() == [1, 5]
    with pytest.raises(UnsatisfiableError):
        CanvasConstraint(
            lift(full_match(r"a+cbabaa", Limits(), Bounds()).dfa, VOCABULARY, Limits()),
            PLAIN,
            texts,
            later=(1,),
        )


def test_maps_of_long_texts_agree_with_single_states() -> None:
    dfa = full_match(r"(?:[abc]{3}|x[^x]*x)*", Limits(), Bounds()).dfa
    for text in (b"", b"abc" * 40, b"x" + b"ab" * 300, b"ab" * 7):
        want = [dfa.run(text, state) for state in range(dfa.states)]
        assert state_map(dfa, text).tolist() == want


def test_forced_means_ruled_out() -> None:
    rows = np.log(np.full((1, len(TOKENS)), 0.01))
    rows[0, [1, 2]] = np.log([0.3, 0.6])
    assert constraint("a|c").step(rows, np.array([-1])).best.forced.tolist() == [True]
    assert constraint("a|b").step(rows, np.array([-1])).best.forced.tolist() == [False]
    assert SPECIALS.sure_pad is False

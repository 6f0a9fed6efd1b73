"""The scans against brute force: total mass, marginals, best path, sampler, reachability."""

from collections import Counter

import numpy as np
import pytest

from tests.engine.constraints.toys import (
    END,
    OTHER,
    PAD,
    TOKENS,
    constraint,
    random_rows,
    valid_fillings,
)

CASES = [
    (r"(ab)*c?a{0,2}|b+c", (b"", b""), 4, {}),
    (r"(ab)*c?a{0,2}|b+c", (b"", b""), 4, {1: 2}),
    (r"(ab)*c?a{0,2}|b+c", (b"ab", b"aa"), 3, {}),
    (r"a(b|c)*a", (b"a", b"a"), 4, {3: PAD}),
    (r"a*b?c", (b"", b""), 4, {}),
    (r"(a|b)+c(a|b)*", (b"a", b"cb"), 4, {}),
    (r"(a|b)+c(a|b)*", (b"", b"c"), 4, {1: END}),
    (r"(a|b|c)*", (b"", b"bc"), 3, {0: 3}),
    (r"ab|b", (b"", b""), 3, {2: END}),
]


@pytest.mark.parametrize(("pattern", "texts", "length", "pinned"), CASES)
def test_a_step_is_exact(
    pattern: str,
    texts: tuple[bytes, bytes],
    length: int,
    pinned: dict[int, int],
) -> None:
    rng = np.random.default_rng(1)
    fixed = np.full(length, -1)
    for slot, token in pinned.items():
        fixed[slot] = token
    rows = random_rows(rng, int((fixed < 0).sum()))
    want = valid_fillings(pattern, texts, rows, fixed)
    assert want, "the case must have answers"
    canvas = constraint(pattern, texts)
    view = canvas.step(rows, fixed)
    total = np.logaddexp.reduce(list(want.values()))
    assert view.log_valid == pytest.approx(total, rel=1e-6, abs=1e-6)
    marginals = np.zeros((len(fixed), len(TOKENS)))
    for tokens, score in want.items():
        marginals[np.arange(len(fixed)), tokens] += np.exp(score - total)
    got = [[view.marginal(i, t) for t in range(len(TOKENS))] for i in range(len(fixed))]
    np.testing.assert_allclose(got, marginals, atol=1e-6)
    best = tuple(view.best.tokens.tolist())
    assert want[best] == pytest.approx(max(want.values()), abs=1e-6)
    np.testing.assert_allclose(
        view.best.confidence, marginals[np.arange(len(fixed)), best], atol=1e-6
    )
    assert canvas.feasible(fixed)


def test_the_sampler_draws_from_the_joint_distribution() -> None:
    rng = np.random.default_rng(3)
    fixed = np.full(3, -1)
    rows = random_rows(rng, 3)
    pattern = r"(ab)*c?a{0,2}|b+c"
    want = valid_fillings(pattern, (b"", b""), rows, fixed)
    view = constraint(pattern).step(rows, fixed)
    draws = 4000
    seen = Counter(tuple(view.sample(rng).tokens.tolist()) for _ in range(draws))
    assert set(seen) <= set(want)
    odds = np.exp(np.array(list(want.values())) - np.logaddexp.reduce(list(want.values())))
    counts = np.array([seen[tokens] for tokens in want]) / draws
    own_noise = np.abs(rng.multinomial(draws, odds) / draws - odds).sum() / 2
    assert np.abs(counts - odds).sum() / 2 < 2.5 * own_noise


@pytest.mark.parametrize("seed", range(20))
def test_reachability_agrees_with_mass(seed: int) -> None:
    rng = np.random.default_rng(seed)
    fixed = np.where(rng.random(4) < 0.5, -1, rng.integers(0, len(TOKENS), 4))
    canvas = constraint(r"(ab)*c?a{0,2}|b+c")
    rows = random_rows(rng, int((fixed < 0).sum()))
    view = canvas.step(rows, fixed)
    assert view.feasible == canvas.feasible(fixed)
    want = valid_fillings(r"(ab)*c?a{0,2}|b+c", (b"", b""), rows, fixed)
    assert view.feasible == bool(want)


def test_masses_far_below_a_float_still_find_the_only_way() -> None:
    rows = np.full((40, len(TOKENS)), -400.0)
    rows[:, 8] = 0.0  # the model is certain of "c", the language has none until the end
    view = constraint(r"(ab){20,}c").step(rows, np.full(40, -1))
    assert view.feasible
    assert rows[np.arange(40), view.best.tokens].sum() == pytest.approx(-400.0 * 39)
    path = view.sample(np.random.default_rng(0))
    assert b"".join(TOKENS[t] or b"" for t in path.tokens).endswith(b"abc")


def test_a_special_token_without_a_meaning_never_fits() -> None:
    canvas = constraint(r"[abc]*")
    assert not canvas.feasible(np.array([1, OTHER]))
    view = canvas.step(random_rows(np.random.default_rng(0), 2), np.full(2, -1))
    assert view.marginal(0, OTHER) == 0.0

"""The scans against brute force: total mass, marginals, best path, sampler, reachability."""

from collections import Counter

import numpy as np
import pytest

from tests.engine.constraints.toys import (
    DELETE,
    END,
    PAD,
    TOKENS,
    constraint,
    random_rows,
    valid_fillings,
)

CASES = [
    (r"(ab)*c?a{0,2}|b+c", (b"", b""), (4,), {}),
    (r"(ab)*c?a{0,2}|b+c", (b"", b""), (4,), {1: 2}),
    (r"(ab)*c?a{0,2}|b+c", (b"ab", b"aa"), (3,), {}),
    (r"a(b|c)*a", (b"a", b"a"), (4,), {3: PAD}),
    (r"a*b?c", (b"", b"", b""), (2, 2), {}),
    (r"(a|b)+c(a|b)*", (b"a", b"c", b"b"), (2, 2), {}),
    (r"(a|b)+c(a|b)*", (b"", b"c", b""), (2, 2), {1: END}),
    (r"(a|b|c)*", (b"", b"b", b"c", b""), (1, 0, 2), {0: DELETE}),
    (r"ab|b", (b"", b""), (3,), {2: END}),
]


@pytest.mark.parametrize(("pattern", "texts", "lengths", "pinned"), CASES)
def test_a_step_is_exact(
    pattern: str,
    texts: tuple[bytes, ...],
    lengths: tuple[int, ...],
    pinned: dict[int, int],
) -> None:
    rng = np.random.default_rng(1)
    fixed = np.full(sum(lengths), -1)
    for slot, token in pinned.items():
        fixed[slot] = token
    rows = random_rows(rng, int((fixed < 0).sum()))
    want = valid_fillings(pattern, texts, lengths, rows, fixed)
    assert want, "the case must have answers"
    canvas = constraint(pattern, texts)
    view = canvas.step(rows, fixed, lengths)
    total = np.logaddexp.reduce(list(want.values()))
    assert view.log_valid == pytest.approx(total, rel=1e-6, abs=1e-6)
    marginals = np.zeros((len(fixed), len(TOKENS)))
    for tokens, score in want.items():
        marginals[np.arange(len(fixed)), tokens] += np.exp(score - total)
    got = [[view.marginal(i, t) for t in range(len(TOKENS))] for i in range(len(fixed))]
    np.testing.assert_allclose(got, marginals, atol=1e-6)
    best = tuple(view.best.tokens.tolist())
    assert view.best.log_prob == pytest.approx(max(want.values()), abs=1e-6)
    assert want[best] == pytest.approx(view.best.log_prob, abs=1e-6)
    np.testing.assert_allclose(
        view.best.confidence, marginals[np.arange(len(fixed)), best], atol=1e-6
    )
    assert canvas.feasible(fixed, lengths)


def test_the_sampler_draws_from_the_joint_distribution() -> None:
    rng = np.random.default_rng(3)
    fixed = np.full(3, -1)
    rows = random_rows(rng, 3)
    pattern = r"(ab)*c?a{0,2}|b+c"
    want = valid_fillings(pattern, (b"", b""), (3,), rows, fixed)
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
    want = valid_fillings(r"(ab)*c?a{0,2}|b+c", (b"", b""), (4,), rows, fixed)
    assert view.feasible == bool(want)


def test_masses_far_below_a_float_still_find_the_only_way() -> None:
    rows = np.full((40, len(TOKENS)), -400.0)
    rows[:, 8] = 0.0  # the model is certain of "c", the language has none until the end
    view = constraint(r"(ab){20,}c").step(rows, np.full(40, -1))
    assert view.feasible
    assert view.best.log_prob == pytest.approx(-400.0 * 39)
    path = view.sample(np.random.default_rng(0))
    assert b"".join(TOKENS[t] or b"" for t in path.tokens).endswith(b"abc")


def test_the_witness_is_the_last_sample_or_the_best() -> None:
    rng = np.random.default_rng(0)
    view = constraint(r"(a|b)*").step(random_rows(rng, 3), np.full(3, -1))
    assert view.witness is view.best
    sample = view.sample(rng)
    assert view.witness is sample

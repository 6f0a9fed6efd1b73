"""Intervals and paired tests against values worked out by other means."""

import pytest

from tests.bench.common.stats import mcnemar, paired, percentile, wilson


def test_wilson_interval_of_a_known_case() -> None:
    assert wilson(15, 60) == pytest.approx((0.15777, 0.37232), abs=1e-5)
    assert wilson(0, 10)[0] == 0.0
    assert wilson(10, 10) == pytest.approx((0.72247, 1.0), abs=1e-5)
    assert wilson(0, 0) == (0.0, 1.0)


def test_mcnemar_is_the_exact_binomial_test() -> None:
    assert mcnemar(0, 0) == 1.0
    assert mcnemar(1, 8) == pytest.approx(2 * (1 + 9) / 2**9)
    assert mcnemar(8, 1) == mcnemar(1, 8)
    assert mcnemar(5, 5) == 1.0


def test_paired_counts_and_covers_the_difference() -> None:
    ours = [True] * 30 + [False] * 10 + [True] * 60
    theirs = [False] * 30 + [True] * 10 + [True] * 60
    result = paired(ours, theirs)
    assert (result.only_ours, result.only_theirs, result.problems) == (30, 10, 100)
    assert result.low < 0.2 < result.high
    assert result.difference == pytest.approx(0.2)
    assert result.high - result.low == pytest.approx(2 * 1.96 * (0.36 / 100) ** 0.5, rel=0.1)
    assert paired(ours, theirs) == result


def test_paired_needs_the_same_problems() -> None:
    with pytest.raises(ValueError, match="same problems"):
        paired([True], [True, False])


def test_percentile() -> None:
    assert percentile([3.0, 1.0, 2.0], 0.5) == 2.0
    assert percentile([], 0.5) != percentile([], 0.5)

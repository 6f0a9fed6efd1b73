"""Statistics of pass rates and times: intervals, paired comparisons, percentiles."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

Z95 = 1.959963984540054


@dataclass(frozen=True, slots=True)
class Paired:
    """The same problems solved by `ours` and by `theirs`."""

    problems: int
    only_ours: int
    only_theirs: int
    difference: float
    """Pass rate of ours minus that of theirs."""
    low: float
    high: float
    """95% interval of the difference, paired bootstrap over problems."""
    p_value: float
    """Exact two-sided McNemar test."""


def wilson(passed: int, total: int) -> tuple[float, float]:
    """95% score interval of a pass rate (Wilson 1927); (0, 1) when nothing was tried."""
    if total == 0:
        return 0.0, 1.0
    rate, z = passed / total, Z95
    centre = rate + z * z / (2 * total)
    spread = z * math.sqrt(rate * (1 - rate) / total + z * z / (4 * total * total))
    scale = 1 + z * z / total
    return max(0.0, (centre - spread) / scale), min(1.0, (centre + spread) / scale)


def mcnemar(only_ours: int, only_theirs: int) -> float:
    """Two-sided exact p value that both win discordant problems equally often."""
    discordant, fewer = only_ours + only_theirs, min(only_ours, only_theirs)
    tail = sum(math.comb(discordant, k) for k in range(fewer + 1)) / (1 << discordant)
    return min(1.0, 2 * tail)


def paired(
    ours: Sequence[bool], theirs: Sequence[bool], seed: int = 42, resamples: int = 10_000
) -> Paired:
    """Compare two runs over the same problems in the same order."""
    if len(ours) != len(theirs) or not ours:
        raise ValueError("a paired comparison needs the same problems on both sides")
    delta = np.asarray(ours, dtype=np.int64) - np.asarray(theirs, dtype=np.int64)
    wins, losses = int((delta > 0).sum()), int((delta < 0).sum())
    # resampling problems is a multinomial draw over won, lost and tied ones
    shares = np.array([wins, losses, len(delta) - wins - losses]) / len(delta)
    draws = np.random.default_rng(seed).multinomial(len(delta), shares, size=resamples)
    low, high = np.quantile((draws[:, 0] - draws[:, 1]) / len(delta), (0.025, 0.975))
    difference = float(delta.mean())
    return Paired(
        len(delta), wins, losses, difference, float(low), float(high), mcnemar(wins, losses)
    )


def percentile(values: Sequence[float], share: float) -> float:
    """The value at `share` (0..1) of the sorted values, interpolated; nan when there is none."""
    return float(np.quantile(values, share)) if len(values) else math.nan


def mean(values: Sequence[float]) -> float:
    """Arithmetic mean; nan when there is none."""
    return float(np.mean(values)) if len(values) else math.nan

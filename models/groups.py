"""Weights that were once four bits in groups of 32, found again under the int8 rows they became.

A checkpoint made from a Q4_1 file has 16 levels, evenly spaced, in every 32 consecutive columns.
Rounding to int8 rows moved each weight by up to half a step, but not so far that its level could
not be told. Four bits are half the bytes that a pass of a few rows must read; and as each level is
estimated from 32 weights at once, the result is nearer to the original than the int8 rows are.
"""

from dataclasses import dataclass

import torch
from torch import Tensor

from models.matrix import Matrix

GROUP = 32
LEVELS = 15
SAMPLE_ROWS = 64
MOST_ERROR = 0.45
"""Of one int8 step, root mean square: rounding alone leaves 0.29, weights without levels over 1."""


@dataclass(frozen=True, slots=True)
class Groups:
    """Levels [out, in] from 0 to 15, and for each group of columns [out, in / 32] what they mean.

    A weight is (level - 8) * spacing + middle.
    """

    levels: Tensor  # int32
    spacing: Tensor  # bf16
    middle: Tensor  # bf16

    def dense(self) -> Tensor:
        """The weight [out, in] in fp32."""
        parts = (self.levels - 8).float().view(len(self.levels), -1, GROUP)
        spacing, middle = self.spacing.float()[..., None], self.middle.float()[..., None]
        return parts.mul_(spacing).add_(middle).view(self.levels.shape)


def find_groups(matrix: Matrix) -> Groups | None:
    """The groups of int8 rows that have them, else None."""
    rows, columns = matrix.rows.shape
    if matrix.scale is None or columns % GROUP or rows % GROUP:
        return None
    sample = Matrix(matrix.rows[:SAMPLE_ROWS], matrix.scale[:SAMPLE_ROWS])
    if _error(sample, _fit(sample.dense())) > MOST_ERROR:
        return None
    found = _fit(matrix.dense())
    return found if _error(matrix, found) <= MOST_ERROR else None


def _fit(weight: Tensor) -> Groups:
    """Levels by the extremes of each group (Q4_1 uses both ends), then least squares."""
    groups = weight.view(len(weight), -1, GROUP)
    low, high = groups.aminmax(dim=-1, keepdim=True)
    spacing = ((high - low) / LEVELS).clamp_min(1e-12)
    levels = (groups - low).div_(spacing).round_()
    mean = levels.mean(-1, keepdim=True)
    away = levels - mean
    spread = away.square().sum(-1, keepdim=True).clamp_min(1e-6)
    slope = away.mul_(groups).sum(-1, keepdim=True) / spread
    middle = groups.mean(-1, keepdim=True) + (8 - mean) * slope
    shape = weight.shape
    return Groups(
        levels.to(torch.int32).view(shape),
        slope[..., 0].to(torch.bfloat16),
        middle[..., 0].to(torch.bfloat16),
    )


def _error(matrix: Matrix, found: Groups) -> float:
    """Root mean square difference in int8 steps."""
    assert matrix.scale is not None
    steps = (found.dense() - matrix.dense()) / matrix.scale.clamp_min(1e-12)[:, None]
    return float(steps.square().mean().sqrt())

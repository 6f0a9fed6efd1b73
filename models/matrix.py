"""A weight as a checkpoint holds it."""

from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass(frozen=True, slots=True)
class Matrix:
    """A weight as the checkpoint holds it: floats, or int8 rows with one fp32 scale each."""

    rows: Tensor  # [out, in] fp32 / bf16 / fp16, or int8
    scale: Tensor | None = None  # [out] fp32

    def dense(self) -> Tensor:
        """The weight in fp32, in memory of its own."""
        if self.scale is None:
            return self.rows.to(torch.float32, copy=True)
        return self.rows.float().mul_(self.scale[:, None])

    def take(self, ids: Tensor) -> Tensor:
        """Rows `ids` in fp32, of any shape of ids."""
        rows = self.rows[ids].float()
        return rows if self.scale is None else rows * self.scale[ids].unsqueeze(-1)

    def to(self, device: torch.device) -> "Matrix":
        """The same weight on a device."""
        return Matrix(self.rows.to(device), None if self.scale is None else self.scale.to(device))


def join(matrices: list[Matrix]) -> Matrix:
    """One matrix with the rows of all; int8 only if all of them are."""
    scales = [m.scale for m in matrices]
    if all(scale is not None for scale in scales):
        present = [scale for scale in scales if scale is not None]
        return Matrix(torch.cat([m.rows for m in matrices]), torch.cat(present))
    return Matrix(torch.cat([m.dense() for m in matrices]))


def eight_bit(weight: Tensor) -> tuple[Tensor, Tensor]:
    """A weight [out, in] rounded to int8 rows, and the fp32 scale [out] of each."""
    scale = weight.abs().amax(1).float().clamp(min=1e-12) / 127
    return (weight / scale[:, None]).round().to(torch.int8), scale

"""Matrices in the form a device multiplies fastest; the same product whatever the form."""

from dataclasses import dataclass
from typing import Protocol

import torch
import torch.nn.functional as F
from torch import Tensor

FEW_ROWS = 4
EXACT = 128


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


class Linear(Protocol):
    """Rows x [M, in] of the working type times a weight."""

    def __call__(self, x: Tensor) -> Tensor:
        """[M, out] in the working type."""
        ...


class DenseLinear:
    """The weight as it is: for fp32 and for GPUs."""

    def __init__(self, weight: Tensor, bias: Tensor | None) -> None:
        self._weight = weight
        self._bias = bias

    def __call__(self, x: Tensor) -> Tensor:
        """See Linear."""
        return F.linear(x, self._weight, self._bias)


class PackedLinear:
    """bf16 on a CPU: blocked for oneDNN; a handful of rows reads int8 rows, half the bytes."""

    def __init__(self, matrix: Matrix, bias: Tensor | None) -> None:
        weight = matrix.dense().to(torch.bfloat16)
        self._packed = torch.ops.mkldnn._reorder_linear_weight(weight, None)
        self._bias = bias
        self._int8: tuple[Tensor, Tensor] | None = None
        if matrix.scale is not None:
            self._int8 = matrix.rows.contiguous(), matrix.scale.to(torch.bfloat16)

    def __call__(self, x: Tensor) -> Tensor:
        """See Linear."""
        if self._int8 is not None and len(x) <= FEW_ROWS:
            product = torch._weight_int8pack_mm(x.contiguous(), *self._int8)
            return product if self._bias is None else product + self._bias
        packed: Tensor = torch.ops.mkldnn._linear_pointwise(
            x, self._packed, self._bias, "none", [], ""
        )
        return packed


class LowRankLinear:
    """Another linear map plus b a: for few rows cheaper than a second copy of the weight."""

    def __init__(self, base: Linear, a: Tensor, b: Tensor) -> None:
        self._base = base
        self._a = a.T.contiguous()
        self._b = b.T.contiguous()

    def __call__(self, x: Tensor) -> Tensor:
        """See Linear."""
        return torch.addmm(self._base(x), x @ self._a, self._b)


def make_linear(
    matrix: Matrix, bias: Tensor | None, dtype: torch.dtype, device: torch.device
) -> Linear:
    """The fastest form for a number type on a device."""
    bias = None if bias is None else bias.to(device, dtype)
    if dtype == torch.bfloat16 and device.type == "cpu" and torch._C._has_mkldnn:
        return PackedLinear(matrix, bias)
    return DenseLinear(matrix.dense().to(device, dtype), bias)


class Head:
    """Hidden states -> logits in fp32, precise where it matters.

    A product in bf16 rounds logits so coarsely that the best ones tie. The EXACT best of each row
    are therefore computed again in fp32; the others only share in the normaliser.
    """

    def __init__(self, matrix: Matrix, dtype: torch.dtype, device: torch.device) -> None:
        self._matrix = matrix.to(device)
        self._dtype = dtype
        self._product = make_linear(matrix, None, dtype, device)

    def __call__(self, hidden: Tensor) -> Tensor:
        """Logits [M, vocabulary] in fp32 of hidden states [M, hidden] in fp32."""
        logits = self._product(hidden.to(self._dtype)).float()
        if self._dtype == torch.float32:
            return logits
        best = logits.topk(min(EXACT, logits.shape[-1]), sorted=False).indices
        exact = torch.einsum("mkd,md->mk", self._matrix.take(best), hidden)
        return logits.scatter_(1, best, exact)

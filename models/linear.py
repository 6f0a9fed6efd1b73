"""Matrices in the form a device multiplies fastest; the same product whatever the form."""

from typing import Protocol

import torch
import torch.nn.functional as F
from torch import Tensor

from models.groups import GROUP, Groups, find_groups
from models.matrix import Matrix, eight_bit

FEW_ROWS = 4
EXACT = 128
EIGHT_STEP = 16


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


class FourBit:
    """A few bf16 rows times a weight that is made of four-bit groups: a quarter of bf16's bytes."""

    def __init__(self, groups: Groups) -> None:
        self._packed = torch.ops.aten._convert_weight_to_int4pack_for_cpu(groups.levels, 1)
        both = torch.stack([groups.spacing, groups.middle], -1)
        self._means = both.transpose(0, 1).contiguous()

    def __call__(self, x: Tensor) -> Tensor:
        """See Linear."""
        product: Tensor = torch.ops.aten._weight_int4pack_mm_for_cpu(
            x.contiguous(), self._packed, GROUP, self._means
        )
        return product


class EightBit:
    """A few bf16 rows times int8 rows: half of bf16's bytes.

    Their length must be a multiple of EIGHT_STEP: the product reads whole steps, beyond them too.
    """

    def __init__(self, rows: Tensor, scale: Tensor) -> None:
        self._rows = rows.contiguous()
        self._scale = scale.to(torch.bfloat16)

    def __call__(self, x: Tensor) -> Tensor:
        """See Linear."""
        return torch._weight_int8pack_mm(x.contiguous(), self._rows, self._scale)


class PackedLinear:
    """bf16 on a CPU: blocked for oneDNN; a handful of rows reads the weight's own few bits."""

    def __init__(self, matrix: Matrix, bias: Tensor | None) -> None:
        groups = find_groups(matrix)
        weight = (groups or matrix).dense().to(torch.bfloat16)
        self._packed = torch.ops.mkldnn._reorder_linear_weight(weight, None)
        self._bias = bias
        self._few: Linear | None = None
        if groups is not None:
            self._few = FourBit(groups)
        elif matrix.scale is not None and matrix.rows.shape[1] % EIGHT_STEP == 0:
            self._few = EightBit(matrix.rows, matrix.scale)

    def __call__(self, x: Tensor) -> Tensor:
        """See Linear."""
        if self._few is not None and len(x) <= FEW_ROWS:
            product = self._few(x)
            return product if self._bias is None else product + self._bias
        packed: Tensor = torch.ops.mkldnn._linear_pointwise(
            x, self._packed, self._bias, "none", [], ""
        )
        return packed


class LowRankLinear:
    """Another linear map plus b a: for few rows cheaper than a second copy of the weight.

    In bf16 on a CPU both are rounded to int8 rows, where these can be read in whole steps: what
    counts there is the bytes that are read.
    """

    def __init__(self, base: Linear, a: Tensor, b: Tensor) -> None:
        self._base = base
        self._a = a.T.contiguous()
        self._b = b.T.contiguous()
        whole = not (a.shape[1] % EIGHT_STEP or b.shape[1] % EIGHT_STEP)
        packs = whole and _packs(a.dtype, a.device)
        self._few = (EightBit(*eight_bit(a)), EightBit(*eight_bit(b))) if packs else None

    def __call__(self, x: Tensor) -> Tensor:
        """See Linear."""
        if self._few is not None and len(x) <= FEW_ROWS:
            down, up = self._few
            return self._base(x).add_(up(down(x)))
        return torch.addmm(self._base(x), x @ self._a, self._b)


def _packs(dtype: torch.dtype, device: torch.device) -> bool:
    """Whether weights have a form of their own there."""
    return dtype == torch.bfloat16 and device.type == "cpu" and torch._C._has_mkldnn


def make_linear(
    matrix: Matrix, bias: Tensor | None, dtype: torch.dtype, device: torch.device
) -> Linear:
    """The fastest form for a number type on a device."""
    bias = None if bias is None else bias.to(device, dtype)
    if _packs(dtype, device):
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

"""Forward and hand-written backward of one layer's parts, for frozen weights with adapters.

Row-wise work is kept in plain functions that `fuse` compiles once; matrix products go straight to
the library. Nothing here knows about texts, holes or optimisers.
"""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.autograd import Function


class Fused:
    """The row-wise functions, compiled where that pays; one instance per process."""

    def __init__(self, compiled: bool) -> None:
        wrap: Callable[[Any], Any] = (
            (lambda f: torch.compile(f, dynamic=True)) if compiled else (lambda f: f)
        )
        self.norm, self.norm_back = wrap(norm), wrap(norm_back)
        self.add_norm, self.add_norm_back = wrap(add_norm), wrap(add_norm_back)
        self.turn, self.turn_back = wrap(turn), wrap(turn_back)
        self.gate, self.gate_back = wrap(gate), wrap(gate_back)


def norm(x: Tensor, weight: Tensor, eps: float, like: Tensor) -> tuple[Tensor, Tensor]:
    """RMS norm of fp32 rows in the type of `like`, and the rows' reciprocal sizes."""
    rate = torch.rsqrt(x.square().mean(-1, keepdim=True) + eps)
    return (x * rate * weight).to(like.dtype), rate


def norm_back(given: Tensor, x: Tensor, weight: Tensor, rate: Tensor) -> Tensor:
    """Gradient of `norm` for x."""
    unit, inner = x * rate, given.float() * weight
    return rate * (inner - unit * (inner * unit).mean(-1, keepdim=True))


def add_norm(x: Tensor, y: Tensor, weight: Tensor, eps: float) -> tuple[Tensor, Tensor, Tensor]:
    """x + y in fp32, its RMS norm in y's type, and the reciprocal sizes."""
    total = x + y.float()
    rate = torch.rsqrt(total.square().mean(-1, keepdim=True) + eps)
    return total, (total * rate * weight).to(y.dtype), rate


def add_norm_back(
    stream: Tensor, given: Tensor, total: Tensor, weight: Tensor, rate: Tensor
) -> tuple[Tensor, Tensor]:
    """Gradient of `add_norm` for x (fp32) and for y (its type)."""
    unit, inner = total * rate, given.float() * weight
    back = stream + rate * (inner - unit * (inner * unit).mean(-1, keepdim=True))
    return back, back.to(given.dtype)


def turn(qkv: Tensor, cosines: Tensor, sines: Tensor, kv: int) -> tuple[Tensor, Tensor, Tensor]:
    """Rotary turn of [N, (fold + 2) kv size] rows.

    Returns queries [kv, N, fold, size], divided by sqrt(size), keys and values [kv, N, size].
    """
    rows, size = len(qkv), cosines.shape[-1]
    parts = qkv.view(rows, -1, size)
    heads = parts.shape[1] - 2 * kv
    turned = parts[:, : heads + kv].float()
    first, second = turned.chunk(2, -1)
    swapped = torch.cat([-second, first], -1)
    turned = turned * cosines[:, None] + swapped * sines[:, None]
    queries = (turned[:, :heads] * size**-0.5).to(qkv.dtype)
    queries = queries.reshape(rows, kv, heads // kv, size).transpose(0, 1).contiguous()
    keys = turned[:, heads:].to(qkv.dtype).transpose(0, 1).contiguous()
    return queries, keys, parts[:, heads + kv :].transpose(0, 1).contiguous()


def turn_back(q: Tensor, k: Tensor, v: Tensor, cosines: Tensor, sines: Tensor) -> Tensor:
    """Gradient of `turn` for the joined rows."""
    kv, rows, fold, size = q.shape
    queries = q.transpose(0, 1).reshape(rows, kv * fold, size).float() * size**-0.5
    turned = torch.cat([queries, k.transpose(0, 1).float()], 1)
    first, second = turned.chunk(2, -1)
    swapped = torch.cat([second, -first], -1)
    turned = (turned * cosines[:, None] + swapped * sines[:, None]).to(q.dtype)
    return torch.cat([turned, v.transpose(0, 1)], 1).reshape(rows, -1)


def gate(joined: Tensor) -> Tensor:
    """silu(gate) * up of joined [N, 2 inner]."""
    a, b = joined.chunk(2, -1)
    return (torch.nn.functional.silu(a.float()) * b.float()).to(joined.dtype)


def gate_back(given: Tensor, joined: Tensor) -> Tensor:
    """Gradient of `gate` for the joined rows."""
    a, b = joined.float().chunk(2, -1)
    g, s = given.float(), torch.sigmoid(a)
    return torch.cat([g * b * s * (1 + a * (1 - s)), g * a * s], -1).to(joined.dtype)


def applied(function: type[Function], *arguments: Any) -> Any:
    """`function.apply`, which torch leaves untyped."""
    return function.apply(*arguments)  # type: ignore[no-untyped-call]


class Norm(Function):
    """First norm of a pass: the stream goes on unchanged."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, weight: Tensor, eps: float, like: Tensor, f: Fused) -> Tensor:
        h: Tensor
        h, rate = f.norm(x, weight, eps, like)
        ctx.save_for_backward(x, weight, rate)
        ctx.fused = f
        return h

    @staticmethod
    def backward(ctx: Any, given: Tensor) -> Any:
        return ctx.fused.norm_back(given, *ctx.saved_tensors), None, None, None, None


class AddNorm(Function):
    """Residual sum and the norm of it in one go."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, y: Tensor, weight: Tensor, eps: float, f: Fused) -> Any:
        total, h, rate = f.add_norm(x, y, weight, eps)
        ctx.save_for_backward(total, weight, rate)
        ctx.fused = f
        return total, h

    @staticmethod
    def backward(ctx: Any, stream: Tensor, given: Tensor) -> Any:
        return *ctx.fused.add_norm_back(stream, given, *ctx.saved_tensors), None, None, None


class Turn(Function):
    """Rotary positions and the split into heads."""

    @staticmethod
    def forward(ctx: Any, qkv: Tensor, cosines: Tensor, sines: Tensor, kv: int, f: Fused) -> Any:
        ctx.save_for_backward(cosines, sines)
        ctx.fused = f
        return f.turn(qkv, cosines, sines, kv)

    @staticmethod
    def backward(ctx: Any, q: Tensor, k: Tensor, v: Tensor) -> Any:
        return ctx.fused.turn_back(q, k, v, *ctx.saved_tensors), None, None, None, None


class Gate(Function):
    """The gated activation."""

    @staticmethod
    def forward(ctx: Any, joined: Tensor, f: Fused) -> Tensor:
        ctx.save_for_backward(joined)
        ctx.fused = f
        out: Tensor = f.gate(joined)
        return out

    @staticmethod
    def backward(ctx: Any, given: Tensor) -> Any:
        return ctx.fused.gate_back(given, ctx.saved_tensors[0]), None


class AdaptedLinear(Function):
    """x (W + b a)^T with W + b a given as one matrix; gradients for x, a and b only.

    `a` [parts * rank, in] and `b` [out, rank] belong to projections stacked in one matrix, whose
    row counts are `split`; `low` holds their copies in x's type.
    """

    @staticmethod
    def forward(
        ctx: Any,
        x: Tensor,
        a: Tensor,
        b: Tensor,
        merged: Tensor,
        low: tuple[Tensor, Tensor, list[int]],
    ) -> Tensor:
        ctx.save_for_backward(x)
        ctx.merged, ctx.low = merged, low
        return x @ merged.T

    @staticmethod
    def backward(ctx: Any, given: Tensor) -> Any:
        (x,), (a, b, split) = ctx.saved_tensors, ctx.low
        inner = (x @ a.T).chunk(len(split), -1)
        pieces = torch.split(given, split, -1)
        for_b = [g.T @ i for g, i in zip(pieces, inner, strict=True)]
        rows = torch.split(b, split)
        for_inner = torch.cat([g @ r for g, r in zip(pieces, rows, strict=True)], -1)
        return given @ ctx.merged, (for_inner.T @ x).float(), torch.cat(for_b).float(), None, None


class DenseLinear(Function):
    """x W^T with gradients for x and the whole of W; `low` is W in x's type."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, weight: Tensor, low: Tensor) -> Tensor:
        ctx.save_for_backward(x)
        ctx.low = low
        return x @ low.T

    @staticmethod
    def backward(ctx: Any, given: Tensor) -> Any:
        (x,) = ctx.saved_tensors
        return given @ ctx.low, (given.T @ x).float(), None

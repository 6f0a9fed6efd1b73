"""Attention of canvas slots: every slot sees its group's context segments and its own rows.

Context keys come from the frozen base and get no gradient, so the backward pass is written out.
"""

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.autograd import Function


@dataclass(frozen=True, slots=True)
class Chunk:
    """Consecutive rows of `groups` groups of `slots` slots of `rows` rows each.

    Attributes:
        start, stop: the rows in the packed canvas pass.
        context: rows [groups * seen] of the context pass that each group sees, padded with 0.
        mask: [groups, 1 or slots * rows, seen + rows] added to the scores: context rows, then
            own rows; one line for all rows, or one for each.
    """

    start: int
    stop: int
    groups: int
    slots: int
    rows: int
    context: Tensor
    mask: Tensor

    def to(self, device: torch.device, dtype: torch.dtype) -> "Chunk":
        """The chunk on `device` with its mask in the model's type."""
        context, mask = self.context.to(device), self.mask.to(device, dtype)
        return Chunk(self.start, self.stop, self.groups, self.slots, self.rows, context, mask)


class SlotAttention(Function):
    """Scaled queries [kv, N, fold, size], own keys, values [kv, N, size] -> [N, heads * size]."""

    @staticmethod
    def forward(
        ctx: Any,
        q: Tensor,
        k: Tensor,
        v: Tensor,
        context: tuple[Tensor, Tensor],
        chunks: list[Chunk],
    ) -> Tensor:
        kv, rows, fold, size = q.shape
        out = torch.empty((rows, kv, fold, size), dtype=q.dtype, device=q.device)
        saved = []
        for chunk in chunks:
            parts = _gather(q, k, v, context, chunk)
            seen, own = _probabilities(parts, chunk, fold)
            o = torch.bmm(seen, parts[3]).view(kv * chunk.groups * chunk.slots, -1, size)
            o = torch.baddbmm(o, own, parts[4])
            out[chunk.start : chunk.stop] = o.view(kv, -1, fold, size).transpose(0, 1)
            saved += [*parts, seen, own]
        ctx.save_for_backward(*saved)
        ctx.chunks, ctx.shape = chunks, (kv, rows, fold, size)
        return out.view(rows, kv * fold * size)

    @staticmethod
    def backward(ctx: Any, given: Tensor) -> Any:
        kv, rows, fold, size = ctx.shape
        given = given.view(rows, kv, fold, size)
        for_q = torch.empty((kv, rows, fold, size), dtype=given.dtype, device=given.device)
        for_k = torch.empty((kv, rows, size), dtype=given.dtype, device=given.device)
        for_v = torch.empty_like(for_k)
        for index, chunk in enumerate(ctx.chunks):
            a, b = chunk.start, chunk.stop
            g = given[a:b].transpose(0, 1).reshape(kv * chunk.groups, -1, size).contiguous()
            dq, dk, dv = _chunk_back(g, ctx.saved_tensors[index * 7 : index * 7 + 7], chunk)
            for_q[:, a:b] = dq.view(kv, b - a, fold, size)
            for_k[:, a:b] = dk.view(kv, b - a, size)
            for_v[:, a:b] = dv.view(kv, b - a, size)
        return for_q, for_k, for_v, None, None


def _gather(
    q: Tensor, k: Tensor, v: Tensor, context: tuple[Tensor, Tensor], chunk: Chunk
) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor]:
    """Queries by group, context keys, own keys, context values, own values; [kv ..., ...]."""
    kv, _, fold, size = q.shape
    groups, slots = kv * chunk.groups, kv * chunk.groups * chunk.slots
    a, b = chunk.start, chunk.stop
    return (
        q[:, a:b].reshape(groups, chunk.slots * chunk.rows * fold, size).contiguous(),
        context[0].index_select(1, chunk.context).view(groups, -1, size),
        k[:, a:b].reshape(slots, chunk.rows, size).contiguous(),
        context[1].index_select(1, chunk.context).view(groups, -1, size),
        v[:, a:b].reshape(slots, chunk.rows, size).contiguous(),
    )


def _probabilities(parts: tuple[Tensor, ...], chunk: Chunk, fold: int) -> tuple[Tensor, Tensor]:
    """Weights over the context [groups, ..., seen] and over own rows [slots, ..., rows]."""
    q, seen_keys, own_keys = parts[:3]
    slots, seen = own_keys.shape[0], seen_keys.shape[1]
    over_context = torch.bmm(q, seen_keys.transpose(1, 2)).view(slots, chunk.rows * fold, seen)
    over_own = torch.bmm(q.view(slots, chunk.rows * fold, -1), own_keys.transpose(1, 2))
    scores = torch.cat([over_context, over_own], -1)
    by_group = scores.view(-1, chunk.groups, chunk.slots * chunk.rows * fold, seen + chunk.rows)
    mask = chunk.mask if chunk.mask.shape[1] == 1 else chunk.mask.repeat_interleave(fold, 1)
    weights = by_group.add_(mask).softmax(-1).view_as(scores)
    context_weights = weights[..., :seen].reshape(len(q), -1, seen)
    return context_weights, weights[..., seen:].contiguous()


def _chunk_back(
    given: Tensor, saved: tuple[Tensor, ...], chunk: Chunk
) -> tuple[Tensor, Tensor, Tensor]:
    """Gradients for the chunk's queries, own keys and own values."""
    q, seen_keys, own_keys, seen_values, own_values, seen, own = saved
    by_slot = given.view(len(own), -1, given.shape[-1])
    d_seen = torch.bmm(given, seen_values.transpose(1, 2))
    d_own = torch.bmm(by_slot, own_values.transpose(1, 2))
    weights = torch.cat([seen.view(len(own), -1, seen.shape[-1]), own], -1)
    d_weights = torch.cat([d_seen.view(len(own), -1, seen.shape[-1]), d_own], -1)
    d = torch._softmax_backward_data(d_weights, weights, -1, weights.dtype)
    width = seen.shape[-1]
    d_seen, d_own = d[..., :width].reshape_as(seen), d[..., width:].contiguous()
    dq = torch.bmm(d_seen, seen_keys).view(len(own), -1, given.shape[-1])
    dq = torch.baddbmm(dq, d_own, own_keys)
    dk = torch.bmm(d_own.transpose(1, 2), q.view_as(dq))
    return dq, dk, torch.bmm(own.transpose(1, 2), by_slot)

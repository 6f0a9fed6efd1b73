"""Cross entropy over the tied head, with its gradient made on the way (no logits are kept)."""

from typing import Any

import torch
from torch import Tensor
from torch.autograd import Function

ROWS = 128


class HeadLoss(Function):
    """Weighted sum of cross entropies, and every row's own.

    hidden [M, D]; special [K, D] replace the rows `ids` of embedding [V, D]; targets and weights
    [M]. `expected`: ids and chances [M, C] of tokens that share a row's target with the true one,
    which has the rest of 1. Returns (sum of weight * CE, CE of the true token alone [M]), in fp32.
    """

    @staticmethod
    def forward(
        ctx: Any,
        hidden: Tensor,
        special: Tensor,
        head: tuple[Tensor, Tensor],
        targets: Tensor,
        weights: Tensor,
        expected: tuple[Tensor, Tensor] | None = None,
    ) -> tuple[Tensor, Tensor]:
        embedding, ids = head
        for_hidden, for_special = torch.empty_like(hidden), torch.zeros_like(special)
        each = torch.empty(len(hidden), dtype=torch.float32, device=hidden.device)
        total = each.new_zeros(())
        low = special.to(hidden.dtype)
        for start in range(0, len(hidden), ROWS):
            part = slice(start, start + ROWS)
            h = hidden[part]
            logits = (h @ embedding.T).float()
            logits[:, ids] = (h @ low.T).float()
            wanted = _targets(targets[part], expected and (expected[0][part], expected[1][part]))
            entropies, back = _entropy(logits, *wanted, weights[part])
            each[part] = entropies[:, 0]
            total += ((entropies * wanted[1]).sum(1) * weights[part]).sum()
            if not ctx.needs_input_grad[0]:
                continue
            at_special = back[:, ids].to(h.dtype)
            for_special += (at_special.T @ h).float()
            back[:, ids] = 0
            for_hidden[part] = torch.addmm(at_special @ low, back.to(h.dtype), embedding)
        ctx.save_for_backward(for_hidden, for_special)
        ctx.mark_non_differentiable(each)
        return total, each

    @staticmethod
    def backward(ctx: Any, given: Tensor, _each: Tensor) -> Any:
        for_hidden, for_special = ctx.saved_tensors
        return for_hidden * given.to(for_hidden.dtype), for_special * given, None, None, None, None


def _targets(targets: Tensor, expected: tuple[Tensor, Tensor] | None) -> tuple[Tensor, Tensor]:
    """Ids and chances [m, 1 + C]: the true token, then those expected beside it."""
    if expected is None:
        return targets[:, None], torch.ones_like(targets, dtype=torch.float32)[:, None]
    ids, chances = expected
    true = 1 - chances.sum(1, keepdim=True)
    return torch.cat([targets[:, None], ids], 1), torch.cat([true, chances], 1)


def _entropy(
    logits: Tensor, ids: Tensor, chances: Tensor, weights: Tensor
) -> tuple[Tensor, Tensor]:
    """-log p of each id [m, C], and the weighted gradient [m, V] of their mean for the logits."""
    logs = torch.log_softmax(logits, -1)
    each = -logs.gather(1, ids)
    back = logs.exp_().mul_(weights[:, None])
    back.scatter_add_(1, ids, -weights[:, None] * chances)
    return each, back

"""Cross entropy over the tied head, with its gradient made on the way (no logits are kept)."""

from typing import Any

import torch
from torch import Tensor
from torch.autograd import Function

ROWS = 128


class HeadLoss(Function):
    """Weighted sum of cross entropies, and every row's own.

    hidden [M, D]; special [K, D] replace the rows `ids` of embedding [V, D]; targets and weights
    [M]. Returns (sum of weight * CE, CE [M]), both fp32.
    """

    @staticmethod
    def forward(
        ctx: Any,
        hidden: Tensor,
        special: Tensor,
        head: tuple[Tensor, Tensor],
        targets: Tensor,
        weights: Tensor,
    ) -> tuple[Tensor, Tensor]:
        embedding, ids = head
        for_hidden, for_special = torch.empty_like(hidden), torch.zeros_like(special)
        each = torch.empty(len(hidden), dtype=torch.float32, device=hidden.device)
        low = special.to(hidden.dtype)
        for start in range(0, len(hidden), ROWS):
            part = slice(start, start + ROWS)
            h = hidden[part]
            logits = (h @ embedding.T).float()
            logits[:, ids] = (h @ low.T).float()
            each[part], back = _entropy(logits, targets[part], weights[part])
            if not ctx.needs_input_grad[0]:
                continue
            at_special = back[:, ids].to(h.dtype)
            for_special += (at_special.T @ h).float()
            back[:, ids] = 0
            for_hidden[part] = torch.addmm(at_special @ low, back.to(h.dtype), embedding)
        ctx.save_for_backward(for_hidden, for_special)
        ctx.mark_non_differentiable(each)
        return (each * weights).sum(), each

    @staticmethod
    def backward(ctx: Any, given: Tensor, _each: Tensor) -> Any:
        for_hidden, for_special = ctx.saved_tensors
        return for_hidden * given.to(for_hidden.dtype), for_special * given, None, None, None


def _entropy(logits: Tensor, targets: Tensor, weights: Tensor) -> tuple[Tensor, Tensor]:
    """Cross entropy [m] and its weighted gradient [m, V] for the logits."""
    logs = torch.log_softmax(logits, -1)
    each = -logs.gather(1, targets[:, None])[:, 0]
    back = logs.exp_().mul_(weights[:, None])
    back.scatter_add_(1, targets[:, None], -weights[:, None])
    return each, back

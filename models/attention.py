"""Attention of a few rows over blocks of cached keys, without ever joining the blocks."""

from typing import NamedTuple

import torch
from torch import Tensor


class Block(NamedTuple):
    """Keys and values [kv_heads, T, head_dim]; `mask` [R, T] is added to the scores."""

    keys: Tensor
    values: Tensor
    mask: Tensor | None = None


def attend(queries: Tensor, blocks: list[Block]) -> Tensor:
    """Softmax attention over all blocks together.

    `queries` [heads, R, head_dim]; returns [R, heads * head_dim]. The query heads that share a
    key/value head are folded into rows, so that no key is copied; the blocks' results are joined
    through their log-sum-exp.
    """
    heads, rows, size = queries.shape
    kv_heads = blocks[0].keys.shape[0]
    folded = queries.reshape(1, kv_heads, heads // kv_heads * rows, size)
    block_attention = _flash_block if queries.device.type == "cpu" else _dense_block
    parts = [block_attention(folded, block, heads // kv_heads) for block in blocks]
    joined = parts[0][0] if len(parts) == 1 else _join(parts)
    return joined.reshape(heads, rows, size).transpose(0, 1).reshape(rows, heads * size)


def _join(parts: list[tuple[Tensor, Tensor]]) -> Tensor:
    """Weighted sum of the parts' outputs [1, h, r, d] by their log-sum-exps [1, h, r]."""
    weights = torch.stack([lse for _, lse in parts]).softmax(0).unsqueeze(-1)
    total = weights[0] * parts[0][0]
    for weight, (output, _) in zip(weights[1:], parts[1:], strict=True):
        total = torch.addcmul(total, weight, output)
    return total.to(parts[0][0].dtype)


def _flash_block(queries: Tensor, block: Block, fold: int) -> tuple[Tensor, Tensor]:
    mask = None if block.mask is None else block.mask.repeat(fold, 1)[None, None]
    output, lse = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu(
        queries, block.keys[None], block.values[None], attn_mask=mask
    )
    return output, lse


def _dense_block(queries: Tensor, block: Block, fold: int) -> tuple[Tensor, Tensor]:
    scores = (queries @ block.keys[None].transpose(-1, -2)).float() * queries.shape[-1] ** -0.5
    if block.mask is not None:
        scores = scores + block.mask.repeat(fold, 1)[None, None]
    lse = scores.logsumexp(-1)
    return (scores - lse.unsqueeze(-1)).exp().to(queries.dtype) @ block.values[None], lse

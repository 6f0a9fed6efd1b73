"""Attention over blocks equals attention over their keys joined, whichever kernel runs."""

import pytest
import torch
from torch import Tensor

import models.attention
from models.attention import Block, attend

HEADS, KV, SIZE = 6, 2, 8


def joined(queries: Tensor, blocks: list[Block]) -> Tensor:
    """Plain softmax attention in fp64 over all keys."""
    rows = queries.shape[1]
    keys = torch.cat([block.keys for block in blocks], 1).double().repeat_interleave(HEADS // KV, 0)
    values = torch.cat([b.values for b in blocks], 1).double().repeat_interleave(HEADS // KV, 0)
    masks = [
        torch.zeros(rows, b.keys.shape[1]) if b.mask is None else b.mask.clone() for b in blocks
    ]
    scores = queries.double() @ keys.transpose(-1, -2) * SIZE**-0.5 + torch.cat(masks, 1)
    return (scores.softmax(-1) @ values).transpose(0, 1).reshape(rows, -1)


@pytest.mark.parametrize("kernel", ["_flash_block", "_dense_block"])
@pytest.mark.parametrize("lengths", [(7,), (5, 1), (64, 3, 9)])
def test_blocks_join_exactly(
    kernel: str, lengths: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(models.attention, "_flash_block", getattr(models.attention, kernel))
    torch.manual_seed(len(lengths))
    rows = 4
    queries = torch.randn(HEADS, rows, SIZE)
    blocks = [Block(torch.randn(KV, n, SIZE), torch.randn(KV, n, SIZE)) for n in lengths]
    hidden = torch.ones(rows, rows).tril().logical_not()
    own = Block(torch.randn(KV, rows, SIZE), torch.randn(KV, rows, SIZE))
    blocks.append(own._replace(mask=torch.zeros(rows, rows).masked_fill(hidden, -30000.0)))
    expected = joined(queries, blocks)
    torch.testing.assert_close(attend(queries, blocks).double(), expected, atol=1e-5, rtol=1e-5)


def test_a_row_that_sees_nothing_of_a_block_ignores_it() -> None:
    queries = torch.randn(HEADS, 2, SIZE)
    context = Block(torch.randn(KV, 5, SIZE), torch.randn(KV, 5, SIZE))
    blind = Block(torch.randn(KV, 3, SIZE), torch.randn(KV, 3, SIZE), torch.full((2, 3), -30000.0))
    torch.testing.assert_close(
        attend(queries, [context, blind]), attend(queries, [context]), atol=1e-6, rtol=1e-6
    )

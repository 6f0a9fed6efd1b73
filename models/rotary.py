"""Rotary positions (Su et al., RoFormer), in the rotate-half convention of Llama checkpoints."""

import torch
from torch import Tensor


def angles(positions: Tensor, head_dim: int, theta: float) -> tuple[Tensor, Tensor]:
    """Cosines and sines [1, N, head_dim] in fp32 for `positions` [N]."""
    steps = torch.arange(0, head_dim, 2, dtype=torch.float32, device=positions.device) / head_dim
    turns = positions[:, None].float() / theta**steps
    turns = torch.cat([turns, turns], -1)[None]
    return turns.cos(), turns.sin()


def rotate(x: Tensor, cosines: Tensor, sines: Tensor) -> Tensor:
    """`x` [heads, N, head_dim] turned by the angles of its rows, in x's type."""
    first, second = x.float().chunk(2, -1)
    turned = torch.cat([-second, first], -1)
    return torch.addcmul(x * cosines, turned, sines).to(x.dtype)

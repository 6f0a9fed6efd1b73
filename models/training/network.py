"""The frozen base with row-gated adapters: the clean context pass and the canvas pass.

Weights and names are the engine's (`models.weights`); only the attention over many holes that
share one context, and the backward pass, are the trainer's own.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from models.checkpoint import read_part
from models.config import ModelConfig
from models.errors import ModelError
from models.matrix import join
from models.rotary import angles
from models.training.kernels import (
    AdaptedLinear,
    AddNorm,
    DenseLinear,
    Fused,
    Gate,
    Norm,
    Turn,
    applied,
)
from models.training.pack import Pack
from models.training.slots import SlotAttention
from models.weights import JOINED, RawLayer


@dataclass(frozen=True, slots=True)
class FrozenLayer:
    """One layer as plain matrices [out, in], joined as the engine joins them; norms in fp32."""

    attention_norm: Tensor
    qkv: Tensor
    output: Tensor
    mlp_norm: Tensor
    gate_up: Tensor
    down: Tensor


@dataclass(frozen=True, slots=True)
class Base:
    """The frozen weights."""

    embedding: Tensor
    layers: tuple[FrozenLayer, ...]
    norm: Tensor


def read_base(folder: Path, config: ModelConfig, dtype: torch.dtype, device: torch.device) -> Base:
    """The base part of the checkpoint in `folder`; ModelError for what no `Network` computes."""
    if not config.plain:
        raise ModelError(
            f"{folder} has biases, query and key norms or a head of its own, which the trainer "
            "leaves out: it trains plain Llamas with a tied head."
        )
    tensors = read_part(folder, "base" if config.adapter_rank else "model")
    embedding = tensors.matrix("model.embed_tokens.weight", config.vocabulary, config.hidden)
    layers = tuple(
        _frozen(RawLayer(tensors, config, n), dtype, device) for n in range(config.layers)
    )
    norm = tensors.take("model.norm.weight", (config.hidden,)).float().to(device)
    tensors.finish()
    return Base(embedding.dense().to(device, dtype), layers, norm)


def _frozen(raw: RawLayer, dtype: torch.dtype, device: torch.device) -> FrozenLayer:
    """The layer's matrices, dense and joined."""
    joined = {
        name: join([raw.matrices[part] for part in parts]).dense().to(device, dtype)
        for name, parts in JOINED.items()
    }
    norms = raw.attention_norm.to(device), raw.mlp_norm.to(device)
    return FrozenLayer(attention_norm=norms[0], mlp_norm=norms[1], **joined)


class Adapter(nn.Module):
    """Low-rank b a for the projections stacked in one frozen matrix."""

    def __init__(self, frozen: Tensor, split: list[int], rank: int) -> None:
        super().__init__()
        rows, columns = frozen.shape
        self.a = nn.Parameter(torch.randn(len(split) * rank, columns) * columns**-0.5)
        self.b = nn.Parameter(torch.zeros(rows, rank))
        self.split, self._frozen = split, frozen
        self.merged, self.low = frozen, (frozen, frozen, split)

    @torch.no_grad()
    def refresh(self) -> None:
        """Bring the merged matrix and the low-precision copies up to the parameters."""
        a, b = self.a.to(self._frozen.dtype), self.b.to(self._frozen.dtype)
        rows = torch.split(self._frozen, self.split), torch.split(b, self.split)
        parts = zip(*rows, a.chunk(len(self.split)), strict=True)
        self.merged = torch.cat([torch.addmm(w, x, y) for w, x, y in parts])
        self.low = (a, b, self.split)

    def forward(self, x: Tensor) -> Tensor:
        out: Tensor = applied(AdaptedLinear, x, self.a, self.b, self.merged, self.low)
        return out


class Dense(nn.Module):
    """A whole matrix that starts as the frozen one: what adapters are compared with."""

    def __init__(self, frozen: Tensor) -> None:
        super().__init__()
        self.weight = nn.Parameter(frozen.float().clone())
        self.merged = frozen

    @torch.no_grad()
    def refresh(self) -> None:
        """Bring the low-precision copy up to the parameters."""
        self.merged = self.weight.to(self.merged.dtype)

    def forward(self, x: Tensor) -> Tensor:
        out: Tensor = applied(DenseLinear, x, self.weight, self.merged)
        return out


Projections = tuple[Mapping[str, Callable[[Tensor], Tensor]], ...]
"""The matrices of each layer as functions of their rows, by the joined matrix."""


class Network(nn.Module):
    """What is trained: adapters, special rows, the scale of the final norm.

    With rank 0 whole matrices are trained in the adapters' place.
    """

    def __init__(self, config: ModelConfig, base: Base, rank: int, fused: Fused) -> None:
        super().__init__()
        self.config, self.base, self.fused = config, base, fused
        heads, kv = config.heads * config.head_dim, config.kv_heads * config.head_dim
        splits = {
            "qkv": [heads, kv, kv],
            "output": [config.hidden],
            "gate_up": [config.intermediate] * 2,
            "down": [config.hidden],
        }
        self.joined = tuple(
            {name: _trained(getattr(layer, name), splits[name], rank) for name in JOINED}
            for layer in base.layers
        )
        """The adapters of each layer by the joined matrix they belong to."""
        self._frozen = tuple(
            {name: partial(F.linear, weight=getattr(layer, name)) for name in JOINED}
            for layer in base.layers
        )
        self.adapters = nn.ModuleList(nn.ModuleDict(layer) for layer in self.joined)
        ids = torch.tensor(config.special_rows, device=base.norm.device)
        self.special_ids = ids
        self.special_rows = nn.Parameter(base.embedding[ids].float().clone())
        self.norm_scale = nn.Parameter(torch.ones(config.hidden))
        self.to(base.norm.device)

    def refresh(self) -> None:
        """Call after every change of the parameters."""
        for layer in self.joined:
            for adapter in layer.values():
                adapter.refresh()

    @torch.no_grad()
    def context(self, pack: Pack) -> list[tuple[Tensor, Tensor]]:
        """Keys and values [kv, T, size] of every layer for the pack's segments, by the base."""
        c, f = self.config, self.fused
        cosines, sines = (t[0] for t in angles(pack.context_positions, c.head_dim, c.rope_theta))
        x = self.base.embedding[pack.context_ids].float()
        kept, y = [], torch.zeros((), dtype=self.base.embedding.dtype)
        like = self.base.embedding[:1]
        for index, layer in enumerate(self.base.layers):
            if index == 0:
                h, _ = f.norm(x, layer.attention_norm, c.norm_eps, like)
            else:
                x, h, _ = f.add_norm(x, y, layer.attention_norm, c.norm_eps)
            q, k, v = f.turn(h @ layer.qkv.T, cosines, sines, c.kv_heads)
            kept.append((k, v))
            if index + 1 < c.layers:
                y = _causal(q, k, v, pack.context_shapes) @ layer.output.T
                x, h, _ = f.add_norm(x, y, layer.mlp_norm, c.norm_eps)
                y = f.gate(h @ layer.gate_up.T) @ layer.down.T
        return kept

    def canvas(
        self,
        pack: Pack,
        kept: list[tuple[Tensor, Tensor]],
        trained: bool = True,
        taps: list[Tensor] | None = None,
    ) -> Tensor:
        """Final hidden states [M, hidden] of the pack's loss rows, in the model's type.

        By the base alone if not `trained`. `taps` receives the fp32 stream of these rows behind
        each layer.
        """
        c, f, rows = self.config, self.fused, pack.loss_rows
        projections: Projections = self.joined if trained else self._frozen
        cosines, sines = (t[0] for t in angles(pack.positions, c.head_dim, c.rope_theta))
        x, like = self._embed(pack.ids, trained), self.base.embedding[:1]
        y = like
        for index, (layer, project) in enumerate(zip(self.base.layers, projections, strict=True)):
            if index == 0:
                h = applied(Norm, x, layer.attention_norm, c.norm_eps, like, f)
            else:
                x, h = applied(AddNorm, x, y, layer.attention_norm, c.norm_eps, f)
            q, k, v = applied(Turn, project["qkv"](h), cosines, sines, c.kv_heads, f)
            y = project["output"](applied(SlotAttention, q, k, v, kept[index], pack.chunks))
            x, h = applied(AddNorm, x, y, layer.mlp_norm, c.norm_eps, f)
            y = project["down"](applied(Gate, project["gate_up"](h), f))
            if taps is not None:
                taps.append(x[rows] + y[rows].float())
        total = x[rows] + y[rows].float()
        scale = self.base.norm * self.norm_scale if trained else self.base.norm
        return F.rms_norm(total, (c.hidden,), eps=c.norm_eps).mul(scale).to(like.dtype)

    def _embed(self, ids: Tensor, trained: bool) -> Tensor:
        """fp32 rows [N, hidden]; trained rows at the special ids."""
        x = self.base.embedding[ids].float()
        if not trained:
            return x
        which = (ids[:, None] == self.special_ids).int()
        rows = which.any(1).nonzero()[:, 0]
        return x.index_put((rows,), self.special_rows[which[rows].argmax(1)])


def _trained(frozen: Tensor, split: list[int], rank: int) -> Adapter | Dense:
    return Adapter(frozen, split, rank) if rank else Dense(frozen)


def _causal(q: Tensor, k: Tensor, v: Tensor, shapes: list[tuple[int, int]]) -> Tensor:
    """Causal attention inside each of `shapes`' (count, length) segments; [T, heads * size]."""
    kv, _, fold, size = q.shape
    outs, at = [], 0
    for count, length in shapes:
        stop = at + count * length
        queries = q[:, at:stop].view(kv, count, length, fold, size).permute(1, 0, 3, 2, 4)
        keys, values = (
            t[:, at:stop].view(kv, count, length, size).transpose(0, 1).repeat_interleave(fold, 1)
            for t in (k, v)
        )
        o = F.scaled_dot_product_attention(
            queries.reshape(count, kv * fold, length, size), keys, values, is_causal=True, scale=1.0
        )
        outs.append(o.transpose(1, 2).reshape(count * length, -1))
        at = stop
    return torch.cat(outs)

"""One transformer for every family: packed rows in, hidden states and logits out.

Rows of several jobs go through together without padding. Rows before `split` run the base
weights (context and causal rows), the others the canvas weights.
"""

from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor

from models.attention import Block, attend
from models.config import ModelConfig
from models.keyvalues import KeyValues
from models.rotary import angles, rotate
from models.weights import Ends, Layer, Reading


@dataclass(frozen=True, slots=True)
class RowGroup:
    """Consecutive rows that see the same cached context and each other.

    Attributes:
        start, stop: the rows, in the packed pass.
        context: (key/values, first n rows of it) that every row of the group sees.
        store: where the group's own keys are written, from row `at` on.
        skip: leading rows whose own keys are not added (the anchor row: its key is in the prefix).
        causal: whether a row sees only the group's earlier rows (and itself), or all of them.
    """

    start: int
    stop: int
    context: tuple[tuple[KeyValues, int], ...]
    store: KeyValues
    at: int = 0
    skip: int = 0
    causal: bool = True


@dataclass(frozen=True, slots=True)
class Pass:
    """The input of one forward pass over N packed rows."""

    ids: Tensor  # [N] int64
    positions: Tensor  # [N] int64
    split: int
    groups: tuple[RowGroup, ...]


class Transformer:
    """RMSNorm, rotary positions, grouped-query attention, gated MLP; holds weights, no state."""

    def __init__(self, config: ModelConfig, ends: Ends, base: Reading, canvas: Reading) -> None:
        self.config = config
        self.ends = ends
        self.base = base
        self.canvas = canvas
        self.dtype = ends.dtype
        self.device = base.norm.device

    def new_key_values(self) -> KeyValues:
        """Empty key/values of this model's shape and type."""
        return KeyValues(self.config, self.dtype, self.device)

    @torch.inference_mode()
    def forward(self, step: Pass) -> Tensor:
        """Final normed hidden states [N, hidden] in fp32; writes each group's keys to its store."""
        for group in step.groups:
            group.store.reserve(group.at + group.stop - group.start - group.skip)
        turns = angles(step.positions, self.config.head_dim, self.config.rope_theta)
        masks = [self._mask(group) for group in step.groups]
        x = self._embed(step)
        split = step.split
        for index in range(self.config.layers):
            layers = self.base.layers[index], self.canvas.layers[index]
            x = x + self._attention(index, layers, x, step, (turns, masks))
            x = x + self._mlp(layers, x, split)
        eps, width = self.config.norm_eps, (self.config.hidden,)
        return torch.cat(
            [
                F.rms_norm(x[:split], width, self.base.norm, eps),
                F.rms_norm(x[split:], width, self.canvas.norm, eps),
            ]
        )

    @torch.inference_mode()
    def logits(self, hidden: Tensor, canvas: bool) -> Tensor:
        """Logits [M, vocabulary] in fp32 of hidden states [M, hidden] of one reading."""
        reading = self.canvas if canvas else self.base
        logits = self.ends.head(hidden)
        if len(reading.special_ids):
            logits[:, reading.special_ids] = hidden @ reading.special_rows.T
        return logits

    def _embed(self, step: Pass) -> Tensor:
        x = self.ends.embedding.take(step.ids)
        tail = step.ids[step.split :]
        for token, row in zip(self.canvas.special_ids, self.canvas.special_rows, strict=True):
            x[step.split :][tail == token] = row
        return x

    def _mask(self, group: RowGroup) -> Tensor | None:
        """Additive mask [R, R - skip] of the group's own keys; None where every row sees all.

        A row that sees none of them (a causal anchor) gets a score so low that its part of the
        attention vanishes in the join; -inf would make it NaN.
        """
        rows = group.stop - group.start
        if not group.causal or rows == 1:
            return None
        seen = torch.ones(rows, rows - group.skip, dtype=torch.bool, device=self.device)
        hidden = seen.tril(-group.skip).logical_not()
        return torch.zeros_like(hidden, dtype=self.dtype).masked_fill(hidden, -30000.0)

    def _attention(
        self,
        index: int,
        layers: tuple[Layer, Layer],
        x: Tensor,
        step: Pass,
        shared: tuple[tuple[Tensor, Tensor], list[Tensor | None]],
    ) -> Tensor:
        c, (turns, masks) = self.config, shared
        qkv = self._project(
            "qkv", layers, self._norm("attention_norm", layers, x, step.split), step.split
        )
        heads = qkv.view(len(x), -1, c.head_dim).transpose(0, 1)
        q, k, v = heads[: c.heads], heads[c.heads : -c.kv_heads], heads[-c.kv_heads :]
        if (norms := layers[0]).query_norm is not None and norms.key_norm is not None:
            q = F.rms_norm(q.float(), (c.head_dim,), norms.query_norm, c.norm_eps).to(q.dtype)
            k = F.rms_norm(k.float(), (c.head_dim,), norms.key_norm, c.norm_eps).to(k.dtype)
        q, k = rotate(q, *turns), rotate(k, *turns)
        for group in step.groups:  # all writes first: a group may see keys another one adds now
            own = slice(group.start + group.skip, group.stop)
            group.store.write(index, group.at, k[:, own], v[:, own])
        outputs = [
            attend(q[:, group.start : group.stop], self._blocks(index, group, mask))
            for group, mask in zip(step.groups, masks, strict=True)
        ]
        return self._project("output", layers, torch.cat(outputs), step.split).float()

    def _blocks(self, index: int, group: RowGroup, mask: Tensor | None) -> list[Block]:
        """What the group sees in one layer: its context, then its own keys."""
        blocks = [Block(*kv.view(index, 0, n)) for kv, n in group.context if n]
        own = group.stop - group.start - group.skip
        if own:
            blocks.append(Block(*group.store.view(index, group.at, group.at + own), mask))
        return blocks

    def _mlp(self, layers: tuple[Layer, Layer], x: Tensor, split: int) -> Tensor:
        gate, up = self._project(
            "gate_up", layers, self._norm("mlp_norm", layers, x, split), split
        ).chunk(2, -1)
        return self._project("down", layers, F.silu(gate) * up, split).float()

    def _norm(self, name: str, layers: tuple[Layer, Layer], x: Tensor, split: int) -> Tensor:
        """RMS norm of the fp32 stream; both readings share these norms."""
        weight: Tensor = getattr(layers[0], name)
        return F.rms_norm(x, (self.config.hidden,), weight, self.config.norm_eps).to(self.dtype)

    def _project(self, name: str, layers: tuple[Layer, Layer], x: Tensor, split: int) -> Tensor:
        """x [N, in] times the named matrix of each row's own reading."""
        parts: list[Tensor] = []
        if split > 0:
            parts.append(getattr(layers[0], name)(x[:split]))
        if split < len(x):
            parts.append(getattr(layers[1], name)(x[split:]))
        return parts[0] if len(parts) == 1 else torch.cat(parts)

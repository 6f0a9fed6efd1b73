"""One transformer for every family: packed rows in, hidden states and logits out.

Rows of several jobs go through together without padding: first those that run the base weights
(contexts, questions), then the causal rows of holes, then canvas rows.
"""

from dataclasses import dataclass
from enum import Enum

import torch
import torch.nn.functional as F
from torch import Tensor

from models.attention import Block, attend
from models.config import ModelConfig
from models.keyvalues import KeyValues
from models.rotary import angles, rotate
from models.weights import Ends, Reading


class RowKind(Enum):
    """Whose weights a row runs, in the order in which rows are packed."""

    BASE = "base"
    CAUSAL = "causal"
    CANVAS = "canvas"


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
    """The input of one forward pass over N packed rows.

    Rows before `split` run the base weights, but for those from `causal` on, which run the causal
    reading's; rows from `split` on are canvas rows.
    """

    ids: Tensor  # [N] int64
    positions: Tensor  # [N] int64
    split: int
    groups: tuple[RowGroup, ...]
    causal: int | None = None


@dataclass(frozen=True, slots=True)
class Stretch:
    """Rows [start, stop) of a pass and the reading whose weights they run."""

    rows: slice
    reading: Reading


Stretches = tuple[Stretch, ...]


class Transformer:
    """RMSNorm, rotary positions, grouped-query attention, gated MLP; holds weights, no state."""

    def __init__(
        self,
        config: ModelConfig,
        ends: Ends,
        base: Reading,
        canvas: Reading,
        causal: Reading | None = None,
    ) -> None:
        self.config = config
        self.ends = ends
        self.base = base
        self.canvas = canvas
        self.causal = causal or base
        self._readings = {
            RowKind.BASE: self.base,
            RowKind.CAUSAL: self.causal,
            RowKind.CANVAS: self.canvas,
        }
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
        stretches = self._stretches(step)
        x = self._embed(step.ids, stretches)
        for index in range(self.config.layers):
            x = x + self._attention(index, x, step, stretches, (turns, masks))
            x = x + self._mlp(index, x, stretches)
        eps, width = self.config.norm_eps, (self.config.hidden,)
        normed = [F.rms_norm(x[s.rows], width, s.reading.norm, eps) for s in stretches]
        return normed[0] if len(normed) == 1 else torch.cat(normed)

    @torch.inference_mode()
    def logits(self, hidden: Tensor, kind: RowKind) -> Tensor:
        """Logits [M, vocabulary] in fp32 of hidden states [M, hidden] of one kind of rows."""
        reading = self._readings[kind]
        logits = self.ends.head(hidden)
        if len(reading.special_ids):
            logits[:, reading.special_ids] = hidden @ reading.special_rows.T
        return logits

    def _stretches(self, step: Pass) -> Stretches:
        """Which rows run which reading, in order; a reading that is the base's joins its rows."""
        count = len(step.ids)
        causal = step.split if step.causal is None or self.causal is self.base else step.causal
        cuts = ((0, causal, self.base), (causal, step.split, self.causal))
        every = (*cuts, (step.split, count, self.canvas))
        return tuple(Stretch(slice(a, b), reading) for a, b, reading in every if b > a)

    def _embed(self, ids: Tensor, stretches: Stretches) -> Tensor:
        x = self.ends.embedding.take(ids)
        for stretch in stretches:
            rows, reading = stretch.rows, stretch.reading
            for token, row in zip(reading.special_ids, reading.special_rows, strict=True):
                x[rows][ids[rows] == token] = row
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
        x: Tensor,
        step: Pass,
        stretches: Stretches,
        shared: tuple[tuple[Tensor, Tensor], list[Tensor | None]],
    ) -> Tensor:
        c, (turns, masks), layer = self.config, shared, self.base.layers[index]
        qkv = self._project("qkv", index, self._norm(layer.attention_norm, x), stretches)
        heads = qkv.view(len(x), -1, c.head_dim).transpose(0, 1)
        q, k, v = heads[: c.heads], heads[c.heads : -c.kv_heads], heads[-c.kv_heads :]
        if layer.query_norm is not None and layer.key_norm is not None:
            q = F.rms_norm(q.float(), (c.head_dim,), layer.query_norm, c.norm_eps).to(q.dtype)
            k = F.rms_norm(k.float(), (c.head_dim,), layer.key_norm, c.norm_eps).to(k.dtype)
        q, k = rotate(q, *turns), rotate(k, *turns)
        for group in step.groups:  # all writes first: a group may see keys another one adds now
            own = slice(group.start + group.skip, group.stop)
            group.store.write(index, group.at, k[:, own], v[:, own])
        outputs = [
            attend(q[:, group.start : group.stop], self._blocks(index, group, mask))
            for group, mask in zip(step.groups, masks, strict=True)
        ]
        return self._project("output", index, torch.cat(outputs), stretches).float()

    def _blocks(self, index: int, group: RowGroup, mask: Tensor | None) -> list[Block]:
        """What the group sees in one layer: its context, then its own keys."""
        blocks = [Block(*kv.view(index, 0, n)) for kv, n in group.context if n]
        own = group.stop - group.start - group.skip
        if own:
            blocks.append(Block(*group.store.view(index, group.at, group.at + own), mask))
        return blocks

    def _mlp(self, index: int, x: Tensor, stretches: Stretches) -> Tensor:
        normed = self._norm(self.base.layers[index].mlp_norm, x)
        gate, up = self._project("gate_up", index, normed, stretches).chunk(2, -1)
        return self._project("down", index, F.silu(gate) * up, stretches).float()

    def _norm(self, weight: Tensor, x: Tensor) -> Tensor:
        """RMS norm of the fp32 stream; all readings share the norms inside the layers."""
        return F.rms_norm(x, (self.config.hidden,), weight, self.config.norm_eps).to(self.dtype)

    def _project(self, name: str, index: int, x: Tensor, stretches: Stretches) -> Tensor:
        """x [N, in] times the named matrix of each row's own reading."""
        parts = [getattr(s.reading.layers[index], name)(x[s.rows]) for s in stretches]
        return parts[0] if len(parts) == 1 else torch.cat(parts)

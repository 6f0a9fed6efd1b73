"""Representation alignment: canvas rows are drawn to what the frozen base makes of the true text.

Of REPR-ALIGN (2605.06885): 1 - cosine, at every layer, between a masked token's row and the row of
a causal pass over the clean text that predicts the same token.
"""

from dataclasses import dataclass, replace

import torch
import torch.nn.functional as F
from torch import Tensor

from models.training.network import Network
from models.training.pack import REAL, Hole, Item, Pack, Slot, pack

LONGEST = 1024
KINDS = 3


@dataclass(frozen=True, slots=True)
class Clean:
    """The true texts of a pass's holes, read causally over the same context.

    `pairs` [P, 2]: loss rows of the pass, and the clean pass's rows that predict the same token.
    """

    packed: Pack
    pairs: Tensor

    def to(self, device: torch.device, dtype: torch.dtype) -> "Clean":
        """On `device`, masks in the model's type."""
        return Clean(self.packed.to(device, dtype), self.pairs.to(device))


def with_clean(items: list[Item]) -> tuple[Pack, Clean]:
    """A pass over the items, and its clean texts. Joint holes are left out of the latter."""
    noisy, clean, number = [], [], 0
    for item in items:
        tagged = [_tagged(hole, number + n) for n, hole in enumerate(item.holes)]
        whole = [_clean(hole, number + n) for n, hole in enumerate(item.holes)]
        number += len(item.holes)
        noisy.append(Item(item.segments, tagged))
        clean.append(Item(item.segments, whole))
    packed, other = pack(noisy), pack(clean)
    found = {int(tag): row for row, tag in enumerate(other.kinds)}
    tags, kinds = packed.kinds // KINDS, packed.kinds % KINDS
    pairs = [
        (row, found[int(tag)])
        for row, (tag, kind) in enumerate(zip(tags, kinds, strict=True))
        if kind == REAL and int(tag) in found
    ]
    return replace(packed, kinds=kinds), Clean(other, torch.tensor(pairs).view(-1, 2))


def distance(
    network: Network, clean: Clean, kept: list[tuple[Tensor, Tensor]], taps: list[Tensor]
) -> Tensor:
    """Sum over the pairs of 1 - cosine, the mean of all layers; `taps` are the noisy pass's."""
    wanted: list[Tensor] = []
    with torch.no_grad():
        network.canvas(clean.packed, kept, trained=False, taps=wanted)
    ours, theirs = clean.pairs.unbind(1)
    layers = zip(taps, wanted, strict=True)
    apart = [1 - F.cosine_similarity(x[ours], y[theirs], dim=-1) for x, y in layers]
    return torch.stack(apart).mean(0).sum()


def _tagged(hole: Hole, number: int) -> Hole:
    """The kind of each loss row also says which hole and slot it predicts."""

    def tag(kind: int, row: int) -> int:
        return (number * LONGEST + row) * KINDS + kind

    slots = [
        replace(slot, losses=[(row, t, w, tag(kind, row)) for row, t, w, kind in slot.losses])
        for slot in hole.slots
    ]
    return replace(hole, slots=slots)


def _clean(hole: Hole, number: int) -> Hole:
    """The true tokens as one causal slot, every row of which is wanted; of a joint hole only the
    anchor, so that the pass has the same context."""
    joint = len(hole.anchors) > 1
    ids = hole.slots[0].ids[:1] if joint else [hole.slots[0].ids[0], *truth(hole)]
    first = number * LONGEST
    losses = [(row, 0, 1.0, -1 if joint else first + row) for row in range(len(ids))]
    positions = hole.positions[: len(ids)]
    return Hole(hole.visible, positions, [0], [Slot(ids, losses)], causal=True)


def truth(hole: Hole) -> list[int]:
    """The tokens of a hole's canvas, end mark and padding included, from what its slots hide.

    The first slot hides at least the text (see `masks.draw_slots`).
    """
    first = hole.slots[0]
    ids = list(first.ids[1:])
    for row, target, _, _ in first.losses:
        ids[row] = target
    return ids

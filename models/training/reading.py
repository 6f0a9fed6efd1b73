"""Canvases of one item, read by a frozen network over a context that is computed once."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from models.training.network import Network
from models.training.pack import Hole, Item, Pack, Slot, pack

ROWS = 256


@dataclass(frozen=True, slots=True)
class View:
    """A hole of the item with other tokens on its canvas, and the rows that are wanted of it."""

    hole: int
    shown: Sequence[int]
    rows: Sequence[int]
    causal: bool = False


class Readings:
    """Hidden states of views; every call must show each of the item's holes at least once.

    The item's segments are only as long as its holes see, so that leaving one out would move the
    rows of the context.
    """

    def __init__(self, item: Item, network: Network) -> None:
        self._item, self._network = item, network
        self._where = network.special_rows.device, network.base.embedding.dtype
        anchors = [View(number, (), (0,)) for number in range(len(item.holes))]
        self._kept = network.context(self._pack(anchors))

    @torch.no_grad()
    def hidden(self, views: Sequence[View], trained: bool = True) -> list[Tensor]:
        """Final hidden states [rows, D] of each view, in the order asked."""
        packed = self._pack(views)
        hidden = self._network.canvas(packed, self._kept, trained)
        return [hidden[packed.kinds == number] for number in range(len(views))]

    def _pack(self, views: Sequence[View]) -> Pack:
        holes = [self._hole(number, view) for number, view in enumerate(views)]
        return pack([Item(self._item.segments, holes)]).to(*self._where)

    def _hole(self, number: int, view: View) -> Hole:
        """The view as a hole whose loss rows carry its number."""
        hole = self._item.holes[view.hole]
        start = hole.positions[0]
        ids = [hole.slots[0].ids[0], *view.shown]
        slot = Slot(ids, [(row, 0, 1.0, number) for row in view.rows])
        positions = list(range(start, start + len(ids)))
        return replace(hole, positions=positions, slots=[slot], causal=view.causal)


@torch.no_grad()
def log_probs(network: Network, hidden: Tensor, trained: bool = True) -> Tensor:
    """Log-probabilities [rows, V] in fp32 of rows that `canvas` gave."""
    parts = []
    for part in torch.split(hidden, ROWS):
        logits = (part @ network.base.embedding.T).float()
        if trained:
            logits[:, network.special_ids] = (part @ network.special_rows.to(part.dtype).T).float()
        parts.append(logits.log_softmax(-1))
    return torch.cat(parts)

"""What the causal reading has to teach a canvas: the texts that it writes, and what it expects.

Sequence-level distillation (Kim and Rush, arXiv 1606.07947). Of the many texts that could stand in
a hole a model that reveals several tokens at once may mix the parts of two; the texts that one
greedy writer has written vary less, which is what such models need (Zhou et al., arXiv 1911.02727).

Only holes that end where a line ends are filled: the causal reading seldom says by itself where a
text should stop, and there the line breaks do.

Word-level distillation (the same paper): behind the true tokens before it the causal reading has
chances for each slot. Where all later slots are masks, their mean over the true texts is what there
is to be known of the slot, whichever of those before it are masks too; one text's chances say more
of that mean than its token does.
"""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import torch

from models.keyvalues import KeyValues
from models.loader import Model
from models.training.align import truth
from models.training.masks import Specials, canvas, draw_slots, slot
from models.training.pack import REAL, Chances, Hole, Item, Segment, needed
from models.transformer import Pass, RowGroup, RowKind

ROWS = 256
"""Rows whose chances of all tokens are held at a time."""
LIKELIEST = 16
"""Tokens of which the chances are learnt; they are made to sum to 1."""
LONGEST = 28
"""Tokens after which a text without an end is given up: such a hole keeps the one it had."""


@dataclass(slots=True)
class _Text:
    """A text on its way: `left` line breaks may come, and before the next one it ends."""

    context: tuple[tuple[KeyValues, int], ...]
    store: KeyValues
    position: int
    last: int
    left: int
    ids: list[int] = field(default_factory=list)
    ended: bool = False

    def add(self, token: int, breaks: int, end: int) -> None:
        """Take the next token, which holds so many line breaks, or end."""
        if token == end or breaks > self.left:
            self.ended = True
            return
        self.left -= breaks
        self.last = token
        self.ids.append(token)


class Teacher:
    """The causal reading of a model."""

    def __init__(self, model: Model) -> None:
        self._transformer, config = model.transformer, model.config
        self._breaks = [spelled.count(b"\n") for spelled in model.tokenizer.token_bytes]
        self._specials = Specials(config.eos_id, config.pad_id, config.mask_id)
        self._never = sorted(model.tokenizer.silent_ids - {config.eos_id})

    def retold(self, items: Sequence[Item], rng: random.Random, noisy: bool) -> list[Item]:
        """The items with its own texts in the holes that end with a line, where it ended them."""
        texts = zip(items, self.texts(items), strict=True)
        return [self._refilled(item, written, rng, noisy) for item, written in texts]

    def texts(self, items: Sequence[Item]) -> list[list[list[int] | None]]:
        """The greedy text of every hole of every item, None where there is none.

        There is none where the hole doesn't end with a line, and where no text of as many lines
        as there were was ended within LONGEST tokens.
        """
        opened = [self._opened(item) for item in items]
        waiting = [text for item in opened for text in item if text]
        for _ in range(LONGEST + 1):
            if not waiting:
                break
            for text, token in zip(waiting, self._step(waiting), strict=True):
                text.add(token, self._breaks[token], self._specials.eos)
            waiting = [text for text in waiting if not text.ended]
        return [[t.ids if t and t.ended and not t.left else None for t in item] for item in opened]

    @torch.inference_mode()
    def softened(self, items: Sequence[Item], weight: float) -> list[Item]:
        """The items; its chances have `weight` in the targets of slots with masks alone behind.

        Joint holes keep their targets: more than one text is open there.
        """
        groups: list[RowGroup] = []
        rows: list[tuple[int, int]] = []
        for item in items:
            stores = self._read(needed(item))
            for hole in item.holes:
                text = _text(hole)
                if text:
                    start, context = len(rows), _context(hole, stores)
                    shown = (hole.slots[0].ids[0], *text[:-1])
                    rows += zip(shown, hole.positions[: len(text)], strict=True)
                    store = self._transformer.new_key_values()
                    groups.append(RowGroup(start, len(rows), context, store, skip=1))
        told = iter(self._chances(rows, groups, weight))
        return [
            replace(item, holes=[self._soft(hole, told) for hole in item.holes]) for item in items
        ]

    def _chances(
        self, rows: list[tuple[int, int]], groups: list[RowGroup], weight: float
    ) -> list[Chances]:
        """What is expected behind each (token, position), of `weight` in all."""
        if not rows:
            return []
        ids, places = self._tensor(rows).unbind(1)
        step = Pass(ids, places, len(rows), tuple(groups), causal=0)
        found: list[Chances] = []
        for hidden in torch.split(self._transformer.forward(step), ROWS):
            best = self._logits(hidden).topk(LIKELIEST)
            shares = best.values.softmax(-1) * weight
            pairs = zip(best.indices.tolist(), shares.tolist(), strict=True)
            found += [list(zip(*pair, strict=True)) for pair in pairs]
        return found

    def _soft(self, hole: Hole, told: Iterator[Chances]) -> Hole:
        """The hole with the next of what was told for each token of its text."""
        chances = [next(told) for _ in _text(hole)]
        slots = []
        for reading in hole.slots:
            shown = reading.ids[1:]
            known = [row for row, token in enumerate(shown) if token != self._specials.mask]
            open_from = max(known, default=-1) + 1
            soft = {row: chances[row] for row in range(open_from, len(chances))}
            slots.append(replace(reading, expected=soft))
        return replace(hole, slots=slots)

    def _opened(self, item: Item) -> list[_Text | None]:
        """Empty texts in the holes that end with a line, behind the segments that those see."""
        lines = [hole for hole in item.holes if hole.breaks is not None]
        stores = self._read(needed(Item(item.segments, lines)))
        return [self._empty(hole, stores) for hole in item.holes]

    def _read(self, segments: list[Segment]) -> list[KeyValues]:
        """What the base makes of each segment."""
        stores = [self._transformer.new_key_values() for _ in segments]
        groups: list[RowGroup] = []
        ids: list[int] = []
        positions: list[int] = []
        for segment, store in zip(segments, stores, strict=True):
            if segment.ids:
                groups.append(RowGroup(len(ids), len(ids) + len(segment.ids), (), store))
                ids += segment.ids
                positions += segment.positions
        if ids:
            places = self._tensor(positions)
            step = Pass(self._tensor(ids), places, len(ids), tuple(groups))
            self._transformer.forward(step)
        return stores

    def _empty(self, hole: Hole, stores: list[KeyValues]) -> _Text | None:
        if hole.breaks is None:
            return None
        store, anchor = self._transformer.new_key_values(), hole.slots[0].ids[0]
        return _Text(_context(hole, stores), store, hole.positions[0], anchor, hole.breaks)

    @torch.inference_mode()
    def _step(self, texts: list[_Text]) -> list[int]:
        """The best next token of each text. The first row is the anchor, whose key is there."""
        groups = []
        for row, text in enumerate(texts):
            at, first = max(0, len(text.ids) - 1), not text.ids
            context = (*text.context, (text.store, at))
            groups.append(RowGroup(row, row + 1, context, text.store, at=at, skip=int(first)))
        places = self._tensor([text.position + len(text.ids) for text in texts])
        last = self._tensor([text.last for text in texts])
        step = Pass(last, places, len(texts), tuple(groups), causal=0)
        best: list[int] = self._logits(self._transformer.forward(step)).argmax(-1).tolist()
        return best

    def _logits(self, hidden: torch.Tensor) -> torch.Tensor:
        """[M, vocabulary], without what the engine would never show."""
        logits = self._transformer.logits(hidden, RowKind.CAUSAL)
        logits[:, self._never] = -torch.inf
        return logits

    def _tensor(self, numbers: Sequence[int] | Sequence[tuple[int, int]]) -> torch.Tensor:
        return torch.tensor(numbers, device=self._transformer.device)

    def _refilled(
        self, item: Item, texts: list[list[int] | None], rng: random.Random, noisy: bool
    ) -> Item:
        others, holes = item.segments[0].ids[1:], list(item.holes)
        for number, text in enumerate(texts):
            if text is None:
                continue
            hole, filled = item.holes[number], canvas(text, self._specials, rng)
            drawn = draw_slots(filled, others, self._specials, rng, noisy)
            slots = [slot([hole.slots[0].ids[0]], [part]) for part in drawn]
            start = hole.positions[0]
            places = list(range(start, start + 1 + len(filled.ids)))
            holes[number] = replace(hole, positions=places, slots=slots)
        return replace(item, holes=holes)


def _context(hole: Hole, stores: list[KeyValues]) -> tuple[tuple[KeyValues, int], ...]:
    """What a hole sees of its item's segments."""
    return tuple((stores[number], stop) for number, _, stop in hole.visible)


def _text(hole: Hole) -> list[int]:
    """The true tokens of a single hole, up to its end mark; none of a joint one."""
    if len(hole.anchors) > 1:
        return []
    real = sum(kind == REAL for *_, kind in hole.slots[0].losses)
    return truth(hole)[:real]

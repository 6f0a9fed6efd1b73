"""Texts with holes -> the tensors of one training pass. The only place where rows are counted."""

from collections import defaultdict
from dataclasses import dataclass, field

import torch
from torch import Tensor

from models.training.slots import Chunk

LENGTHS = (16, 32, 64, 96, 128, 192, 256, 320, 384, 512, 640, 768, 1024, 1280, 2048, 4224)
"""Context segments are padded to the longest of their class; classes bound the waste."""
CHUNK_ROWS = 1600
SPREAD = 1.5
"""Contexts that are attended to together differ at most this much in length."""
HIDDEN = -30000.0

Chances = list[tuple[int, float]]
"""Tokens and what each weighs in a row's target; the rest of 1 is the true token's."""

REAL, TAIL, NOISE = range(3)
"""Kinds of loss rows: a token of the hole, EOS or PAD behind it, a wrong visible token."""


@dataclass(frozen=True, slots=True)
class Segment:
    """A run of fixed tokens that is causal in itself, with one position per token."""

    ids: list[int]
    positions: list[int]


@dataclass(frozen=True, slots=True)
class Slot:
    """One reading of a hole: the ids its rows show, and (row, target, weight, kind) to learn."""

    ids: list[int]
    losses: list[tuple[int, int, float, int]]
    expected: dict[int, Chances] = field(default_factory=dict)
    """By row: tokens that are to be learnt beside its target; see models.training.teacher."""


@dataclass(frozen=True, slots=True)
class Hole:
    """Slots over one context: visible [start, stop) parts of segments, by segment number.

    `anchors` are the rows whose own keys are not added. In a `causal` hole a row sees only the
    rows before it, and itself. `breaks`: the line breaks of its text, where that is plain text
    with another line break behind it, so that other lines may stand there as well.
    """

    visible: list[tuple[int, int, int]]
    positions: list[int]
    anchors: list[int]
    slots: list[Slot]
    causal: bool = False
    breaks: int | None = None


@dataclass(frozen=True, slots=True)
class Item:
    """Segments and the holes that see them; segment numbers count within the item."""

    segments: list[Segment]
    holes: list[Hole]


@dataclass(frozen=True, slots=True)
class Pack:
    """One pass. Context: T rows in equal-length batches. Canvas: N rows in chunks, M loss rows."""

    context_ids: Tensor
    context_positions: Tensor
    context_shapes: list[tuple[int, int]]
    ids: Tensor
    positions: Tensor
    chunks: list[Chunk]
    loss_rows: Tensor
    targets: Tensor
    weights: Tensor
    kinds: Tensor
    expected: tuple[Tensor, Tensor] | None = None
    """Ids and chances, each [M, K]; None: every loss row learns its target alone."""

    def to(self, device: torch.device, dtype: torch.dtype) -> "Pack":
        """The pack on `device`, masks in the model's type."""
        names = ["context_ids", "context_positions", "ids", "positions"]
        names += ["loss_rows", "targets", "weights", "kinds"]
        moved = {name: getattr(self, name).to(device) for name in names}
        chunks = [chunk.to(device, dtype) for chunk in self.chunks]
        expected = self.expected and (self.expected[0].to(device), self.expected[1].to(device))
        return Pack(context_shapes=self.context_shapes, chunks=chunks, expected=expected, **moved)


@dataclass(slots=True)
class _Rows:
    """Canvas rows while they are gathered."""

    ids: list[int] = field(default_factory=list)
    positions: list[int] = field(default_factory=list)
    losses: list[tuple[int, int, float, int]] = field(default_factory=list)
    expected: list[Chances] = field(default_factory=list)

    def add(self, hole: Hole) -> None:
        for slot in hole.slots:
            at = len(self.ids)
            self.ids += slot.ids
            self.positions += hole.positions
            self.losses += [(at + row, t, w, kind) for row, t, w, kind in slot.losses]
            self.expected += [slot.expected.get(row, []) for row, *_ in slot.losses]


def pack(items: list[Item]) -> Pack:
    """All items in one pass."""
    segments = [segment for item in items for segment in needed(item)]
    starts, ids, positions, shapes = _context(segments)
    numbered, base = [], 0
    for item in items:
        numbered += [(hole, _seen(hole, starts, base)) for hole in item.holes]
        base += len(item.segments)
    rows, chunks = _Rows(), []
    for part in _batches(numbered):
        start = len(rows.ids)
        for hole, _ in part:
            rows.add(hole)
        chunks.append(_chunk(start, len(rows.ids), part))
    at, targets, weights, kinds = zip(*rows.losses, strict=True)
    return Pack(
        torch.tensor(ids),
        torch.tensor(positions),
        shapes,
        torch.tensor(rows.ids),
        torch.tensor(rows.positions),
        chunks,
        torch.tensor(at),
        torch.tensor(targets),
        torch.tensor(weights, dtype=torch.float32),
        torch.tensor(kinds),
        _expected(rows.expected),
    )


def needed(item: Item) -> list[Segment]:
    """The item's segments, each cut behind the last token that any hole sees."""
    stops = [0] * len(item.segments)
    for hole in item.holes:
        for number, _, stop in hole.visible:
            stops[number] = max(stops[number], stop)
    pairs = zip(item.segments, stops, strict=True)
    return [Segment(segment.ids[:stop], segment.positions[:stop]) for segment, stop in pairs]


def _expected(chances: list[Chances]) -> tuple[Tensor, Tensor] | None:
    """All rows' chances, filled up with none; None where no row has any."""
    most = max(map(len, chances))
    if not most:
        return None
    filled = [[*pairs, *[(0, 0.0)] * (most - len(pairs))] for pairs in chances]
    ids = torch.tensor([[token for token, _ in pairs] for pairs in filled])
    return ids, torch.tensor([[share for _, share in pairs] for pairs in filled])


def _context(
    segments: list[Segment],
) -> tuple[dict[int, int], list[int], list[int], list[tuple[int, int]]]:
    """First row of each segment, ids, positions and (count, length) of the padded batches."""
    classes: dict[int, list[int]] = defaultdict(list)
    for number, segment in enumerate(segments):
        if segment.ids:
            classes[next(n for n in LENGTHS if n >= len(segment.ids))].append(number)
    ids: list[int] = []
    positions: list[int] = []
    starts, shapes = {}, []
    for length in sorted(classes):
        longest = max(len(segments[number].ids) for number in classes[length])
        for number in classes[length]:
            segment, starts[number] = segments[number], len(ids)
            padding = [0] * (longest - len(segment.ids))
            ids += segment.ids + padding
            positions += list(segment.positions) + padding
        shapes.append((len(classes[length]), longest))
    return starts, ids, positions, shapes


def _seen(hole: Hole, starts: dict[int, int], base: int) -> list[int]:
    """Context rows the hole's slots see."""
    rows: list[int] = []
    for number, start, stop in hole.visible:
        if stop > start:
            first = starts[base + number]
            rows += range(first + start, first + stop)
    return rows


def _batches(numbered: list[tuple[Hole, list[int]]]) -> list[list[tuple[Hole, list[int]]]]:
    """Holes of one shape together, similar contexts together, at most CHUNK_ROWS rows."""
    shapes: dict[tuple[int, int, bool], list[tuple[Hole, list[int]]]] = defaultdict(list)
    for hole, seen in numbered:
        shapes[len(hole.positions), len(hole.slots), hole.causal].append((hole, seen))
    out = []
    for (rows, slots, _), holes in sorted(shapes.items()):
        holes.sort(key=lambda pair: len(pair[1]))
        most = max(1, CHUNK_ROWS // (rows * slots))
        part: list[tuple[Hole, list[int]]] = []
        for pair in holes:
            if part and (len(part) == most or len(pair[1]) > SPREAD * len(part[0][1]) + 64):
                out.append(part)
                part = []
            part.append(pair)
        out.append(part)
    return out


def _chunk(start: int, stop: int, part: list[tuple[Hole, list[int]]]) -> Chunk:
    rows, slots = len(part[0][0].positions), len(part[0][0].slots)
    seen = max(len(context) for _, context in part)
    lines = slots * rows if part[0][0].causal else 1
    mask = torch.zeros(len(part), lines, seen + rows)
    if lines > 1:
        later = torch.full((rows, rows), HIDDEN).triu(1)
        mask[:, :, seen:] = later.repeat(slots, 1)
    context: list[int] = []
    for number, (hole, visible) in enumerate(part):
        context += visible + [0] * (seen - len(visible))
        mask[number, :, len(visible) : seen] = HIDDEN
        mask[number, :, [seen + row for row in hole.anchors]] = HIDDEN
    return Chunk(start, stop, len(part), slots, rows, torch.tensor(context), mask)

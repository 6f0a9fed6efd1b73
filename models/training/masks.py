"""What the slots of one hole show: masks, their complements, pinned lengths, wrong tokens."""

import random
from dataclasses import dataclass
from typing import Literal

from models.training.pack import NOISE, REAL, TAIL, Slot

BUCKETS = (8, 12, 16, 24, 32, 48, 64)
TAIL_WEIGHT = 0.15
ReadingName = Literal["canvas", "causal"]
"""Which adapters are trained: for rows that see each other, or only those before them."""


@dataclass(frozen=True, slots=True)
class Specials:
    """Ids with a meaning of their own on canvas rows."""

    eos: int
    pad: int
    mask: int


@dataclass(frozen=True, slots=True)
class Canvas:
    """The true content of the rows: `real` tokens, then EOS, then PAD up to a bucket."""

    ids: list[int]
    real: int


def canvas(hole: list[int], specials: Specials, rng: random.Random) -> Canvas:
    """The smallest bucket with room for EOS, or (30 %) the next one."""
    number = next(n for n, size in enumerate(BUCKETS) if size > len(hole))
    if rng.random() < 0.3:
        number = min(number + 1, len(BUCKETS) - 1)
    padding = BUCKETS[number] - len(hole) - 1
    return Canvas([*hole, specials.eos, *[specials.pad] * padding], len(hole))


def draw_slots(
    filled: Canvas,
    others: list[int],
    specials: Specials,
    rng: random.Random,
    noisy: bool = True,
) -> list[tuple[list[int], list[tuple[int, int, float, int]]]]:
    """The four slots of a canvas: first step, mask, complement, noisy. Rows count from 0.

    `others` are tokens of the neighbourhood, from which wrong tokens are drawn; without `noisy`
    the fourth has none.
    """
    size, real = len(filled.ids), filled.real
    first = [True] * size
    if rng.random() < 0.5:
        first = [row < real for row in range(size)]
    mask = _mask(filled, rng)
    noise = _wrong(filled, others, rng) if noisy else {}
    rate = rng.uniform(0.05, 0.5)
    hidden = [rng.random() < rate for _ in range(size)]
    return [
        show(filled, first, {}, specials),
        show(filled, mask, {}, specials),
        show(filled, [not hide for hide in mask], {}, specials),
        show(filled, hidden, noise, specials),
    ]


def causal_slot(filled: Canvas) -> tuple[list[int], list[tuple[int, int, float, int]]]:
    """Every token is visible to those behind it; each row learns the next one, to the end mark."""
    real = [(row, filled.ids[row], 1.0, REAL) for row in range(filled.real)]
    return filled.ids, [*real, (filled.real, filled.ids[filled.real], 1.0, TAIL)]


def _mask(filled: Canvas, rng: random.Random) -> list[bool]:
    """Independent masks at a random rate, or (35 %) all behind a first part."""
    size = len(filled.ids)
    if rng.random() < 0.35:
        shown = rng.randrange(0, max(1, filled.real))
        return [row >= shown for row in range(size)]
    rate = rng.uniform(0.2, 0.9)
    return [rng.random() < rate for _ in range(size)]


def _wrong(filled: Canvas, others: list[int], rng: random.Random) -> dict[int, int]:
    """Wrong tokens for some rows: from around, from the hole, or the doubled neighbour."""
    wrong, rate = {}, rng.uniform(0.05, 0.25)
    for row in range(filled.real):
        if rng.random() >= rate:
            continue
        pick = rng.random()
        if pick < 0.4:
            token = rng.choice(others)
        elif pick < 0.65:
            token = filled.ids[rng.randrange(filled.real)]
        else:
            token = filled.ids[max(0, min(filled.real - 1, row + rng.choice([-1, 1])))]
        if token != filled.ids[row]:
            wrong[row] = token
    return wrong


def show(
    filled: Canvas, hidden: list[bool], wrong: dict[int, int], specials: Specials
) -> tuple[list[int], list[tuple[int, int, float, int]]]:
    """Ids shown, and (row that predicts, target, weight, kind) of every row to learn."""
    shown, losses = list(filled.ids), []
    if not any(hidden):
        hidden = [True, *hidden[1:]]
    for row, target in enumerate(filled.ids):
        if hidden[row]:
            shown[row] = specials.mask
            kind = REAL if row < filled.real else TAIL
            losses.append((row, target, 1.0 if row <= filled.real else TAIL_WEIGHT, kind))
        elif row in wrong:
            shown[row] = wrong[row]
            losses.append((row, target, 0.5, NOISE))
    return shown, losses


def slot(
    anchors: list[int], parts: list[tuple[list[int], list[tuple[int, int, float, int]]]]
) -> Slot:
    """One or several canvases as rows: each behind its anchor token; row j predicts slot j."""
    ids: list[int] = []
    losses = []
    for token, (shown, learn) in zip(anchors, parts, strict=True):
        base = len(ids)
        ids += [token, *shown]
        losses += [(base + row, target, weight, kind) for row, target, weight, kind in learn]
    return Slot(ids, losses)

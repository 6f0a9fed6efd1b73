"""Hole NLL of the causal reading against the length of the context, teacher-forced.

Uses the model directly: the same segments, positions and kernels as the engine, no sampling.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from models.keyvalues import KeyValues
from models.loader import Model
from models.transformer import Pass, RowGroup, RowKind
from tests.bench.common.stats import mean
from tests.bench.fill.heldout import Place

CHUNK = 256


def nll_by_context(model: Model, places: Sequence[Place], lengths: Sequence[int]) -> dict[str, Any]:
    """Mean NLL in nats a token of the true lines with the last n tokens before them, for each n.

    `rise` is the mean paired difference to the best shorter (or equal) context, with its standard
    error: where it is above zero by more than two of those, more context does harm.
    """
    losses = {n: [line_nll(model, place, n) for place in places] for n in lengths}
    rows = []
    best = lengths[0]
    for n in lengths:
        best = min(best, n, key=lambda length: mean(losses[length]))
        rise, error = _paired_rise(losses[n], losses[best])
        row = {"tokens": n, "nll": mean(losses[n]), "rise": rise, "standard_error": error}
        rows.append(row)
    return {"places": len(places), "rows": rows}


def _paired_rise(losses: Sequence[float], least: Sequence[float]) -> tuple[float, float]:
    """Mean of the differences and its standard error."""
    deltas = np.asarray(losses) - np.asarray(least)
    spread = float(deltas.std(ddof=1)) if len(deltas) > 1 else 0.0
    return float(deltas.mean()), spread / len(deltas) ** 0.5


@torch.inference_mode()
def line_nll(model: Model, place: Place, tokens: int) -> float:
    """NLL in nats a token of `place.line`, cut on the whole text's tokens, behind `tokens` ones."""
    layout, config = model.config.layout, model.config
    before, hole, after = _cut(model, place)
    prefix = [config.separator_id, *before[-tokens:]]
    suffix = after[: layout.suffix_limit]
    context = [
        (_segment(model, suffix, layout.suffix_start), len(suffix)),
        (_segment(model, prefix, layout.prefix_origin), len(prefix)),
    ]
    rows = [prefix[-1], *hole[:-1]]
    positions = layout.canvas(len(prefix), len(hole) - 1)
    own = model.transformer.new_key_values()
    group = RowGroup(0, len(rows), tuple(context), own, skip=1)
    hidden = _forward(model, rows, list(positions), group, causal=0)
    scores = model.transformer.logits(hidden, RowKind.CAUSAL).log_softmax(-1)
    return -float(scores[torch.arange(len(hole)), torch.tensor(hole)].mean())


def _cut(model: Model, place: Place) -> tuple[list[int], list[int], list[int]]:
    """Token ids before, in and behind the line; its newline and indent belong to the hole."""
    text = place.prefix + place.line + place.suffix
    ids, offsets = model.tokenizer.encode_with_offsets(text)
    begin = len(place.prefix.rstrip())
    end = len(place.prefix) + len(place.line)
    first = next(n for n, (_, stop) in enumerate(offsets) if stop > begin)
    last = next((n for n, (start, _) in enumerate(offsets) if start >= end), len(ids))
    return ids[:first], ids[first:last], ids[last:]


def _segment(model: Model, ids: Sequence[int], origin: int) -> KeyValues:
    """Key/values of a segment, causal in itself."""
    store = model.transformer.new_key_values()
    store.reserve(len(ids))
    for at in range(0, len(ids), CHUNK):
        part = list(ids[at : at + CHUNK])
        group = RowGroup(0, len(part), ((store, at),), store, at)
        _forward(model, part, list(range(origin + at, origin + at + len(part))), group)
    return store


def _forward(
    model: Model, ids: list[int], positions: list[int], group: RowGroup, causal: int | None = None
) -> torch.Tensor:
    """Hidden states; rows from `causal` on are those of a hole's causal reading."""
    device = model.transformer.device
    step = Pass(
        torch.tensor(ids, device=device),
        torch.tensor(positions, device=device),
        len(ids),
        (group,),
        causal,
    )
    return model.transformer.forward(step)

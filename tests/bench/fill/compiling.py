"""Does torch.compile pay? The time of one pass with and without it, and what it costs first."""

import inspect
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import torch

from models.loader import Model
from models.transformer import Pass, RowGroup
from tests.bench.common.stats import percentile

CONTEXT = 300
PASSES = {"causal row": (1, False), "canvas of 16 slots": (17, True)}
WARM_UP, REPEATS = 5, 40
Forward = Callable[[Pass], torch.Tensor]


def compiled(model: Model, say: Callable[[str], None]) -> list[dict[str, Any]]:
    """Median milliseconds of each kind of pass, and seconds of the first compiled ones.

    Without inference mode, whose tensors can't be compiled.
    """
    transformer, rows = model.transformer, []
    ours = partial(inspect.unwrap(type(transformer).forward), transformer)
    prefix = transformer.new_key_values()
    ids = torch.full((CONTEXT,), model.config.separator_id)
    positions = torch.tensor(model.config.layout.prefix(CONTEXT))
    group = RowGroup(0, CONTEXT, (), prefix)
    with torch.no_grad():
        ours(Pass(ids, positions, CONTEXT, (group,)))
    forward: Forward = torch.compile(ours, dynamic=True)
    for name, (count, canvas) in PASSES.items():
        step = _step(model, prefix, count, canvas)
        plain = _median(lambda step=step: ours(step()))
        row = {"pass": name, "plain_ms": plain} | _compiled(lambda step=step: forward(step()))
        rows.append(row)
        say(f"compile: {row}")
    return rows


def _compiled(call: Callable[[], Any]) -> dict[str, Any]:
    """Seconds until a pass is compiled and its median then, or why it can't be."""
    began, error = time.perf_counter(), None
    try:
        for _ in range(3):
            _run(call)
    except RuntimeError as failure:  # what torch raises for an operator it can't compile
        error = f"{type(failure).__name__}: {' '.join(str(failure).split())[:200]}"
    seconds = time.perf_counter() - began
    if error is not None:
        return {"error": error, "first_s": seconds}
    return {"compiled_ms": _median(call), "first_s": seconds}


def _step(model: Model, prefix: Any, count: int, canvas: bool) -> Callable[[], Pass]:
    """Makes passes of so many rows behind the prefix."""
    layout, mask = model.config.layout, model.config.mask_id
    start = layout.canvas(CONTEXT, count)[0]

    def step() -> Pass:
        own = model.transformer.new_key_values()
        seen = ((prefix, CONTEXT),)
        group = RowGroup(0, count, seen, own, skip=int(canvas), causal=not canvas)
        positions = torch.arange(start, start + count)
        split, causal = (0, None) if canvas else (count, 0)
        return Pass(torch.full((count,), mask), positions, split, (group,), causal)

    return step


def _run(call: Callable[[], Any]) -> float:
    with torch.no_grad():
        began = time.perf_counter()
        call()
        return time.perf_counter() - began


def _median(call: Callable[[], Any]) -> float:
    for _ in range(WARM_UP):
        _run(call)
    return percentile([_run(call) for _ in range(REPEATS)], 0.5) * 1000

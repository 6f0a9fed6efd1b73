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
        began = time.perf_counter()
        for _ in range(3):
            _run(lambda step=step: forward(step()))
        seconds = time.perf_counter() - began
        faster = _median(lambda step=step: forward(step()))
        rows.append({"pass": name, "plain_ms": plain, "compiled_ms": faster, "first_s": seconds})
        say(f"compile: {name}: {plain:.1f} ms, compiled {faster:.1f} ms after {seconds:.0f} s")
    return rows


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

"""The real engine stepped in this process: throughput together and apart, fairness, cancels."""

import time
from collections.abc import Iterator, Sequence
from itertools import count
from typing import Any

from engine.config import EngineConfig
from engine.local import LocalEngine
from models.loader import Model
from protocol.messages import Cancel, CanvasSpec, Done, Fill, PolicyName, Priority, Sampling
from tests.bench.common.stats import percentile

PREFIX = "def mean(values):\n    total = sum(values)\n"
SUFFIX = "\n    return total / count\n"
STEPS = 8
CROWD = 50
POLICIES: tuple[PolicyName, ...] = ("fixed", "causal")


def fill(
    name: str, slots: int, priority: Priority = "manual", policy: PolicyName = "fixed"
) -> Fill:
    """A fill of exactly so many slots; each has a context of its own."""
    return Fill(
        id=name,
        prefix=f"# {name}\n{PREFIX}    ",
        suffix=SUFFIX,
        shape="span",
        canvas=CanvasSpec(tokens=slots, pinned=True),
        sampling=Sampling(policy=policy, steps=STEPS),
        priority=priority,
    )


def run(engine: LocalEngine, fills: list[Fill], together: bool) -> tuple[float, int]:
    """Seconds until all fills are done, and the tokens of their texts."""
    began, tokens = time.perf_counter(), 0
    for request in fills:
        engine.send(request, client=request.id)
        while not together and engine.busy:
            tokens += _tokens(engine)
    while engine.busy:
        tokens += _tokens(engine)
    return time.perf_counter() - began, tokens


def _tokens(engine: LocalEngine) -> int:
    return sum(len(m.tokens) for m in engine.step() if isinstance(m, Done))


def throughput(
    model: Model, threads: int, repeats: int, most: int = 8, sizes: Sequence[int] = (16, 32)
) -> dict[str, Any]:
    """Text tokens a second of fills together, and of the same one after another; best of runs.

    `fixed` reads a canvas in 8 steps, `causal` takes a step a token.
    """
    rows = {}
    for policy in POLICIES:
        for slots in sizes:
            for number in (n for n in (1, 2, 4, 8) if n <= most):
                fills = [fill(f"f{n}", slots, policy=policy) for n in range(number)]
                row: dict[str, float] = {}
                for name, together in (("apart", False), ("together", True)):
                    runs = [
                        run(LocalEngine(model, EngineConfig(threads=threads)), fills, together)
                        for _ in range(repeats)
                    ]
                    row[name] = round(max(tokens / seconds for seconds, tokens in runs), 1)
                row["gain"] = round(row["together"] / row["apart"], 2)
                rows[f"{policy}: {number} fills of {slots}"] = row
    return rows


def automatic(
    engine: LocalEngine, name: str, crowd: Iterator[Fill], size: int
) -> tuple[int, float]:
    """Turns and seconds of an automatic fill from request to end, beside a crowd of that size."""
    engine.send(fill(name, 16, "auto"), client="typist")
    began = time.perf_counter()
    for turn in range(1, 1000):
        if any(isinstance(m, Done) and m.id == name for m in engine.step()):
            return turn, time.perf_counter() - began
        keep(engine, crowd, size)
    raise AssertionError("it never ended")


def keep(engine: LocalEngine, crowd: Iterator[Fill], size: int) -> None:
    """Ask for batch fills until so many wait."""
    while engine.load.live < size:
        engine.send(next(crowd), client="crowd")


def fairness(model: Model, threads: int, fills: int, size: int = CROWD) -> dict[str, Any]:
    """An automatic fill's turns alone, and beside a client that keeps 50 batch fills waiting."""
    found = {}
    for name, others in (("alone", 0), ("beside_crowd", size)):
        engine, crowd = LocalEngine(model, EngineConfig(threads=threads)), _crowd()
        keep(engine, crowd, others)
        for _ in range(10 if others else 0):
            engine.step()  # so that the crowd is at work
        runs = [automatic(engine, f"a{number}", crowd, others) for number in range(fills)]
        found[name] = {
            "p95_turns": percentile([turns for turns, _ in runs], 0.95),
            "p95_ms": round(1000 * percentile([seconds for _, seconds in runs], 0.95), 1),
        }
    moved = found["beside_crowd"]["p95_turns"] - found["alone"]["p95_turns"]
    return {**found, "fills": fills, "crowd": size, "p95_moved_by_turns": round(moved, 2)}


def _crowd() -> Iterator[Fill]:
    return (fill(f"b{number}", 16, "batch") for number in count())


def cancels(model: Model, threads: int, fills: int) -> dict[str, Any]:
    """Turns from a cancel to the free slot."""
    engine, turns = LocalEngine(model, EngineConfig(threads=threads)), []
    for number in range(fills):
        name = f"c{number}"
        engine.send(fill(name, 32), client="one")
        for _ in range(number % 6):
            engine.step()
        engine.send(Cancel(name))
        spent = 0
        while engine.load.live:
            engine.step()
            spent += 1
        turns.append(spent)
    return {
        "cancels": fills,
        "p50_turns": percentile(turns, 0.5),
        "p99_turns": percentile(turns, 0.99),
        "worst_turns": max(turns),
    }

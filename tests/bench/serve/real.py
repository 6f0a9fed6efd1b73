"""The real engine stepped in this process: throughput together and apart, fairness, cancels."""

import time
from typing import Any

from engine.config import EngineConfig
from engine.local import LocalEngine
from models.loader import Model
from protocol.messages import Cancel, CanvasSpec, Done, Fill, Sampling

PREFIX = "def mean(values):\n    total = sum(values)\n"
SUFFIX = "\n    return total / count\n"
STEPS = 8


def fill(name: str, slots: int, priority: str = "manual") -> Fill:
    """A fill of exactly so many slots; each has a context of its own."""
    return Fill(
        id=name,
        prefix=f"# {name}\n{PREFIX}    ",
        suffix=SUFFIX,
        shape="span",
        canvas=CanvasSpec(tokens=slots, pinned=True),
        sampling=Sampling(policy="fixed", steps=STEPS),
        priority=priority,  # type: ignore[arg-type]
    )


def run(engine: LocalEngine, fills: list[Fill], together: bool) -> float:
    """Seconds until all fills are done."""
    began = time.perf_counter()
    for request in fills:
        engine.send(request, client=request.id)
        while not together and engine.busy:
            engine.step()
    while engine.busy:
        engine.step()
    return time.perf_counter() - began


def throughput(model: Model, threads: int, repeats: int) -> dict[str, Any]:
    """Text tokens a second of 1, 2, 4, 8 fills together, and of the same one after another."""
    rows = {}
    for slots in (16, 32):
        for count in (1, 2, 4, 8):
            pair = {}
            for together in (False, True):
                best = min(
                    run(
                        LocalEngine(model, EngineConfig(threads=threads)),
                        [fill(f"f{n}", slots) for n in range(count)],
                        together,
                    )
                    for _ in range(repeats)
                )
                pair["together" if together else "apart"] = round(count * slots / best, 1)
            pair["gain"] = round(pair["together"] / pair["apart"], 2)
            rows[f"{count} fills of {slots}"] = pair
    return rows


def automatic_turns(engine: LocalEngine, name: str) -> int:
    """Turns that an automatic fill takes from request to end."""
    engine.send(fill(name, 16, "auto"), client="typist")
    for turn in range(1, 1000):
        if any(isinstance(m, Done) and m.id == name for m in engine.step()):
            return turn
    raise AssertionError("it never ended")


def fairness(model: Model, threads: int, fills: int) -> dict[str, int]:
    """p95 of an automatic fill's turns alone, and beside a client with 50 batch fills."""
    alone = LocalEngine(model, EngineConfig(threads=threads))
    quiet = sorted(automatic_turns(alone, f"a{n}") for n in range(fills))
    crowded = LocalEngine(model, EngineConfig(threads=threads))
    for number in range(50):
        crowded.send(fill(f"b{number}", 16, "batch"), client="crowd")
    busy = sorted(automatic_turns(crowded, f"a{n}") for n in range(fills))
    at = round(0.95 * (fills - 1))
    return {"alone_p95_turns": quiet[at], "beside_50_p95_turns": busy[at]}


def cancels(model: Model, threads: int, fills: int) -> dict[str, int]:
    """Turns from a cancel to the free slot, the worst of many."""
    engine, worst = LocalEngine(model, EngineConfig(threads=threads)), 0
    for number in range(fills):
        name = f"c{number}"
        engine.send(fill(name, 32), client="one")
        for _ in range(number % 5):
            engine.step()
        engine.send(Cancel(name))
        turns = 0
        while engine.load.live:
            engine.step()
            turns += 1
        worst = max(worst, turns)
    return {"cancels": fills, "worst_turns_to_free": worst}

"""Cost of a constrained step: `python -m tests.bench.constraints.steps [--length L]`.

Times one step (masses, messages, best path with its confidences, or a sample) with random rows,
on a canvas that fills up eight slots a step; wall-clock and processor time, one thread.
"""

import argparse
import sys
import time

import numpy as np

from engine.constraints.canvas import CanvasConstraint
from engine.constraints.compiling import compile_here
from engine.constraints.limits import Limits
from engine.constraints.spec import ConstraintSpec, Ebnf, JsonSchema, Lengths, Regex
from tests.engine.constraints.fuzzing import row_pool
from tests.engine.constraints.vocabularies import SPECIALS, real_vocabulary

_PERSON = (
    '{"type": "object", "properties": {"name": {"type": "string"}, "age": {"type": "integer"},'
    ' "active": {"type": "boolean"}}, "required": ["name", "age", "active"]}'
)
_BOUNDED = (
    '{"type": "object", "properties": {"title": {"type": "string", "maxLength": 40}, "tags":'
    ' {"type": "array", "items": {"type": "string", "maxLength": 12}, "maxItems": 4}, "lang":'
    ' {"enum": ["en", "de", "fr"]}}, "required": ["title", "tags", "lang"]}'
)
_CASES: dict[str, ConstraintSpec] = {
    "flat object": JsonSchema(schema=_PERSON),
    "bounded strings": JsonSchema(schema=_BOUNDED),
    "any object": JsonSchema(schema='{"type": "object"}'),
    "sentence": Regex(pattern="[A-Z][^.!?\\n]{10,120}[.!?]"),
    "at most 200 characters": Lengths(max_chars=200),
    "nested sums": Ebnf(grammar='root ::= t ("+" t)*\nt ::= [0-9]+ | "(" root ")"'),
}


def main() -> int:
    """Print one line for each case."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--length", type=int, default=64)
    parser.add_argument("--canvases", type=int, default=4)
    options = parser.parse_args()
    vocabulary = real_vocabulary()
    pool = row_pool(vocabulary, 96, seed=0)
    sys.setrecursionlimit(20_000)
    print(f"L = {options.length}, milliseconds a step: p50 / p95 (p95 of processor time)")
    for name, spec in _CASES.items():
        dfa = compile_here(spec, vocabulary, Limits(seconds=60.0))
        canvas = CanvasConstraint(dfa, SPECIALS)
        for sampled in (False, True):
            times = _times(canvas, pool, options.length, options.canvases, sampled)
            wall, cpu = times[:, 0] * 1e3, times[:, 1] * 1e3
            print(
                f"{name:24} {'sample' if sampled else 'best':6} S {dfa.states:6}"
                f" C {dfa.classes:4} P {len(dfa.pair_from):7} {dfa.size / 1e6:4.1f} MB"
                f"  {np.percentile(wall, 50):6.1f} / {np.percentile(wall, 95):6.1f}"
                f" ({np.percentile(cpu, 95):6.1f})",
                flush=True,
            )
    return 0


def _times(
    canvas: CanvasConstraint, pool: np.ndarray, length: int, canvases: int, sampled: bool
) -> np.ndarray:
    """[steps, 2] seconds by the clock and of the processor."""
    rng, found = np.random.default_rng(0), []
    for _ in range(canvases):
        fixed = np.full(length, -1)
        while (fixed < 0).any():
            rows = pool[rng.integers(0, len(pool), int((fixed < 0).sum()))]
            wall, cpu = time.perf_counter(), time.process_time()
            view = canvas.step(rows, fixed)
            path = view.sample(rng) if sampled else view.best
            found.append((time.perf_counter() - wall, time.process_time() - cpu))
            open_slots = np.flatnonzero(fixed < 0)
            surest = open_slots[np.argsort(-path.confidence[open_slots])[:8]]
            fixed[surest] = path.tokens[surest]
    return np.array(found)


if __name__ == "__main__":
    sys.exit(main())

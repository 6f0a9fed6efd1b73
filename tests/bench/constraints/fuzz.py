"""The long fuzz run: `python -m tests.bench.constraints.fuzz [--canvases N] [--model N]`.

Random logits drive the constraint package; then the real model fills canvases of the same
constraints through the engine's own steps, and holes of Python files by their syntax. Work is cut
into numbered chunks that are on disk when they are done: a second run goes on where one stopped.
"""

import argparse
import sys
import time
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

import numpy as np

from engine.constraints.cache import ConstraintCache, cache_key, packed
from engine.constraints.compiling import compile_here
from engine.constraints.errors import ConstraintError
from engine.constraints.limits import Limits
from engine.constraints.spec import ConstraintSpec
from engine.constraints.token_dfa import TokenDFA
from engine.constraints.vocabulary import Vocabulary
from tests.bench.common.provenance import ROOT, commit, load
from tests.bench.common.records import Records, key_of
from tests.engine.constraints.fuzzing import Tally, fuzz_canvas, row_pool
from tests.engine.constraints.specs import specs
from tests.engine.constraints.vocabularies import real_vocabulary

_RECURSION = 20_000
CHUNK = 50
MODEL_CHUNK = 10
SHOWN = 20
OUT = ROOT / "build" / "bench-constraints"
Compiled = list[tuple[ConstraintSpec, TokenDFA]]
Run = Callable[[int, np.random.Generator, Tally], None]
"""Fuzzes canvas number n."""


def main() -> int:
    """Run and print the counts; status 1 if there was any problem."""
    options = _parser().parse_args()
    sys.setrecursionlimit(_RECURSION)
    vocabulary = real_vocabulary()
    compiled, refused = _compiled(vocabulary, options)
    print(f"load {load()}; {len(compiled)} constraints, {len(refused)} refused", flush=True)
    for reason in refused:
        print("  refused:", reason)
    records = Records(options.out / "fuzz.jsonl")
    problems = 0
    if options.canvases:
        pool = row_pool(vocabulary, 128, options.seed)

        def noise(number: int, rng: np.random.Generator, tally: Tally) -> None:
            spec, dfa = compiled[number % len(compiled)]
            fuzz_canvas(spec, dfa, vocabulary, pool, rng, tally)

        problems += _run("noise", noise, options.canvases, CHUNK, records, options.seed)
    if options.model:
        from tests.bench.constraints.model_fuzz import ModelFuzz

        fuzz = ModelFuzz(compiled, vocabulary, options.threads)
        problems += _run("model", fuzz.canvas, options.model, MODEL_CHUNK, records, options.seed)
        count = options.model // 10
        problems += _run("syntax", fuzz.python, count, MODEL_CHUNK, records, options.seed)
        fuzz.close()
    return bool(problems)


def _run(part: str, run: Run, count: int, size: int, records: Records, seed: int) -> int:
    """All chunks of one part; the number of problems."""
    total, began = Tally(), time.monotonic()
    for first in range(0, count, size):
        key = key_of(part, first, min(size, count - first), seed, commit())
        record = records.get(key)
        if record is None:
            tally, cpu = Tally(), time.process_time()
            for number in range(first, min(first + size, count)):
                run(number, np.random.default_rng((seed, number)), tally)
            record = records.add(key, **asdict(tally), cpu=round(time.process_time() - cpu, 1))
        total.canvases += record["canvases"]
        total.steps += record["steps"]
        total.problems += record["problems"]
        if first // size % 10 == 9 or first + size >= count:
            seconds = time.monotonic() - began
            print(
                f"{part}: {total.canvases} canvases, {total.steps} steps,"
                f" {len(total.problems)} problems, {seconds:.0f} s",
                flush=True,
            )
    for problem in total.problems[:SHOWN]:
        print("  problem:", problem[:500])
    return len(total.problems)


def _compiled(vocabulary: Vocabulary, options: argparse.Namespace) -> tuple[Compiled, list[str]]:
    """The constraints, from disk where they were compiled before."""
    compiled, refused = [], []
    cache = ConstraintCache(options.out / "compiled")
    for spec in specs(options.constraints, options.seed):
        key = cache_key(spec, vocabulary.key)
        try:
            dfa = cache.load(key)
            if dfa is None:
                dfa = compile_here(spec, vocabulary, Limits(seconds=30.0))
                cache.store(key, packed(dfa))
            compiled.append((spec, dfa))
        except ConstraintError as error:
            refused.append(f"{type(error).__name__}: {error}")
    return compiled, refused


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--canvases", type=int, default=10_000, help="with random logits")
    parser.add_argument("--model", type=int, default=300, help="with the default model")
    parser.add_argument("--constraints", type=int, default=240)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--out", type=Path, default=OUT)
    return parser


if __name__ == "__main__":
    sys.exit(main())

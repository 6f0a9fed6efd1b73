"""The long fuzz run: `python -m tests.bench.constraints.fuzz [--canvases N] [--constraints N]`."""

import argparse
import sys
import time

import numpy as np

from engine.constraints.compiling import compile_here
from engine.constraints.errors import ConstraintError
from engine.constraints.limits import Limits
from engine.constraints.spec import ConstraintSpec
from engine.constraints.token_dfa import TokenDFA
from engine.constraints.vocabulary import Vocabulary
from tests.engine.constraints.fuzzing import Tally, fuzz_canvas, row_pool
from tests.engine.constraints.specs import specs
from tests.engine.constraints.vocabularies import real_vocabulary

_RECURSION = 20_000


def main() -> int:
    """Run and print the counts; status 1 if there was any problem."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--canvases", type=int, default=10_000)
    parser.add_argument("--constraints", type=int, default=240)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    sys.setrecursionlimit(_RECURSION)
    vocabulary = real_vocabulary()
    pool = row_pool(vocabulary, 128, options.seed)
    compiled, refused = _compiled(vocabulary, options.constraints, options.seed)
    print(f"{len(compiled)} constraints compiled, {len(refused)} refused", flush=True)
    for reason in refused:
        print("  refused:", reason)
    tally, rng, began = Tally(), np.random.default_rng(options.seed), time.monotonic()
    while tally.canvases < options.canvases:
        spec, dfa = compiled[tally.canvases % len(compiled)]
        fuzz_canvas(spec, dfa, vocabulary, pool, rng, tally)
        if tally.canvases % 250 == 0:
            _report(tally, began)
    _report(tally, began)
    return bool(tally.problems)


def _compiled(
    vocabulary: Vocabulary, count: int, seed: int
) -> tuple[list[tuple[ConstraintSpec, TokenDFA]], list[str]]:
    compiled, refused = [], []
    for spec in specs(count, seed):
        try:
            compiled.append((spec, compile_here(spec, vocabulary, Limits(seconds=30.0))))
        except ConstraintError as error:
            refused.append(f"{type(error).__name__}: {error}")
    return compiled, refused


def _report(tally: Tally, began: float) -> None:
    seconds = time.monotonic() - began
    print(
        f"{tally.canvases} canvases, {tally.steps} steps, {len(tally.problems)} problems,"
        f" {seconds:.0f} s",
        flush=True,
    )
    for problem in tally.problems[:20]:
        print("  problem:", problem[:500])


if __name__ == "__main__":
    sys.exit(main())

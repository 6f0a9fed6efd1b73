"""Compile times through the worker and the cache: `python -m tests.bench.constraints.compiles`."""

import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from engine.constraints.cache import ConstraintCache, cache_key
from engine.constraints.compiler import ConstraintCompiler
from engine.constraints.errors import ConstraintError
from tests.engine.constraints.specs import specs
from tests.engine.constraints.vocabularies import real_vocabulary

_COUNT = 100


def main() -> int:
    """Print percentiles of first compilations, cached loads and sizes."""
    vocabulary = real_vocabulary()
    first, again, sizes = [], [], []
    with tempfile.TemporaryDirectory() as folder:
        compiler = ConstraintCompiler(vocabulary, Path(folder))
        cache = ConstraintCache(Path(folder))
        for spec in specs(_COUNT, seed=2):
            began = time.perf_counter()
            try:
                compiled = compiler.compile(spec)
            except ConstraintError as error:
                print(f"refused: {type(error).__name__}: {error}")
                continue
            first.append(time.perf_counter() - began)
            began = time.perf_counter()
            cache.load(cache_key(spec, vocabulary.key))
            again.append(time.perf_counter() - began)
            sizes.append(compiled.dfa.size)
        compiler.close()
    print(f"{len(first)} constraints; the first one also starts the process")
    for name, values in (("compile s", first), ("cached load s", again)):
        print(name, "p50 {:.3f} p90 {:.3f} max {:.3f}".format(*_percentiles(values)))
    print("size MB p50 {:.2f} p90 {:.2f} max {:.2f}".format(*(_percentiles(sizes) / 1e6)))
    return 0


def _percentiles(values: list[float]) -> np.ndarray:
    return np.percentile(values, [50, 90, 100])


if __name__ == "__main__":
    sys.exit(main())

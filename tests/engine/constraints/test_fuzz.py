"""A small fuzz run with the real vocabulary; `tests.bench.constraints.fuzz` is the long one."""

import numpy as np
import pytest

from engine.constraints.compiling import compile_here
from engine.constraints.limits import Limits
from tests.engine.constraints.fuzzing import Tally, fuzz_canvas, row_pool
from tests.engine.constraints.specs import specs
from tests.engine.constraints.vocabularies import real_vocabulary


@pytest.mark.parametrize("place", range(0, 20, 2))
def test_no_dead_ends_and_nothing_invalid(place: int) -> None:
    vocabulary = real_vocabulary()
    pool = row_pool(vocabulary, 16, seed=place)
    spec = specs(20, seed=5)[place]
    dfa = compile_here(spec, vocabulary, Limits(seconds=30.0))
    tally, rng = Tally(), np.random.default_rng(place)
    for _ in range(2):
        fuzz_canvas(spec, dfa, vocabulary, pool, rng, tally)
    assert tally.canvases == 2
    assert tally.problems == []

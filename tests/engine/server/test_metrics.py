"""What is measured: step times counted where steps are taken, summed over engines."""

from engine.config import EngineConfig
from engine.hub import STEP_MS, Load
from engine.local import LocalEngine
from engine.pool import EnginePool
from engine.server.metrics import Metrics
from models.loader import Model
from protocol.messages import CanvasSpec, Fill, Sampling


def ticking(seconds: list[float]) -> "object":
    """A clock whose reading grows by the next of these at every second look."""
    now = [0.0, 0.0]

    def clock() -> float:
        now[1] += 1
        now[0] += seconds[int(now[1]) % len(seconds)]
        return now[0]

    return clock


def test_every_step_is_counted_in_its_bucket(tiny: Model) -> None:
    engine = LocalEngine(tiny, EngineConfig(threads=1), ticking([0.02]))  # type: ignore[arg-type]
    spec = CanvasSpec(tokens=4, pinned=True)
    engine.send(Fill("a", "(", ")", canvas=spec, sampling=Sampling(policy="fixed", steps=4)))
    while engine.busy:
        engine.step()
    load = engine.load
    assert len(load.step_counts) == len(STEP_MS) + 1
    assert sum(load.step_counts) == load.steps > 0
    assert load.steps_ms > 0
    slow = [count for bound, count in zip(STEP_MS, load.step_counts, strict=False) if bound > 20]
    assert sum(slow) == load.steps, "a step looks at the clock several times"


def test_the_histogram_is_the_engines() -> None:
    metrics = Metrics()
    assert b"retouch_engine_step_ms_count 0.0" in metrics.render()
    counts = [0] * (len(STEP_MS) + 1)
    counts[1], counts[-1] = 3, 2
    metrics.step_times.load = Load(steps=5, step_counts=tuple(counts), steps_ms=12_345.0)
    text = metrics.render().decode()
    assert 'retouch_engine_step_ms_bucket{le="5.0"} 0.0' in text
    assert 'retouch_engine_step_ms_bucket{le="10.0"} 3.0' in text
    assert 'retouch_engine_step_ms_bucket{le="10000.0"} 3.0' in text
    assert 'retouch_engine_step_ms_bucket{le="+Inf"} 5.0' in text
    assert "retouch_engine_step_ms_count 5.0" in text
    assert "retouch_engine_step_ms_sum 12345.0" in text


def test_engines_are_counted_together() -> None:
    pool = EnginePool(EngineConfig(), 3)
    one, two, three = pool._processes
    one.load = Load(1, 2, 3.0, 4, (1, 0, 1), 5.0)
    two.load = Load(10, 20, 30.0, 40, (0, 2, 0), 50.0)
    three.load = Load()  # has said nothing yet
    assert pool.load == Load(11, 22, 30.0, 44, (1, 2, 1), 55.0)

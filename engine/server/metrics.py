"""What a server measures, for Prometheus; counts and times alone, never text."""

from collections.abc import Iterator
from itertools import accumulate

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.core import HistogramMetricFamily
from prometheus_client.registry import Collector

from engine.hub import STEP_MS, Load
from protocol.flow import Final
from protocol.replies import Done

MS = STEP_MS
CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"


class StepTimes(Collector):
    """The durations of engine steps, which the engines count themselves."""

    def __init__(self) -> None:
        self.load = Load()

    def collect(self) -> Iterator[HistogramMetricFamily]:
        """See Collector."""
        bounds = [*map(str, map(float, STEP_MS)), "+Inf"]
        counts = accumulate(self.load.step_counts or (0,) * len(bounds))
        buckets = list(zip(bounds, counts, strict=True))
        text = "Duration of an engine step in milliseconds"
        yield HistogramMetricFamily(
            "retouch_engine_step_ms", text, buckets=buckets, sum_value=self.load.steps_ms
        )


class Metrics:
    """One registry; one attribute a measure."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self.connections = self._gauge("connections", "WebSocket connections")
        self.sessions = self._gauge("sessions", "Sessions, broken ones that may resume included")
        self.live = self._gauge("live_fills", "Fills in the engines")
        self.step_ms = self._gauge("step_ms", "Duration of the last engine step")
        self.step_times = StepTimes()
        self._registry.register(self.step_times)
        self.cached_bytes = self._gauge("cached_bytes", "Key/value bytes kept between fills")
        self.restarts = self._gauge("engine_restarts", "Engine processes started again")
        self.ends = Counter(
            "retouch_ends", "Requests by their end", ["finish"], registry=self._registry
        )
        self.steps = self._counter("steps", "Denoising steps")
        self.forwards = self._counter("forwards", "Forward passes")
        self.tokens = self._counter("tokens", "Tokens of finished fills")
        self.remasked = self._counter("remasked", "Tokens thrown back")
        self.prefilled = self._counter("prefill_tokens", "Context tokens computed")
        self.cached = self._counter("cached_tokens", "Context tokens found in the cache")
        self.merged = self._counter("merged_cells", "Cells that were merged for slow clients")
        self.queue_ms = self._times("queue_ms", "Wait before the first step")
        self.wall_ms = self._times("wall_ms", "From request to end")
        self.first_ms = self._times("first_frame_ms", "From request to the first frame")
        self.freed_ms = self._times("cancel_to_free_ms", "From cancel to the free slot")

    def ended(self, final: Final, merged: int = 0) -> None:
        """Count the end of a request."""
        self.merged.inc(merged)
        if not isinstance(final, Done):
            self.ends.labels(getattr(final, "code", "scored")).inc()
            return
        stats = final.stats
        self.ends.labels(final.finish).inc()
        self.steps.inc(stats.steps)
        self.forwards.inc(stats.forwards)
        self.tokens.inc(stats.tokens)
        self.remasked.inc(stats.remasked)
        self.prefilled.inc(stats.prefill_tokens)
        self.cached.inc(stats.cached_tokens)
        self.queue_ms.observe(stats.queue_ms)
        self.wall_ms.observe(stats.wall_ms)

    def render(self) -> bytes:
        """Everything in the text format of Prometheus."""
        return generate_latest(self._registry)

    def _gauge(self, name: str, text: str) -> Gauge:
        return Gauge(f"retouch_{name}", text, registry=self._registry)

    def _counter(self, name: str, text: str) -> Counter:
        return Counter(f"retouch_{name}", text, registry=self._registry)

    def _times(self, name: str, text: str) -> Histogram:
        return Histogram(f"retouch_{name}", text, buckets=MS, registry=self._registry)

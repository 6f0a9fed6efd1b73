"""The sections: what each measures, and in how many minutes."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tests.bench.serve import loopback, memory

Result = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Options:
    """How much is measured."""

    quick: bool
    threads: int


def _throughput(options: Options) -> Result:
    from tests.bench.serve import real

    if options.quick:
        return real.throughput(_model(options), options.threads, 1, 2, (16,))
    return real.throughput(_model(options), options.threads, 5)


def _fairness(options: Options) -> Result:
    from tests.bench.serve import real

    fills, crowd = (2, 10) if options.quick else (60, 50)
    return real.fairness(_model(options), options.threads, fills, crowd)


def _cancel(options: Options) -> Result:
    from tests.bench.serve import real

    return real.cancels(_model(options), options.threads, 6 if options.quick else 300)


def _model(options: Options) -> Any:
    from engine.backend import open_model
    from engine.config import EngineConfig

    return open_model(EngineConfig(threads=options.threads))


SECTIONS: dict[str, Callable[[Options], Result]] = {
    "loopback": lambda options: loopback.measure(options.quick),
    "memory": lambda options: memory.measure(options.quick),
    "throughput": _throughput,
    "fairness": _fairness,
    "cancel": _cancel,
    "memory_real": lambda options: memory.measure_real(options.quick, options.threads),
}
FAKE = ("loopback", "memory")
"""Sections that need no model."""

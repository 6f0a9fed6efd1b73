"""Time to a finished single-line fill, cold and after one more typed character, beside its peers.

Every repetition runs all contestants one after the other, so that a machine that slows down slows
them all. A contestant is cold when it has seen nothing of the text; warm, when the line has grown
by one character since its last answer.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from engine.local import LocalEngine
from tests.bench.common.stats import mean, percentile
from tests.bench.fill.arms import Arm, Gap, sampling
from tests.bench.fill.drive import fill_one
from tests.bench.fill.engines import Bench
from tests.bench.fill.heldout import Place
from tests.bench.fill.peers import Line, Peer

TYPED = 3
STEP_SLOTS, STEP_COUNT, STEP_REPEATS = 16, 8, 5


class Contestant:
    """An arm of the engine, or a peer, behind the same two calls."""

    def __init__(
        self, name: str, precision: str, peer: Peer | None, arm: Arm, bench: Bench
    ) -> None:
        self.name = name
        self.precision = precision
        self._peer = peer
        self._arm = arm
        self._bench = bench
        self._engine: LocalEngine | None = None

    def forget(self) -> None:
        """Start from empty caches."""
        if self._peer is not None:
            self._peer.forget()
        else:
            self._engine = self._bench.engine()

    def complete(self, gap: Gap) -> tuple[Line, int]:
        """The finished line, and the forward passes it took."""
        if self._peer is not None:
            line = self._peer.complete(gap.prefix)
            return line, line.tokens
        assert self._engine is not None
        began = time.perf_counter()
        done = fill_one(self._engine, self._arm.fill("1", gap))
        seconds = time.perf_counter() - began
        return Line(done.text, len(done.tokens), seconds), done.stats.forwards


def contestants(bench: Bench, arms: Sequence[Arm], others: Sequence[Peer]) -> list[Contestant]:
    """The engine's arms, then the peers."""
    ours = [Contestant(f"retouch {arm.name}", bench.dtype, None, arm, bench) for arm in arms]
    theirs = [Contestant(p.name, p.precision, p, Arm("default"), bench) for p in others]
    return ours + theirs


@dataclass(slots=True)
class Samples:
    """Seconds, tokens and passes of one contestant at one context length, cold or warm."""

    seconds: list[float] = field(default_factory=list)
    tokens: list[int] = field(default_factory=list)
    forwards: list[int] = field(default_factory=list)

    def add(self, line: Line, forwards: int) -> None:
        """Take one measurement in."""
        self.seconds.append(line.seconds)
        self.tokens.append(line.tokens)
        self.forwards.append(forwards)

    def row(self) -> dict[str, Any]:
        """What the table shows, times in milliseconds."""
        return {
            "n": len(self.seconds),
            "p50_ms": 1000 * percentile(self.seconds, 0.5),
            "p95_ms": 1000 * percentile(self.seconds, 0.95),
            "tokens_per_second": sum(self.tokens) / sum(self.seconds),
            "tokens": mean(self.tokens),
            "nfe": mean(self.forwards),
        }


def race(
    field_: Sequence[Contestant],
    places: dict[int, list[Place]],
    repetitions: int,
    say: Callable[[str], None],
) -> list[dict[str, Any]]:
    """Rows for every contestant and context length, cold and warm."""
    samples: dict[tuple[str, int, str], Samples] = {}
    for turn in range(repetitions):
        for tokens, found in places.items():
            place = found[turn % len(found)]
            for offset in range(len(field_)):
                runner = field_[(turn + offset) % len(field_)]
                _type_into(runner, place, samples, tokens)
            say(f"speed: repetition {turn + 1} of {repetitions}, {tokens} tokens")
    precision = {runner.name: runner.precision for runner in field_}
    return [
        {"name": name, "precision": precision[name], "context": n, "state": state, **found.row()}
        for (name, n, state), found in sorted(samples.items(), key=lambda item: item[0][1])
    ]


def _type_into(
    runner: Contestant, place: Place, samples: dict[tuple[str, int, str], Samples], tokens: int
) -> None:
    """One cold fill after the line's first character, then one for each further character."""
    runner.forget()
    for typed in range(1, TYPED + 2):
        line, forwards = runner.complete(place.typed(typed))
        key = runner.name, tokens, "cold" if typed == 1 else "warm"
        samples.setdefault(key, Samples()).add(line, forwards)


def step_ratio(bench: Bench, places: dict[int, list[Place]]) -> list[dict[str, Any]]:
    """Milliseconds a step with everything included, the context cached, by context length.

    A fill of 16 pinned slots is repeated unchanged: its wall time over its passes is one step.
    """
    rows = []
    for name, chosen in (
        ("canvas", Arm("canvas", sampling(policy="fixed", steps=STEP_COUNT), "oracle")),
        ("causal", Arm("causal", sampling(policy="causal"), "oracle")),
    ):
        times = {n: _step_ms(bench, found[0], chosen) for n, found in places.items()}
        first = times[min(times)]
        rows += [
            {"reading": name, "context": n, "step_ms": ms, "ratio": ms / first}
            for n, ms in times.items()
        ]
    return rows


def _step_ms(bench: Bench, place: Place, arm: Arm) -> float:
    engine = bench.engine()
    gap = replace(place.whole_line, tokens=STEP_SLOTS)
    times = []
    for repeat in range(STEP_REPEATS + 1):
        began = time.perf_counter()
        done = fill_one(engine, arm.fill(str(repeat), gap))
        times.append(1000 * (time.perf_counter() - began) / max(1, done.stats.forwards))
    return percentile(times[1:], 0.5)  # the first one computed the context

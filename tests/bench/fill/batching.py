"""Flip rate: how often a fill alone and the same fill in a batch of eight give other texts."""

from collections.abc import Sequence
from typing import Any

from protocol.messages import Done
from tests.bench.common.stats import wilson
from tests.bench.fill.arms import Arm
from tests.bench.fill.drive import fill_all
from tests.bench.fill.engines import Bench
from tests.bench.fill.heldout import Place

BATCH = 8


def flips(bench: Bench, arm: Arm, places: Sequence[Place]) -> dict[str, Any]:
    """Compare both ways over `places`, each in an engine with an empty cache."""
    alone, together = (_texts(bench, arm, places, in_flight) for in_flight in (1, BATCH))
    differing = [n for n in range(len(places)) if alone[n] != together[n]]
    return {
        "arm": arm.name,
        "places": len(places),
        "flips": len(differing),
        "interval": wilson(len(differing), len(places)),
        "examples": [[alone[n], together[n]] for n in differing[:3]],
    }


def _texts(bench: Bench, arm: Arm, places: Sequence[Place], in_flight: int) -> dict[int, str]:
    fills = [arm.fill(str(number), place.whole_line) for number, place in enumerate(places)]
    client = bench.engine(batch_jobs=BATCH)
    ends = fill_all(client, fills, in_flight)
    return {int(e.id or 0): e.text if isinstance(e, Done) else e.message for e in ends}

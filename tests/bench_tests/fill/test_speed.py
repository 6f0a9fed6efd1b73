"""The sections that run an engine, on a tiny model: every number is there and adds up."""

from pathlib import Path

import pytest
import torch

from engine.config import EngineConfig
from models.loader import Model
from tests.bench.fill.apart import Apart
from tests.bench.fill.arms import Arm, sampling
from tests.bench.fill.batching import flips
from tests.bench.fill.curve import measure
from tests.bench.fill.data import MissingData
from tests.bench.fill.engines import Bench
from tests.bench.fill.heldout import Place
from tests.bench.fill.peers import Line, TransformersPeer
from tests.bench.fill.speed import TYPED, contestants, race, step_ratio
from tests.tiny import RETOUCH, SHAPE, write_checkpoint

PLACE = Place("a.py", "def f(x):\n    y = x\n" * 4, "    return y", "\n\nprint(f(1))\n")
ARMS = [Arm("default"), Arm("fixed", sampling(policy="fixed", steps=2))]


class SlowPeer:
    """A peer that takes ten seconds when cold and one when warm, by its own clock."""

    name = "slow"
    precision = "none"

    def __init__(self) -> None:
        self.prefixes: list[str] = []
        self._warm = False

    def forget(self) -> None:
        """See Peer."""
        self._warm = False

    def complete(self, prefix: str) -> Line:
        """See Peer."""
        self.prefixes.append(prefix)
        seconds, self._warm = (1.0 if self._warm else 10.0), True
        return Line("x", 5, seconds)


def test_a_peer_in_a_process_of_its_own_answers_as_here() -> None:
    apart = Apart(SlowPeer)
    assert (apart.name, apart.precision) == ("slow", "none")
    lines = [apart.complete("a"), apart.complete("ab")]
    apart.forget()
    lines.append(apart.complete("a"))
    assert [line.seconds for line in lines] == [10.0, 1.0, 10.0]


def missing() -> SlowPeer:
    raise MissingData("there is no such peer")


def test_a_peer_that_can_not_be_had_says_why() -> None:
    with pytest.raises(MissingData, match="no such peer"):
        Apart(missing)


@pytest.fixture
def bench(tiny: Model) -> Bench:
    return Bench(tiny, EngineConfig(threads=1))


def test_a_race_types_into_the_line(bench: Bench) -> None:
    peer = SlowPeer()
    field = contestants(bench, ARMS, [peer])
    rows = race(field, {40: [PLACE], 80: [PLACE]}, 2, lambda text: None)
    assert len(rows) == len(field) * 2 * 2
    assert peer.prefixes[: TYPED + 1] == [
        PLACE.prefix + "    return"[: 4 + typed] for typed in range(1, TYPED + 2)
    ]
    slow = {row["state"]: row for row in rows if row["name"] == "slow" and row["context"] == 40}
    assert (slow["cold"]["n"], slow["warm"]["n"]) == (2, 2 * TYPED)
    assert (slow["cold"]["p50_ms"], slow["warm"]["p95_ms"]) == (10_000, 1000)
    assert slow["cold"]["tokens_per_second"] == 0.5
    assert all(row["nfe"] >= 1 and row["p50_ms"] > 0 for row in rows)


def test_step_times_are_relative_to_the_shortest_context(bench: Bench) -> None:
    rows = step_ratio(bench, {80: [PLACE], 40: [PLACE]})
    assert {(row["reading"], row["context"]) for row in rows} == {
        (reading, n) for reading in ("canvas", "causal") for n in (40, 80)
    }
    assert all(row["ratio"] == 1.0 for row in rows if row["context"] == 40)


def test_fp32_texts_do_not_flip_in_a_batch(bench: Bench) -> None:
    result = flips(bench, ARMS[1], [PLACE] * 9)
    assert (result["flips"], result["places"]) == (0, 9)


def test_a_point_of_the_curve_counts_passes(bench: Bench) -> None:
    point = measure(bench.engine(), bench.model.tokenizer, ARMS[1], [PLACE] * 3)
    assert point["errors"] == 0
    assert point["nfe"] >= 1
    assert 0.0 <= point["agreement"] <= 1.0


def test_transformers_answers_warm_what_it_answers_cold(tmp_path: Path) -> None:
    pytest.importorskip("transformers")
    write_checkpoint(tmp_path, {**SHAPE, "retouch": RETOUCH})
    peer = TransformersPeer(tmp_path, torch.float32)
    warm = [peer.complete(PLACE.prefix + "    return"[:n]).text for n in range(5, 9)]
    cold = []
    for n in range(5, 9):
        peer.forget()
        cold.append(peer.complete(PLACE.prefix + "    return"[:n]).text)
    assert warm == cold

"""Rows are aligned with those of the clean text that predict the same token."""

import random
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from models.loader import read_config
from models.tokenizer import read_tokenizer
from models.training.align import KINDS, LONGEST, distance, truth, with_clean
from models.training.network import Network
from models.training.pack import REAL, Item, pack
from models.training.passes import Passes
from models.training.samples import Mix, Sampler
from models.training.settings import Settings
from models.training.shards import Shard
from models.training.trainer import run_loss
from models.training.workers import Worker
from tests.models.training.conftest import make_network


@pytest.fixture(scope="module")
def network(folder: Path) -> Network:
    network = make_network(folder, read_config(folder))
    network.refresh()
    return network


@pytest.fixture(scope="module")
def sampler(folder: Path, shards: Path) -> Sampler:
    config = read_config(folder)
    return Sampler(Shard(shards / "train"), read_tokenizer(folder, config), config, Mix())


@pytest.fixture(scope="module")
def items(sampler: Sampler) -> list[Item]:
    return [sampler.item(random.Random(seed)) for seed in (1, 2, 3)]


def test_a_pass_is_the_same_with_clean_texts(items: list[Item]) -> None:
    plain, (packed, _) = pack(items), with_clean(items)
    for name in ("context_ids", "ids", "positions", "loss_rows", "targets", "kinds"):
        assert torch.equal(getattr(plain, name), getattr(packed, name)), name


def test_what_is_expected_of_slots_is_learnt_beside_an_alignment(items: list[Item]) -> None:
    hole = items[0].holes[0]
    row = hole.slots[0].losses[0][0]
    soft = replace(hole.slots[0], expected={row: [(7, 0.5)]})
    told = Item(items[0].segments, [replace(hole, slots=[soft, *hole.slots[1:]])])
    (ids, chances), (packed, _) = pack([told]).expected or (None, None), with_clean([told])
    assert ids is not None and packed.expected is not None
    assert torch.equal(ids, packed.expected[0]) and torch.equal(chances, packed.expected[1])
    assert chances.sum() == 0.5


def test_pairs_predict_the_same_token(items: list[Item]) -> None:
    packed, clean = with_clean(items)
    holes = [hole for item in items for hole in item.holes]
    other = clean.packed
    for row, partner in clean.pairs.tolist():
        number, place = divmod(int(other.kinds[partner]), LONGEST)
        assert packed.kinds[row] == REAL
        assert truth(holes[number])[place] == int(packed.targets[row])
        at = int(other.loss_rows[partner])
        shown = [holes[number].slots[0].ids[0], *truth(holes[number])][place]
        assert int(other.ids[at]) == shown
    single = {n for n, hole in enumerate(holes) if len(hole.anchors) == 1}
    assert {int(other.kinds[p]) // LONGEST for p in clean.pairs[:, 1].tolist()} <= single
    assert len(clean.pairs) and KINDS == 3


def test_a_network_is_no_distance_from_itself(network: Network, items: list[Item]) -> None:
    packed, clean = with_clean(items)
    packed, clean = (
        packed.to(torch.device("cpu"), torch.float32),
        clean.to(torch.device("cpu"), torch.float32),
    )
    taps: list[torch.Tensor] = []
    kept = network.context(packed)
    network.canvas(clean.packed, kept, trained=False, taps=taps)
    same = torch.stack([clean.pairs[:, 1]] * 2, 1)
    itself = distance(network, type(clean)(clean.packed, same), kept, taps)
    assert float(itself) == pytest.approx(0.0, abs=1e-2)
    loss, each = run_loss(network, packed)
    drawn, as_before = run_loss(network, packed, clean, 10.0)
    assert drawn.item() > loss.item()
    assert torch.equal(each, as_before)


def test_passes_hold_clean_texts_where_they_are_asked_for(sampler: Sampler) -> None:
    def first(align: float) -> bool:
        settings = Settings(shards="", rows=300, pass_rows=150, align=align, steps=1)
        return Passes(settings, Worker(0, 1), sampler)[0][0][1] is not None

    assert first(10.0) and not first(0.0)

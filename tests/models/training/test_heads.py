"""Heads are fitted on what the model knows, and kept only if they beat the rules."""

import json
import math
import random
from pathlib import Path

import pytest
import torch

from engine.search import likely_lengths
from models.config import ModelConfig
from models.loader import read_config
from models.tokenizer import read_tokenizer
from models.training.align import truth
from models.training.compare import auc, compare_length, posterior
from models.training.examples import OPEN, RULES, Examples, Looker, joined
from models.training.fit import Data, chosen, fit
from models.training.heads import MIX, heads
from models.training.pack import Item
from models.training.samples import Sampler
from models.training.shards import Shard
from tests.models.training.conftest import make_network
from tests.tiny import write_checkpoint


@pytest.fixture(scope="module")
def looker(folder: Path) -> Looker:
    config = read_config(folder)
    network = make_network(folder, config, 4)
    network.refresh()
    return Looker(network, config)


@pytest.fixture(scope="module")
def item(folder: Path, shards: Path, config: ModelConfig) -> Item:
    tokenizer = read_tokenizer(folder, config)
    return Sampler(Shard(shards / "train"), tokenizer, config, MIX).item(random.Random(3))


class Unlucky(random.Random):
    """Never below a chance, so that no slot is drawn but the one that must be."""

    def random(self) -> float:
        return 0.999

    def uniform(self, a: float, b: float) -> float:
        return a


def test_the_true_canvas_is_read_off_its_slots(item: Item, config: ModelConfig) -> None:
    for hole in item.holes:
        ids = truth(hole)
        end = ids.index(config.eos_id)
        assert config.mask_id not in ids
        assert set(ids[end + 1 :]) <= {config.pad_id}


def test_examples_of_an_item(looker: Looker, item: Item, config: ModelConfig) -> None:
    found = looker.examples(item, random.Random(0))
    assert found is not None
    guesses = len(found.right)
    assert found.lengths.tolist() == [truth(h).index(config.eos_id) for h in item.holes]
    assert found.spread.shape == (len(item.holes), 2 * config.hidden)
    assert found.guessed.shape == (guesses, 2 * config.hidden)
    assert found.rules.shape == (guesses, len(RULES))
    assert bool((found.rules <= 0).all()) and bool((found.end <= 0).all())


def test_one_guess_is_revealed_by_the_canvas_that_its_shadow_sees(
    looker: Looker, item: Item
) -> None:
    found = looker.examples(item, Unlucky(0))
    assert found is not None and len(found.right) == len(item.holes)
    reveal, shadow = (found.rules[:, RULES.index(name)] for name in ("reveal", "shadow"))
    assert torch.allclose(reveal, shadow, atol=1e-4)


def test_holes_are_numbered_through_when_joined(looker: Looker, item: Item) -> None:
    found = looker.examples(item, random.Random(0))
    assert found is not None
    both = joined([found, found])
    assert both.holes.max() == 2 * len(item.holes) - 1
    assert len(both.lengths) == 2 * len(item.holes)


def test_the_posterior_is_the_rule_of_the_engine() -> None:
    end = torch.rand(1, OPEN).log()
    told = posterior(end)
    assert float(told.exp().sum()) == pytest.approx(1.0, abs=1e-5)
    ours = (told[0].argsort(descending=True)[:5] + 1).tolist()
    assert ours == likely_lengths(end[0].tolist(), 5)


def test_a_head_learns_what_the_rule_does_not_know() -> None:
    torch.manual_seed(0)
    features, noise = torch.randn(400, 6), torch.randn(400)
    labels = (features[:, 2] + 0.1 * noise > 0).long()
    data = Data(features, torch.full((400, 2), math.log(0.5)), labels)
    penalty, head = chosen(data.part(torch.arange(300)), data.part(torch.arange(300, 400)))
    right = (head.log_probs(data).argmax(-1) == labels).float().mean()
    assert right > 0.95 and penalty > 0
    blind = fit(data, None)
    assert not bool(blind.weight.any())


def test_a_head_without_news_is_not_kept() -> None:
    torch.manual_seed(0)

    def examples(count: int) -> Examples:
        lengths = torch.randint(1, 6, (count,))
        end = torch.full((count, OPEN), -6.0)
        end[torch.arange(count), lengths] = -0.1
        one = torch.zeros(count, dtype=torch.long)
        return Examples(torch.randn(count, 4), end, lengths, end, end, one.bool(), one)

    figures = compare_length({"train": examples(90), "choose": examples(30), "held": examples(60)})
    assert figures["rules"]["posterior"]["top 4"] == 1.0
    assert not figures["kept"]


@pytest.mark.parametrize(
    ("scores", "area"), [([1.0, 2.0, 3.0, 4.0], 1.0), ([4.0, 3.0, 2.0, 1.0], 0.0), ([1.0] * 4, 0.5)]
)
def test_the_area_counts_ties_half(scores: list[float], area: float) -> None:
    right = torch.tensor([False, False, True, True])
    assert auc(torch.tensor(scores), right) == area


def test_a_run_is_told_in_figures_and_goes_on(
    folder: Path, shards: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("models.training.heads.PART", 8)
    figures = heads(folder, shards, tmp_path, 8)
    assert set(figures["quality"]["auc"]) == {*RULES, "head"}
    assert figures["holes"]["held"] >= 8
    stored = {path: path.stat().st_mtime_ns for path in tmp_path.glob("*.safetensors")}
    assert heads(folder, shards, tmp_path, 8) == figures
    assert stored == {path: path.stat().st_mtime_ns for path in tmp_path.glob("*.safetensors")}


def test_examples_of_another_model_are_made_anew(
    folder: Path, shards: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("models.training.heads.PART", 1)
    for name in ("compare_length", "compare_quality"):
        monkeypatch.setattr(f"models.training.heads.{name}", lambda _: {})
    other = tmp_path / "other"
    write_checkpoint(other, json.loads((folder / "config.json").read_text()), seed=9)
    for model in (other, folder, other):
        heads(model, shards, tmp_path, 1)
    one, two = (path.read_bytes() for path in tmp_path.glob("held-*.safetensors"))
    assert one != two

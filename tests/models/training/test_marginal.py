"""What can be known of a slot when no other is seen: against sums over all texts."""

import math
from pathlib import Path
from shutil import copytree

import pytest
import torch

from models.loader import Model
from models.training.evaluate import evaluate
from models.training.held import HeldSpan, held_spans
from models.training.marginal import drawn_nll, measure, table
from models.training.shards import Shard
from models.transformer import Transformer

SEED = 3


def told(transformer: Transformer, span: HeldSpan, *hole: int) -> torch.Tensor:
    """Probabilities of the tokens of `hole`, each with those before it given."""
    asked = HeldSpan(span.path, span.prefix, list(hole), span.suffix)
    return (-drawn_nll(transformer, asked, 1, SEED)).exp()


def test_drawn_texts_say_what_all_texts_say(tiny: Model, shards: Path) -> None:
    (held,) = held_spans(Shard(shards / "held"), tiny.tokenizer, 1, 40)
    span = HeldSpan(held.path, held.prefix[-8:], [], held.suffix[:8])
    tokens, end = range(tiny.config.vocabulary), tiny.config.eos_id
    first = torch.cat([told(tiny.transformer, span, token) for token in tokens])
    assert abs(float(first.sum()) - 1) < 1e-3
    likely = [token for token in tokens if first[token] > 2e-3 and token != end]
    best = int(first.argmax())
    then = [float(told(tiny.transformer, span, best, token)[1]) for token in likely]
    second = likely[then.index(max(then))]
    known = sum(float(told(tiny.transformer, span, token, second).prod()) for token in likely)
    asked = HeldSpan(span.path, span.prefix, [best, second], span.suffix)
    drawn = float(drawn_nll(tiny.transformer, asked, 1000, SEED)[1])
    assert abs(drawn + math.log(known)) < 0.3, "1,000 texts, the unlikely ones left out"


def test_the_table_and_the_list(folder: Path, shards: Path) -> None:
    found, name = measure(folder, shards, 3)
    assert len(found) == 3 and len(name) == 64
    for figures in found:
        assert len(figures.told) == len(figures.drawn) == len(figures.canvas)
        assert torch.allclose(figures.told[:1], figures.drawn[:1], atol=1e-4)
    assert table(found).splitlines()[-1].startswith("| 0 to 47 |")


def test_losses_are_kept_under_the_checkpoint_they_are_of(
    folder: Path, shards: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("models.training.evaluate.CONTEXTS", (40,))
    out, other = shards.parent / "figures.json", folder.parent / "other"
    first = evaluate(folder, shards, out, 8)
    assert evaluate(folder, shards, out, 8) == first
    copytree(folder, other)
    (other / "config.json").write_text((other / "config.json").read_text() + "\n")
    monkeypatch.setattr("models.training.evaluate._commit", lambda: "a later one")
    both = evaluate(other, shards, out, 8)
    assert len(both) == len(first) + 1
    assert [both[name]["commit"] == "a later one" for name in both] == [False, True]

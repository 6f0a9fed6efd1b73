"""Heads against the rules that need no training, on examples of held-out packages."""

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import Tensor

from models.training.examples import OPEN, RULES, Examples
from models.training.fit import Data, chosen, fit

DRAWS = 1000
TOP = 4
Sets = dict[str, Examples]
"""`train` to fit on, `choose` for the penalty, `held` for the figures."""


def compare_length(sets: Sets) -> dict[str, Any]:
    """The end-mark posterior, the same with a scale and a bias a length, and with a head."""
    data = {name: Data(e.spread, posterior(e.end), e.lengths - 1) for name, e in sets.items()}
    penalty, head = chosen(data["train"], data["choose"])
    told = {
        "posterior": data["held"].rule,
        "posterior, scaled": fit(data["train"], None).log_probs(data["held"]),
        "head": head.log_probs(data["held"]),
    }
    labels = data["held"].labels
    hits = {name: _hits(log_probs, labels, TOP) for name, log_probs in told.items()}
    rows = {
        name: {
            "nll": float(-log_probs.gather(1, labels[:, None]).mean()),
            "top 1": float(_hits(log_probs, labels, 1).float().mean()),
            f"top {TOP}": float(hits[name].float().mean()),
        }
        for name, log_probs in told.items()
    }
    best = max(("posterior", "posterior, scaled"), key=lambda name: rows[name][f"top {TOP}"])
    ids = torch.arange(len(labels))
    gain = _gain(hits["head"].float(), hits[best].float(), ids, lambda x, _: float(x.mean()))
    return {"rules": rows, "penalty": penalty, "against": best, "gain": gain, "kept": gain[1] > 0}


def posterior(end: Tensor) -> Tensor:
    """Log P(length n), n = 1 to OPEN - 1, from log P(end mark) [N, OPEN] of an open canvas's rows.

    The rule of the engine: the end at n and nowhere before it.
    """
    going = torch.log1p(-end.exp().clamp(max=1 - 1e-6)).cumsum(-1)
    before = torch.cat([torch.zeros_like(going[:, :1]), going[:, :-1]], -1)
    return (end + before)[:, 1:OPEN].log_softmax(-1)


def compare_quality(sets: Sets) -> dict[str, Any]:
    """How well each rule, and a head beside the one-pass rules, tells right guesses from wrong."""
    data = {name: _quality(examples) for name, examples in sets.items()}
    penalty, head = chosen(data["train"], data["choose"])
    held = sets["held"]
    scores = {rule: held.rules[:, n] for n, rule in enumerate(RULES)}
    scores["head"] = head.log_probs(data["held"])[:, 1]
    rows = {name: auc(score, held.right) for name, score in scores.items()}
    best = max(RULES[:-1], key=lambda rule: rows[rule])

    def area(score: Tensor, rows: Tensor) -> float:
        return auc(score, held.right[rows])

    gain = _gain(scores["head"], scores[best], held.holes, area)
    return {
        "auc": rows,
        "guesses": len(held.right),
        "right": float(held.right.float().mean()),
        "penalty": penalty,
        "against": best,
        "gain": gain,
        "kept": gain[1] > 0,
    }


def _quality(examples: Examples) -> Data:
    """Features: hidden states and the rules of one pass; the rule to start from is `itself`."""
    itself = examples.rules[:, RULES.index("itself")].clamp(max=-1e-6)
    rule = torch.stack([torch.log1p(-itself.exp()), itself], 1)
    features = torch.cat([examples.guessed, examples.rules[:, :2]], 1)
    return Data(features, rule, examples.right.long())


def auc(scores: Tensor, right: Tensor) -> float:
    """Chance that a right guess scores higher than a wrong one; ties count half."""
    order = scores.double().numpy()
    ranks = np.unique(order, return_inverse=True, return_counts=True)
    middle = np.cumsum(ranks[2]) - (ranks[2] - 1) / 2
    labels = right.numpy()
    good, bad = int(labels.sum()), int((~labels).sum())
    if not good or not bad:
        return 0.5
    return float((middle[ranks[1]][labels].sum() - good * (good + 1) / 2) / (good * bad))


def _hits(log_probs: Tensor, labels: Tensor, count: int) -> Tensor:
    return (log_probs.topk(count).indices == labels[:, None]).any(-1)


def _gain(
    new: Tensor, old: Tensor, groups: Tensor, figure: Callable[[Tensor, Tensor], float]
) -> tuple[float, float, float]:
    """figure(new) - figure(old), and its 95 % interval by drawing whole holes again."""
    every = torch.arange(len(new))
    members = [every[groups == group] for group in range(int(groups.max()) + 1)]
    rng, drawn = random.Random(1), []
    for _ in range(DRAWS):
        rows = torch.cat(rng.choices(members, k=len(members)))
        drawn.append(figure(new[rows], rows) - figure(old[rows], rows))
    low, high = np.quantile(drawn, [0.025, 0.975]).tolist()
    return figure(new, every) - figure(old, every), low, high

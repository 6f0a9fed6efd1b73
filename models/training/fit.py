"""Linear heads on frozen features, fitted beside a rule that they start from."""

from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor

PENALTIES = (3e-1, 1e-1, 3e-2, 1e-2, 3e-3, 1e-3)
STEPS = 60


@dataclass(frozen=True, slots=True)
class Data:
    """Features [N, D], what a rule says of each class as log-probabilities [N, K], labels [N]."""

    features: Tensor
    rule: Tensor
    labels: Tensor

    def part(self, rows: Tensor) -> "Data":
        """Some of the rows."""
        return Data(self.features[rows], self.rule[rows], self.labels[rows])


@dataclass(frozen=True, slots=True)
class Head:
    """Logits = scale x rule + weight x standardised features + bias."""

    mean: Tensor
    deviation: Tensor
    scale: Tensor
    weight: Tensor
    bias: Tensor

    def log_probs(self, data: Data) -> Tensor:
        """[N, K] in nats."""
        x = (data.features - self.mean) / self.deviation
        return (self.scale * data.rule + x @ self.weight.T + self.bias).log_softmax(-1)


def fit(data: Data, penalty: float | None) -> Head:
    """Least cross entropy plus penalty x |weight|^2; no features at all where penalty is None.

    Convex, so that it does not depend on a seed; by L-BFGS.
    """
    mean, deviation = data.features.mean(0), data.features.std(0) + 1e-6
    classes = data.rule.shape[1]
    weight = torch.zeros(classes, data.features.shape[1], requires_grad=penalty is not None)
    scale, bias = torch.ones((), requires_grad=True), torch.zeros(classes, requires_grad=True)
    x = (data.features - mean) / deviation
    moved = [scale, bias, *([] if penalty is None else [weight])]
    search = torch.optim.LBFGS(moved, max_iter=STEPS, line_search_fn="strong_wolfe")

    def loss() -> Tensor:
        search.zero_grad()
        logits = scale * data.rule + bias
        if penalty is not None:
            logits = logits + x @ weight.T
        total = F.cross_entropy(logits, data.labels) + (penalty or 0.0) * weight.square().sum()
        total.backward()  # type: ignore[no-untyped-call]
        return total

    search.step(loss)  # type: ignore[no-untyped-call]
    return Head(mean, deviation, scale.detach(), weight.detach(), bias.detach())


def chosen(data: Data, other: Data) -> tuple[float, Head]:
    """The penalty whose head is best on `other`, and the head fitted with it on both."""
    losses = {}
    for penalty in PENALTIES:
        log_probs = fit(data, penalty).log_probs(other)
        losses[penalty] = float(F.nll_loss(log_probs, other.labels))
    best = min(losses, key=lambda penalty: losses[penalty])
    both = Data(*(torch.cat(pair) for pair in zip(_columns(data), _columns(other), strict=True)))
    return best, fit(both, best)


def _columns(data: Data) -> tuple[Tensor, Tensor, Tensor]:
    return data.features, data.rule, data.labels

"""What a frozen model knows of holes whose text is known: rows to fit heads on, and rules beside.

For each hole two questions. How long is it? An open canvas of OPEN masks is read once. Which of the
model's own guesses are wrong? Some of the tokens are masked, all of those are guessed in one pass
(the errors that a decoder makes, as in PRISM, 2510.01384, and BackPlay, 2601.06428), and the canvas
that this gives is read again.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass, fields

import torch
from torch import Tensor

from models.config import ModelConfig
from models.training.align import truth
from models.training.network import Network
from models.training.pack import Item
from models.training.reading import Readings, View, log_probs

OPEN = 48
RULES = ("reveal", "itself", "causal", "shadow")


@dataclass(frozen=True, slots=True)
class Examples:
    """N holes and M guesses; features are final hidden states, fp32.

    Attributes:
        spread: [N, 2 D] of the first row of an open canvas, and the mean of all its rows.
        end: [N, OPEN] log P(end mark) of each of its rows.
        lengths: [N] tokens of the true text.
        guessed: [M, 2 D] of the row that predicts a guess, and of the one that holds it.
        rules: [M, 4] log P(guess) by each of RULES: when it was revealed, by its own row, by the
            base from the left, and with that slot alone masked.
        right: [M] whether the guess is the true token.
        holes: [M] which hole it stands in.
    """

    spread: Tensor
    end: Tensor
    lengths: Tensor
    guessed: Tensor
    rules: Tensor
    right: Tensor
    holes: Tensor

    def tensors(self) -> dict[str, Tensor]:
        """By name, for a file."""
        return {field.name: getattr(self, field.name) for field in fields(self)}


def joined(parts: Sequence[Examples]) -> Examples:
    """All examples, the holes numbered through."""
    before, numbered = 0, []
    for part in parts:
        numbered.append(part.holes + before)
        before += len(part.lengths)
    columns = {name: torch.cat([getattr(p, name) for p in parts]) for name in parts[0].tensors()}
    return Examples(**(columns | {"holes": torch.cat(numbered)}))


@dataclass(frozen=True, slots=True)
class _Guesses:
    """A canvas with guesses at `slots`, and how sure the model was of each."""

    shown: list[int]
    slots: list[int]
    right: list[bool]
    sure: Tensor


class Looker:
    """Asks the canvas reading, and the base for the causal rule."""

    def __init__(self, network: Network, config: ModelConfig) -> None:
        self._network, self._config = network, config

    def examples(self, item: Item, rng: random.Random) -> Examples | None:
        """Those of an item's holes that hold a token; None if it has none."""
        eos = self._config.eos_id
        told = [(hole, text) for hole in item.holes if (text := truth(hole))[0] != eos]
        if not told:
            return None
        holes, texts = [hole for hole, _ in told], [text for _, text in told]
        readings = Readings(Item(item.segments, holes), self._network)
        spread, end = self._open(readings, len(holes))
        guesses = self._guess(readings, texts, rng)
        slots = [torch.tensor(guess.slots) for guess in guesses]
        views = [View(n, g.shown, range(len(g.shown) + 1)) for n, g in enumerate(guesses)]
        rows = readings.hidden(views)
        pairs = [torch.cat([h[s], h[s + 1]], -1) for h, s in zip(rows, slots, strict=True)]
        own = [h[s] for h, s in zip(rows, slots, strict=True)]
        return Examples(
            spread,
            end,
            torch.tensor([text.index(eos) for text in texts]),
            torch.cat(pairs).float(),
            self._rules(readings, guesses, torch.cat(own)),
            torch.tensor([right for guess in guesses for right in guess.right]),
            torch.cat([torch.full_like(s, n) for n, s in enumerate(slots)]),
        )

    def _open(self, readings: Readings, count: int) -> tuple[Tensor, Tensor]:
        """Features and log P(end mark) of a canvas of masks in each hole."""
        masks = [self._config.mask_id] * OPEN
        rows = readings.hidden([View(n, masks, range(OPEN)) for n in range(count)])
        spread = [torch.cat([h[0].float(), h.float().mean(0)]) for h in rows]
        ends = [log_probs(self._network, h)[:, self._config.eos_id] for h in rows]
        return torch.stack(spread), torch.stack(ends)

    def _guess(
        self, readings: Readings, texts: list[list[int]], rng: random.Random
    ) -> list[_Guesses]:
        """Masks a random share of each text, at least one token, and takes the best for each."""
        hidden = [_drawn(text.index(self._config.eos_id), rng) for text in texts]
        views = []
        for number, (text, slots) in enumerate(zip(texts, hidden, strict=True)):
            views.append(
                View(number, _put(text, slots, [self._config.mask_id] * len(slots)), slots)
            )
        rows = readings.hidden(views)
        return [self._guesses(*three) for three in zip(texts, hidden, rows, strict=True)]

    def _guesses(self, text: list[int], slots: list[int], rows: Tensor) -> _Guesses:
        told = log_probs(self._network, rows)
        told[:, list(self._config.special_rows)] = -torch.inf
        sure, best = told.max(-1)
        tokens = best.tolist()
        right = [text[slot] == token for slot, token in zip(slots, tokens, strict=True)]
        return _Guesses(_put(text, slots, tokens), slots, right, sure)

    def _rules(self, readings: Readings, guesses: list[_Guesses], own: Tensor) -> Tensor:
        """Log P(guess) by each rule, [M, 4]; `own` are the rows that predict them."""
        tokens = torch.tensor([g.shown[slot] for g in guesses for slot in g.slots])[:, None]
        mask = [self._config.mask_id]
        left = [View(n, g.shown, g.slots, causal=True) for n, g in enumerate(guesses)]
        alone = [
            View(n, _put(g.shown, [slot], mask), [slot])
            for n, g in enumerate(guesses)
            for slot in g.slots
        ]
        causal = torch.cat(readings.hidden(left, trained=False))
        shadow = torch.cat(readings.hidden(alone))
        asked = ((own, True), (causal, False), (shadow, True))
        told = [log_probs(self._network, *pair).gather(1, tokens)[:, 0] for pair in asked]
        return torch.stack([torch.cat([g.sure for g in guesses]), *told], 1)


def _drawn(real: int, rng: random.Random) -> list[int]:
    """Which of `real` slots are hidden: each at one random rate, at least one of them."""
    rate = rng.uniform(0.3, 1.0)
    return [slot for slot in range(real) if rng.random() < rate] or [rng.randrange(real)]


def _put(ids: Sequence[int], slots: Sequence[int], tokens: Sequence[int]) -> list[int]:
    """A copy of `ids` with `tokens` at `slots`."""
    changed = list(ids)
    for slot, token in zip(slots, tokens, strict=True):
        changed[slot] = token
    return changed

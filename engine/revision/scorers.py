"""How sure the model is of every token that stands: one program per scorer, and their table.

`canvas` and `posterior` are leave-one-out probabilities (one of the canvas reading, exact; one of
the causal reading by Bayes' rule); `causal` looks left, and at the suffix segment, alone.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from engine.job import Answer, Part
from engine.making import pinned_canvas
from engine.revision.passage import Window
from engine.revision.program import Steps, ask
from engine.scores import inner_part, leave_one_out_parts
from models.config import ModelConfig

HORIZON = 16
CHOICES = 12
RIVALS = 40
REACH = 3.0
FLOOR = -7.0


@dataclass(frozen=True, slots=True)
class Swap:
    """Another token for one slot, and what it gains in nats."""

    slot: int
    token: int
    gain: float


@dataclass(frozen=True, slots=True)
class Scores:
    """Probability of each token that may change, the likeliest token there, and rivals of it."""

    chance: dict[int, float]
    best: dict[int, int]
    swaps: tuple[Swap, ...] = ()
    """Best first."""


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """What a scorer must know of tokens."""

    config: ModelConfig
    silent: frozenset[int]
    """Ids that spell nothing; the end mark is one of them."""


Scorer = Callable[[Window, Vocabulary], Steps[Scores]]


def frame(tokens: int, config: ModelConfig) -> tuple[int, ...]:
    """What stands behind `tokens` tokens on a canvas: the end mark, and padding up to a bucket."""
    return tuple(pinned_canvas(tokens, config).tokens[tokens:].tolist())


def canvas(window: Window, vocabulary: Vocabulary) -> Steps[Scores]:
    """P(token | all others), exact: each slot masked alone on a canvas of its own."""
    ids, config = window.ids, vocabulary.config
    parts = leave_one_out_parts(ids, window.open, config.mask_id, frame(len(ids), config))
    answers = yield from ask(f"{window.name}.canvas", window.context, parts)
    pairs = list(zip(window.open, answers, strict=True))
    return Scores(
        {slot: float(np.exp(answer.target[0])) for slot, answer in pairs},
        {slot: int(answer.best[0]) for slot, answer in pairs},
    )


def causal(window: Window, vocabulary: Vocabulary) -> Steps[Scores]:
    """P(token | prefix, tokens left of it, suffix segment)."""
    (answer,) = yield from ask(f"{window.name}.causal", window.context, [inner_part(window.ids)])
    return Scores(
        {slot: float(np.exp(answer.target[slot])) for slot in window.open},
        {slot: int(answer.best[slot]) for slot in window.open},
    )


def posterior(window: Window, vocabulary: Vocabulary) -> Steps[Scores]:
    """P(token | both sides) by the causal reading, among the likeliest tokens of each slot.

    P(v | left, right) is proportional to P(v | left) P(right | left, v); right is the next HORIZON
    tokens, the suffix included. Rivals that no right side could save are not tried: those REACH
    nats behind the token that stands; of too many, the likeliest RIVALS are.
    """
    ids, suffix = window.ids, window.context.suffix[:HORIZON]
    line = (*ids, *suffix)
    rows = tuple(range(len(line)))
    whole = Part(line, rows, line, with_suffix=False, choices=CHOICES)
    (standing,) = yield from ask(f"{window.name}.left", window.context, [whole])
    rivals = _rivals(window, standing, vocabulary)
    heard = [swap for swap in rivals if swap.slot + 1 < len(line)][:RIVALS]
    parts = [_with(line, swap.slot, swap.token) for swap in heard]
    answers = yield from ask(f"{window.name}.right", window.context, parts)
    swaps = []
    for swap, answer in zip(heard, answers, strict=True):
        behind = standing.target[swap.slot + 1 : swap.slot + 1 + HORIZON]
        gain = swap.gain + float(answer.target.sum() - behind.sum())
        swaps.append(replace(swap, gain=gain))
    return _posterior_scores(window, swaps, [swap for swap in rivals if swap not in heard])


def _rivals(window: Window, standing: Answer, vocabulary: Vocabulary) -> list[Swap]:
    """Likely tokens by the left side alone, most nats ahead of the one that stands first."""
    found = []
    for slot in window.open:
        own = float(standing.target[slot])
        pairs = zip(standing.choices[slot], standing.choice_log_probs[slot], strict=True)
        for token, log_prob in pairs:
            silent = int(token) in vocabulary.silent or int(token) == window.slots[slot].token
            if not silent and log_prob >= max(own - REACH, FLOOR):
                found.append(Swap(slot, int(token), float(log_prob) - own))
    return sorted(found, key=lambda swap: -swap.gain)


def _with(line: tuple[int, ...], slot: int, token: int) -> Part:
    """What stands right of a slot, once the slot holds `token`."""
    behind = line[slot + 1 : slot + 1 + HORIZON]
    rows = tuple(range(slot + 1, slot + 1 + len(behind)))
    return Part((*line[:slot], token, *behind), rows, behind, with_suffix=False)


def _posterior_scores(window: Window, tested: list[Swap], others: list[Swap]) -> Scores:
    """Chances among all rivals; the untested ones count as the left side sees them."""
    chance, best = {}, {}
    for slot in window.open:
        here = [swap for swap in (*tested, *others) if swap.slot == slot]
        odds = sum(float(np.exp(min(swap.gain, 50.0))) for swap in here)
        chance[slot] = 1 / (1 + odds)
        leader = max(here, key=lambda swap: swap.gain, default=None)
        ahead = leader is not None and leader.gain > 0
        best[slot] = leader.token if leader and ahead else window.slots[slot].token
    return Scores(chance, best, tuple(sorted(tested, key=lambda swap: -swap.gain)))


SCORERS: dict[str, Scorer] = {"canvas": canvas, "causal": causal, "posterior": posterior}

"""How sure the model is of every token that stands: one program per scorer, and their table.

`canvas` and `posterior` are leave-one-out probabilities (one of the canvas reading, exact; one of
the causal reading by Bayes' rule); `causal` looks left, and at the suffix segment, alone.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from engine.making import pinned_canvas
from engine.query import Answer, Part
from engine.revision.edits import Swap, Vocabulary, respellings, single_swaps
from engine.revision.passage import Window
from engine.revision.program import Steps, ask
from engine.scores import inner_part, leave_one_out_parts
from models.config import ModelConfig

HORIZON = 16
CHOICES = 12
RIVALS = 40


@dataclass(frozen=True, slots=True)
class Scores:
    """Probability of each token that may change, the likeliest token there, and rivals of it."""

    chance: dict[int, float]
    best: dict[int, int]
    swaps: tuple[Swap, ...] = ()
    """Best first."""


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
    tokens, the suffix included. Of too many single tokens, the RIVALS that the left side finds
    likeliest are tried; and so are other words, at their own lengths.
    """
    ids, suffix = window.ids, window.context.suffix[:HORIZON]
    line = (*ids, *suffix)
    rows = tuple(range(len(line)))
    whole = Part(line, rows, line, with_suffix=False, choices=CHOICES)
    (standing,) = yield from ask(f"{window.name}.left", window.context, [whole])
    singles = single_swaps(window, standing, vocabulary)
    heard = [*singles[:RIVALS], *respellings(window, standing, vocabulary)]
    heard = [swap for swap in heard if swap.stop < len(line)]
    tested = yield from _measured(window, line, standing, heard)
    unheard = [swap for swap in singles if swap not in heard]
    return _posterior_scores(window, tested, unheard)


def _measured(
    window: Window, line: tuple[int, ...], standing: Answer, swaps: Sequence[Swap]
) -> Steps[list[Swap]]:
    """What each swap gains: log P(it and what follows) less that of what stands."""
    if not swaps:
        return []
    whole = Part(line, (0,), line[:1], with_suffix=False)
    parts = [whole, *(_with(line, swap) for swap in swaps)]
    answers = yield from ask(f"{window.name}.right", window.context, parts)
    tested = []
    for swap, answer in zip(swaps, answers[1:], strict=True):
        old = standing.target[swap.start : swap.stop + HORIZON]
        tested.append(replace(swap, gain=float(answer.target.sum() - old.sum())))
    return tested


def _with(line: tuple[int, ...], swap: Swap) -> Part:
    """The line with a swap: its tokens, and those right of it, are asked."""
    asked = (*swap.tokens, *line[swap.stop : swap.stop + HORIZON])
    rows = tuple(range(swap.start, swap.start + len(asked)))
    shared = max(0, swap.start - 1)
    return Part((*line[: swap.start], *asked), rows, asked, with_suffix=False, shared=shared)


def _posterior_scores(window: Window, tested: list[Swap], others: list[Swap]) -> Scores:
    """Chances among all rivals; the untested ones count as the left side sees them."""
    chance, best = {}, {}
    for slot in window.open:
        here = [swap for swap in (*tested, *others) if slot in swap.slots]
        odds = sum(float(np.exp(min(swap.gain, 50.0))) for swap in here)
        chance[slot] = 1 / (1 + odds)
        leader = max(here, key=lambda swap: swap.gain, default=None)
        ahead = leader is not None and leader.gain > 0
        best[slot] = leader.tokens[0] if leader and ahead else window.slots[slot].token
    return Scores(
        chance, best, tuple(sorted(tested, key=lambda swap: (-swap.gain, not swap.narrow)))
    )


SCORERS: dict[str, Scorer] = {"canvas": canvas, "causal": causal, "posterior": posterior}

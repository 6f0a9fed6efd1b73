"""NFE against quality for every policy and threshold, on lines of held-out packages only."""

import time
from collections.abc import Sequence
from difflib import SequenceMatcher
from typing import Any

from engine.client import EngineClient
from models.tokenizer import Tokenizer
from protocol.messages import Done
from tests.bench.common.stats import mean, wilson
from tests.bench.fill.arms import Arm
from tests.bench.fill.drive import fill_all
from tests.bench.fill.heldout import Place


def measure(
    client: EngineClient, tokenizer: Tokenizer, arm: Arm, places: Sequence[Place]
) -> dict[str, Any]:
    """One point of the curve: exact match, token agreement and cost of an arm over `places`."""
    fills = [arm.fill(str(number), place.whole_line) for number, place in enumerate(places)]
    began = time.perf_counter()
    ends = {int(end.id or 0): end for end in fill_all(client, fills, arm.in_flight)}
    seconds = time.perf_counter() - began
    done = {number: end for number, end in ends.items() if isinstance(end, Done)}
    texts = [done[n].text if n in done else "" for n in range(len(places))]
    exact = sum(text.strip() == p.line.strip() for text, p in zip(texts, places, strict=True))
    forwards = sum(end.stats.forwards for end in done.values())
    tokens = sum(len(end.tokens) for end in done.values())
    return {
        "arm": arm.name,
        "policy": arm.sampling.policy or "default",
        "settings": arm.settings()["sampling"],
        "places": len(places),
        "errors": len(places) - len(done),
        "exact": exact / len(places),
        "exact_interval": wilson(exact, len(places)),
        "agreement": mean(
            [agreement(tokenizer, t, p.line) for t, p in zip(texts, places, strict=True)]
        ),
        "nfe": forwards / max(1, len(done)),
        "tokens_per_nfe": tokens / max(1, forwards),
        "seconds_per_fill": seconds / len(places),
    }


def agreement(tokenizer: Tokenizer, text: str, truth: str) -> float:
    """Share of tokens that stand in both lines in the same order (Ratcliff-Obershelp), 0..1."""
    ours, theirs = tokenizer.encode(text.rstrip()), tokenizer.encode(truth.rstrip())
    return SequenceMatcher(None, ours, theirs, autojunk=False).ratio()

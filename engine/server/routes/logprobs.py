"""Tokens and their log-probabilities as OpenAI's legacy completions tell them."""

import math
from collections.abc import Iterable
from itertools import accumulate
from typing import Any

from protocol.messages import Token

LEAST = 1e-30
"""Log-probabilities end here; JSON has no infinity."""


def logprobs_of(tokens: Iterable[Token], at: int) -> dict[str, Any]:
    """OpenAI's table of tokens: log-probability when revealed, and where each starts from `at` on.

    No other token than the one that stands is known.
    """
    shown = [token for token in tokens if token.text]
    chances = [round(math.log(max(token.confidence, LEAST)), 4) for token in shown]
    texts = [token.text for token in shown]
    offsets = list(accumulate(map(len, texts), initial=at))[: len(texts)]
    top = [{text: chance} for text, chance in zip(texts, chances, strict=True)]
    return {
        "tokens": texts,
        "token_logprobs": chances,
        "top_logprobs": top,
        "text_offset": offsets,
    }

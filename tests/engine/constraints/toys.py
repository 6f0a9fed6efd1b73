"""A vocabulary of ten tokens and the brute-force answers the scans are held to."""

import itertools
import re
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from hypothesis import settings

from engine.constraints.canvas import CanvasConstraint, Specials
from engine.constraints.limits import Bounds, Limits
from engine.constraints.regex import full_match
from engine.constraints.token_lift import lift
from engine.constraints.vocabulary import Vocabulary

# Property tests assert no wall-clock time: machines may be busy.
UNTIMED = settings(deadline=None, max_examples=50)
TOKENS: list[bytes | None] = [None, b"a", b"b", b"ab", b"ba", b"aa", None, None, b"c", b"b"]
END, OTHER, PAD = 0, 6, 7  # special ids; the second means nothing here
VOCABULARY = Vocabulary(TOKENS)
SPECIALS = Specials(end=(END,), pad=(PAD,))


def constraint(
    pattern: str, texts: Sequence[bytes] = (b"", b""), specials: Specials = SPECIALS
) -> CanvasConstraint:
    dfa = full_match(pattern, Limits(), Bounds()).dfa
    return CanvasConstraint(lift(dfa, VOCABULARY, Limits()), specials, texts)


def hole_text(tokens: Sequence[int]) -> bytes | None:
    """The text of a hole, None if its end and padding stand wrong or a token spells nothing."""
    text, ended = b"", False
    for token in tokens:
        if token == OTHER:
            return None
        if token == PAD and not ended:
            return None
        if token not in (END, PAD) and ended:
            return None
        if token == END and ended:
            return None
        ended = ended or token == END
        text += TOKENS[token] or b""
    return text


def valid_fillings(
    pattern: str,
    texts: tuple[bytes, bytes],
    log_probs: npt.NDArray[np.float64],
    fixed: npt.NDArray[np.int64],
) -> dict[tuple[int, ...], float]:
    """Every valid filling with its log-probability over the open slots."""
    matcher = re.compile(pattern.encode())
    rows = np.cumsum(fixed < 0) - 1
    found = {}
    for tokens in itertools.product(range(len(TOKENS)), repeat=len(fixed)):
        if any(f >= 0 and f != t for f, t in zip(fixed, tokens, strict=True)):
            continue
        text = hole_text(tokens)
        if text is not None and matcher.fullmatch(texts[0] + text + texts[1]):
            found[tokens] = float(
                sum(log_probs[rows[i], t] for i, t in enumerate(tokens) if fixed[i] < 0)
            )
    return found


def random_rows(
    rng: np.random.Generator, rows: int, spread: float = 1.5
) -> npt.NDArray[np.float64]:
    logits = rng.standard_normal((rows, len(TOKENS))) * spread
    return np.asarray(logits - np.logaddexp.reduce(logits, axis=1, keepdims=True))

"""What other texts gain in a window's place, in nats of the causal reading."""

from collections.abc import Sequence

from engine.cache import common_prefix
from engine.query import Answer, Part, Query
from engine.revision.passage import Window
from engine.revision.program import Steps
from engine.scores import SUFFIX_TOKENS, inner_part, suffix_part

Ids = tuple[int, ...]


def gains(window: Window, texts: Sequence[Ids]) -> Steps[list[float]]:
    """For each text, what log P(text | prefix, suffix segment) + log P(first suffix tokens |
    prefix, text) rises by.

    Sums: means a byte reward dropping or adding bytes, and weigh the few bytes of the suffix so
    high that on held-out files sound lines were shortened. What a text has in common with the old
    one is run once.
    """
    if not texts:
        return []
    suffix = window.context.suffix[:SUFFIX_TOKENS]
    known = [_common(window.ids, text) for text in texts]
    inner = [inner_part(window.ids), *map(_inner, texts, known)]
    queries = [Query(f"{window.name}.vote", window.context, inner)]
    if suffix:
        outer = [suffix_part(window.ids, suffix)]
        outer += [_outer(text, suffix, n) for text, n in zip(texts, known, strict=True)]
        queries.append(Query(f"{window.name}.after", window.context, outer))
    yield list(queries)
    old, *new = queries[0].answers
    found = [_sum(answer) - _sum(old, n) for answer, n in zip(new, known, strict=True)]
    if suffix:
        old, *new = queries[1].answers
        found = [gain + _sum(answer) - _sum(old) for gain, answer in zip(found, new, strict=True)]
    return found


def _common(old: Ids, new: Ids) -> int:
    """Tokens both begin with; at least one of the new text is left to be asked."""
    return min(common_prefix(list(old), new), len(new) - 1)


def _inner(text: Ids, known: int) -> Part:
    rows = tuple(range(known, len(text)))
    return Part(text, rows, text[known:], shared=max(0, known - 1))


def _outer(text: Ids, suffix: Ids, known: int) -> Part:
    whole = suffix_part(text, suffix)
    return Part(
        whole.tokens, whole.rows, whole.targets, with_suffix=False, shared=max(0, known - 1)
    )


def _sum(answer: Answer, start: int = 0) -> float:
    return float(answer.target[start:].sum())

"""How good a text is between two others: what to ask the model, and the figures made of it."""

from collections.abc import Iterable

from engine.query import Part

SUFFIX_TOKENS = 8
INNER_WEIGHT = 0.5

Ids = tuple[int, ...]


def inner_part(ids: Ids) -> Part:
    """The text's own tokens, read causally."""
    return Part(ids, tuple(range(len(ids))), ids)


def suffix_part(ids: Ids, suffix: Ids) -> Part:
    """The suffix's tokens behind a text, read causally and blind to the suffix segment."""
    rows = tuple(range(len(ids), len(ids) + len(suffix)))
    return Part((*ids, *suffix), rows, suffix, with_suffix=False)


def mean_score(inner: float, size: int, outer: float, suffix_size: int) -> float:
    """0.5 x log P(text) a byte + 0.5 x log P(suffix) a byte, in nats; text alone without suffix.

    The rerank of PILL (see engine.search); `inner` and `outer` are sums, the sizes bytes.
    """
    if not suffix_size:
        return inner / size
    return INNER_WEIGHT * inner / size + (1 - INNER_WEIGHT) * outer / suffix_size


def leave_one_out_parts(ids: Ids, slots: Iterable[int], mask: int, frame: Ids = ()) -> list[Part]:
    """One canvas for each of the slots, that slot masked and every other token in sight.

    `frame` stands behind the text (end mark and padding, as the canvas reading was trained).
    The answer's target is log P(ids[slot] | everything else): exact, since the shared context
    does not depend on the canvas. Costs len(slots) x len(ids) rows.
    """
    return [
        Part((*ids[:slot], mask, *ids[slot + 1 :], *frame), (slot,), (ids[slot],), canvas=True)
        for slot in slots
    ]

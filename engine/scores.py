"""How good a text is between two others: what to ask the model, and the figures made of it."""

from collections.abc import Iterable

from engine.query import Part

SUFFIX_TOKENS = 8

Ids = tuple[int, ...]


def inner_part(ids: Ids) -> Part:
    """The text's own tokens, read causally."""
    return Part(ids, tuple(range(len(ids))), ids)


def suffix_part(ids: Ids, suffix: Ids) -> Part:
    """The suffix's tokens behind a text, read causally and blind to the suffix segment."""
    rows = tuple(range(len(ids), len(ids) + len(suffix)))
    return Part((*ids, *suffix), rows, suffix, with_suffix=False)


def text_score(inner: float, size: int, outer: float | None) -> float:
    """log P(text | prefix) + log P(suffix | prefix, text) in nats: Bayes' rule, up to a constant.

    `inner` and `outer` are sums. The suffix begins with what follows the hole, so it also says
    whether the text may end there; without one (None), texts of `size` bytes are compared a byte.
    """
    return inner / size if outer is None else inner + outer


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

"""Spans while the document is edited: what an edit may have been, where spans are then. Pure."""

from collections.abc import Sequence

from lsp_server.reading.spans import Change, Span, changed, common_suffix, shift_all, tightened


def readings(old: str, new: str, told: tuple[int, int, str] | None = None) -> tuple[Change, ...]:
    """The changes that an edit may have been, the likeliest first; none if it changed nothing.

    `told` is what the editor says; it is taken where it makes the same text. Editors minimise
    edits: Enter above an indented line may be told as if it came inside that line. So an insertion
    is read from both ends. A deletion is not: it may be the span itself that went, beside its like.
    """
    found = changed(old, new)
    if found is None:
        return ()
    first = (_told(old, new, told) if told is not None else None) or found
    if first.start < first.stop:
        return (first,)
    last = len(old) - common_suffix(old, new, len(old))
    return first, found, Change(last, last, new[last : last + found.growth])


def follow(spans: Sequence[Span], edit: Sequence[Change]) -> list[Span] | None:
    """All spans behind an edit, by the first reading outside them; None if there is none."""
    return next((moved for it in edit if (moved := shift_all(spans, it)) is not None), None)


def _told(old: str, new: str, told: tuple[int, int, str]) -> Change | None:
    start, stop, text = told
    made = old[:start] + text + old[stop:]
    return tightened(Change(start, stop, text), old) if made == new else None

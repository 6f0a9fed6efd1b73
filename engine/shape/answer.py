"""Owns the answer: the model's text with edits, and which part of it each token brought."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Edit:
    """Characters `start:stop` of the model's text become `text`."""

    start: int
    stop: int
    text: str = ""


@dataclass(frozen=True, slots=True)
class Answer:
    """What belongs into the document.

    Attributes:
        text: exactly what is inserted.
        edits: what was changed in the model's text to get it; in order, apart from one another.
    """

    text: str
    edits: tuple[Edit, ...] = ()

    def pieces(self, parts: Sequence[str]) -> list[str]:
        """The answer cut along `parts`, which join to the model's text.

        The pieces join to the answer; what an edit puts in belongs to the part it starts in.
        """
        bounds = [0]
        for part in parts:
            bounds.append(bounds[-1] + len(part))
        source = "".join(parts)
        pieces, edits, at = [], list(self.edits), 0
        for number, stop in enumerate(bounds[1:], 1):
            piece, last = "", number == len(parts)
            while edits and (edits[0].start < stop or last):
                edit = edits.pop(0)
                piece += source[at : edit.start] + edit.text
                at = max(at, edit.stop)
            pieces.append(piece + source[at : max(at, stop)])
            at = max(at, stop)
        return pieces


def edited(source: str, edits: Sequence[Edit]) -> Answer:
    """The answer that `edits` make of `source`."""
    pieces, at = [], 0
    for edit in edits:
        pieces += [source[at : edit.start], edit.text]
        at = edit.stop
    return Answer("".join([*pieces, source[at:]]), tuple(edits))


def stretched(answer: Answer, stop: int, end: int) -> Answer:
    """The answer to a text that goes on to `end`, all of which from `stop` on is dropped."""
    edits = list(answer.edits)
    last = edits.pop() if edits and edits[-1].stop == stop else Edit(stop, stop)
    return Answer(answer.text, (*edits, Edit(last.start, end, last.text)))


def behind(answer: Answer, given: str, text: str) -> Answer:
    """The part of an answer behind the text `given`, which stands as it is.

    `text` is the model's text from there on; what was to be changed before it is not. Of a change
    across the edge only what goes on behind the given text is made.
    """
    start, moved = len(given), []
    for edit in answer.edits:
        stands = given[edit.start :]
        put = edit.text.removeprefix(stands)
        goes_on = edit.stop > start or edit.start >= start
        if goes_on or (edit.stop == start and put != edit.text and put):
            moved.append(Edit(max(0, edit.start - start), max(0, edit.stop - start), put))
    return edited(text, moved)

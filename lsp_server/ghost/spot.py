"""Where ghost text is wanted: a cursor in one state of a document."""

from dataclasses import dataclass
from functools import cached_property

from lsprotocol import types

from lsp_server.documents import Document
from lsp_server.text import newlines

CLOSERS = frozenset(")]}>\"'`")
MOST_CLOSED = 4


@dataclass(frozen=True)
class Spot:
    """A place for a text.

    Attributes:
        document: the state of the document.
        start, stop: what the text replaces besides `lead`: nothing, or what the chosen entry of an
            open completion menu would replace.
        lead: the chosen entry, which the text continues.
    """

    document: Document
    start: int
    stop: int
    lead: str = ""

    @cached_property
    def before(self) -> str:
        """The text before, line breaks as `\\n`."""
        return newlines(self.document.text.value[: self.start]) + self.lead

    @cached_property
    def after(self) -> str:
        """The text after, line breaks as `\\n`."""
        return newlines(self.document.text.value[self.stop :])

    @property
    def line(self) -> str:
        """The line so far."""
        return self.before[self.before.rfind("\n") + 1 :]

    @property
    def rest(self) -> str:
        """What stands right of the cursor on its line."""
        return self.after.partition("\n")[0]

    def moved(self, now: Document) -> "Spot | None":
        """The same place in a later state, behind what was typed there since; None if it's gone."""
        if now.uri != self.document.uri:
            return None
        behind = len(self.document.text) - self.stop
        place = len(now.text) - behind
        if place < self.start:
            return None
        old, new = self.document.text.value, now.text.value
        if new[: self.start] != old[: self.start] or new[place:] != old[self.stop :]:
            return None
        return Spot(now, place, place)


def typed_since(base: tuple[str, str], spot: Spot) -> str | None:
    """What was typed between the texts `base` to get to `spot`; None if that isn't all.

    Brackets and quotes that an editor closes by itself behind what is typed are let pass.
    """
    before, after = base
    if not spot.before.startswith(before):
        return None
    typed = spot.before[len(before) :]
    if spot.after == after:
        return typed
    extra = len(spot.after) - len(after)
    closed = spot.after[: max(0, extra)]
    if typed and 0 < extra <= MOST_CLOSED and set(closed) <= CLOSERS:
        return typed if spot.after[extra:] == after else None
    return None


def spot_at(
    document: Document, position: types.Position, chosen: types.SelectedCompletionInfo | None
) -> Spot | None:
    """The place an editor asks for; None if a text is selected: nothing is offered for one."""
    offset = document.offset(position)
    if chosen is None:
        return Spot(document, offset, offset)
    start, stop = document.span(chosen.range)
    replaced = document.text.value[start:stop]
    if "\n" in replaced or "\r" in replaced or not start <= offset <= stop:
        return None
    if not chosen.text.startswith(document.text.value[start:offset]):
        return None
    if chosen.text == replaced and offset != stop:
        return None
    return Spot(document, start, stop, newlines(chosen.text))

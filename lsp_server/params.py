"""Parts that the params of several `retouch/*` methods share; see METHODS.md."""

from typing import Annotated

from lsprotocol import types
from msgspec import Meta, Struct

Uri = Annotated[str, Meta(min_length=1, max_length=8192)]
Number = Annotated[int, Meta(ge=0, le=2**31 - 1)]
Name = Annotated[str, Meta(min_length=1, max_length=128)]
Token = int | Annotated[str, Meta(max_length=1024)]
"""Where the editor wants to see progress."""


class WirePosition(Struct, frozen=True):
    """A position in the agreed encoding."""

    line: Number
    character: Number

    def lsp(self) -> types.Position:
        """As lsprotocol has it."""
        return types.Position(self.line, self.character)


class WireRange(Struct, frozen=True):
    """A range; the end is not in it."""

    start: WirePosition
    end: WirePosition

    @classmethod
    def of(cls, range_: types.Range) -> "WireRange":
        """From lsprotocol's."""
        start, end = (
            WirePosition(place.line, place.character) for place in (range_.start, range_.end)
        )
        return cls(start, end)

    def lsp(self) -> types.Range:
        """As lsprotocol has it."""
        return types.Range(self.start.lsp(), self.end.lsp())


class DocumentId(Struct, frozen=True):
    """A document, and which state of it the editor means."""

    uri: Uri
    version: int | None = None


class Nothing(Struct, frozen=True):
    """Params of methods that take none."""

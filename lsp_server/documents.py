"""Our own mirror of the documents that are open in the editor."""

import re
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath
from urllib.parse import unquote, urlsplit

from lsprotocol.types import Position, Range, TextDocumentContentChangeEvent

from lsp_server.text import Encoding, Place, Text

MOST_DOCUMENTS = 4096
_DRIVE = re.compile(r"/[A-Za-z]:")


@dataclass(frozen=True, slots=True)
class Document:
    """One state of an open document; a later state is another value, so keep it as a snapshot.

    Attributes:
        version: the editor's number of this state.
        language: the editor's name of the language.
        text: what it holds, line breaks as the editor sent them.
        encoding: what positions count.
        opened: another number each time a document is opened.
        edit: the one edit that made it of the state before, as the editor told it: characters
            [start, stop) and what came in their place; None if that isn't known.
    """

    uri: str
    version: int
    language: str
    text: Text
    encoding: Encoding
    opened: int = 0
    edit: tuple[int, int, str] | None = None

    @property
    def path(self) -> PurePath | None:
        """Where the file is, if it is a file."""
        return uri_path(self.uri)

    def offset(self, position: Position) -> int:
        """Offset of a position, moved inside the document if it lies outside."""
        return self.text.offset(Place(position.line, position.character), self.encoding)

    def position(self, offset: int) -> Position:
        """The position of an offset."""
        place = self.text.place(offset, self.encoding)
        return Position(place.line, place.character)

    def span(self, range_: Range) -> tuple[int, int]:
        """Offsets [start, stop) of a range; the wrong way round is put right."""
        start, stop = self.offset(range_.start), self.offset(range_.end)
        return min(start, stop), max(start, stop)

    def range(self, start: int, stop: int) -> Range:
        """The range of offsets [start, stop)."""
        return Range(self.position(start), self.position(stop))

    def changed(
        self, version: int, changes: Sequence[TextDocumentContentChangeEvent]
    ) -> "Document":
        """The state behind `changes`, each of which is about the state behind the one before."""
        text, edit = self.text, None
        for change in changes:
            range_ = getattr(change, "range", None)
            if range_ is None:
                text, edit = Text.of(change.text), None
                continue
            start, stop = replace(self, text=text).span(range_)
            text, edit = text.replaced(start, stop, change.text), (start, stop, change.text)
        return replace(self, version=version, text=text, edit=edit if len(changes) == 1 else None)


class Documents:
    """The open documents, the one used last at the end.

    Attributes:
        encoding: what the editor's positions count.
    """

    def __init__(self, encoding: Encoding = "utf-16") -> None:
        self.encoding: Encoding = encoding
        self._open: OrderedDict[str, Document] = OrderedDict()
        self._count = 0

    def __iter__(self) -> Iterator[Document]:
        """The documents, the one used last first."""
        return reversed(list(self._open.values()))

    def get(self, uri: str) -> Document | None:
        """The document as it is now; None if it is not open. Never reads a file."""
        return self._open.get(uri)

    def opened(self, uri: str, version: int, language: str, text: str) -> Document:
        """A document was opened."""
        self._open.pop(uri, None)
        while len(self._open) >= MOST_DOCUMENTS:
            self._open.popitem(last=False)
        self._count += 1
        document = Document(uri, version, language, Text.of(text), self.encoding, self._count)
        self._open[uri] = document
        return document

    def changed(
        self, uri: str, version: int, changes: Sequence[TextDocumentContentChangeEvent]
    ) -> Document | None:
        """A document was edited; the new state, None if it is not open."""
        if (old := self._open.get(uri)) is None:
            return None
        self._open[uri] = new = old.changed(version, changes)
        self._open.move_to_end(uri)
        return new

    def touched(self, uri: str) -> None:
        """A document was looked at."""
        if uri in self._open:
            self._open.move_to_end(uri)

    def closed(self, uri: str) -> None:
        """A document was closed."""
        self._open.pop(uri, None)


def uri_path(uri: str) -> PurePath | None:
    """The path of a `file:` address; None for anything else."""
    try:
        parts = urlsplit(uri)
    except ValueError:
        return None
    if parts.scheme != "file":
        return None
    path = unquote(parts.path)
    if _DRIVE.match(path):
        path = path[1:]
    return PurePath(f"//{parts.netloc}{path}" if parts.netloc else path)

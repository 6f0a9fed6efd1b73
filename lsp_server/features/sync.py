"""The mirror of the editor's documents. Handlers run in order, each before the next message."""

from lsprotocol import types

from lsp_server.feature import Method, Row
from lsp_server.server import RetouchServer


def opened(server: RetouchServer, params: types.DidOpenTextDocumentParams) -> None:
    """A document is open from now on."""
    item = params.text_document
    server.documents.opened(item.uri, item.version, item.language_id, item.text)


def changed(server: RetouchServer, params: types.DidChangeTextDocumentParams) -> None:
    """A document was edited; watchers hear of each change, so that edits apart stay apart."""
    document = params.text_document
    for changes in [[change] for change in params.content_changes] or [[]]:
        old = server.documents.get(document.uri)
        new = server.documents.changed(document.uri, document.version, changes)
        if old is not None and new is not None:
            for watcher in server.watchers:
                watcher(old, new)


def closed(server: RetouchServer, params: types.DidCloseTextDocumentParams) -> None:
    """A document is not open any more."""
    uri = params.text_document.uri
    server.documents.closed(uri)
    for closing in server.closing:
        closing(uri)


ROWS: tuple[Row, ...] = (
    Method(types.TEXT_DOCUMENT_DID_OPEN, opened),
    Method(types.TEXT_DOCUMENT_DID_CHANGE, changed),
    Method(types.TEXT_DOCUMENT_DID_CLOSE, closed),
)

"""What is checked before a job begins: an open document of the version meant, a place in it."""

from lsprotocol.types import LSPErrorCodes
from pygls.exceptions import JsonRpcException

from lsp_server.documents import Document
from lsp_server.params import DocumentId
from lsp_server.readable.readable import Readable
from lsp_server.reading.spans import Span
from lsp_server.server import RetouchServer

MOST_CHARACTERS, MOST_LINES = 64 * 1024, 400


def refusal(why: str, code: LSPErrorCodes = LSPErrorCodes.RequestFailed) -> JsonRpcException:
    """The error that tells a person why a request isn't done."""
    return JsonRpcException(why, code.value)


def snapshot(server: RetouchServer, wanted: DocumentId) -> Document:
    """The document that is meant; raises a refusal if it is another one now, or none of ours."""
    document = server.documents.get(wanted.uri)
    if document is None:
        raise refusal("This document is not open.")
    if wanted.version is not None and wanted.version != document.version:
        raise refusal("The document has changed since; ask again.", LSPErrorCodes.ContentModified)
    if not server.settings.enable:
        raise refusal("Retouch is switched off.")
    if not server.part(Readable).allows(document):
        raise refusal("Retouch leaves this document alone: see the settings for what it may read.")
    return document


def selected(document: Document, span: Span) -> Span:
    """A span to work on; raises a refusal if it is too large."""
    text = document.text
    lines = text.line_of(span.stop) - text.line_of(span.start)
    if span.stop - span.start > MOST_CHARACTERS or lines > MOST_LINES:
        raise refusal(
            f"Select less: at most {MOST_LINES} lines and {MOST_CHARACTERS} characters can be "
            "worked on at once."
        )
    return span

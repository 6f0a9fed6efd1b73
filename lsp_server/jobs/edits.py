"""Edits of one version of a document, in the form that the editor takes."""

from collections.abc import Sequence

from lsprotocol import types

from lsp_server.documents import Document
from lsp_server.reading.edits import as_lines
from lsp_server.reading.spans import Change
from lsp_server.server import RetouchServer

CANT_ASK = "This editor can't ask before it applies an edit; `diffFirst` does nothing here."
ANNOTATION = "retouch"


def asks(server: RetouchServer) -> bool:
    """Whether the editor is to ask a person about an edit; the log says so if it can't."""
    if not server.settings.diff_first:
        return False
    able = _abilities(server)
    if able is not None and able.document_changes and able.change_annotation_support is not None:
        return True
    server.tell_once(CANT_ASK)
    return False


def workspace_edit(
    server: RetouchServer, document: Document, changes: Sequence[Change], question: str = ""
) -> types.WorkspaceEdit:
    """The edit of one version; for an editor that doesn't say it knows versions, in both forms.

    With a question the editor applies it only if a person says yes; see `asks`.
    """
    edits = [
        types.TextEdit(document.range(change.start, change.stop), as_lines(change.text))
        for change in changes
    ]
    if question:
        return _asking(document, edits, question)
    versioned = types.TextDocumentEdit(_named(document), list(edits))
    able = _abilities(server)
    if able is not None and able.document_changes:
        return types.WorkspaceEdit(document_changes=[versioned])
    return types.WorkspaceEdit(changes={document.uri: edits}, document_changes=[versioned])


def _asking(
    document: Document, edits: Sequence[types.TextEdit], question: str
) -> types.WorkspaceEdit:
    asking = [types.AnnotatedTextEdit(ANNOTATION, it.range, it.new_text) for it in edits]
    note = types.ChangeAnnotation(f"Retouch: {question}", needs_confirmation=True)
    return types.WorkspaceEdit(
        document_changes=[types.TextDocumentEdit(_named(document), asking)],
        change_annotations={ANNOTATION: note},
    )


def _named(document: Document) -> types.OptionalVersionedTextDocumentIdentifier:
    return types.OptionalVersionedTextDocumentIdentifier(document.uri, document.version)


def _abilities(server: RetouchServer) -> types.WorkspaceEditClientCapabilities | None:
    workspace = server.client_capabilities.workspace
    return workspace.workspace_edit if workspace is not None else None

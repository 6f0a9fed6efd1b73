"""Starting, settings, and the jobs' way through edits of their document."""

from lsprotocol import types

from tests.clients.vscode.scripted.places import moved
from tests.clients.vscode.scripted.state import Server, plain


def add(server: Server) -> None:
    @server.feature(types.INITIALIZE)
    def initialize(params: types.InitializeParams) -> None:
        announced = plain(params.capabilities.experimental)
        server.note("initialize", {**announced, "options": params.initialization_options})

    @server.feature(types.INITIALIZED)
    def initialized(params: types.InitializedParams) -> None:
        server.status("idle", "Ready")

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    def did_change(params: types.DidChangeTextDocumentParams) -> None:
        server.note("didChange", params)
        for job in server.jobs.values():
            for change in params.content_changes:
                spans = [moved(hole.span, change) for hole in job.holes]
                for hole, span in zip(job.holes, spans, strict=True):
                    hole.span = span or hole.span
                if job.uri == params.text_document.uri and None in spans:
                    job.reason = "conflict"

    @server.feature(types.WORKSPACE_DID_CHANGE_CONFIGURATION)
    def did_change_configuration(params: types.DidChangeConfigurationParams) -> None:
        server.note("didChangeConfiguration", params.settings)

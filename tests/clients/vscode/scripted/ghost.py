"""Ghost text by the line before the cursor."""

from lsprotocol import types

from tests.clients.vscode.script import GHOSTS
from tests.clients.vscode.scripted.state import Server


def add(server: Server) -> None:
    @server.feature(
        types.TEXT_DOCUMENT_INLINE_COMPLETION,
        types.InlineCompletionOptions(work_done_progress=False),
    )
    def inline_completion(params: types.InlineCompletionParams) -> list[types.InlineCompletionItem]:
        server.note("inlineCompletion", params)
        document = server.workspace.get_text_document(params.text_document.uri)
        line = document.lines[params.position.line].rstrip("\r\n") if document.lines else ""
        where = types.Range(params.position, params.position)
        return [
            types.InlineCompletionItem(
                text,
                range=where,
                command=types.Command("accepted", "retouch.accepted", arguments=[text]),
            )
            for text in GHOSTS.get(line, ())
        ]

    @server.command("retouch.accepted")
    def accepted(text: str) -> None:
        server.note("retouch.accepted", text)

"""Jobs for a range: rewrite, by request or code action, and revise."""

from typing import Any

from lsprotocol import types

from tests.clients.vscode.script import rewritten
from tests.clients.vscode.scripted.places import span_of, text_in
from tests.clients.vscode.scripted.running import start
from tests.clients.vscode.scripted.state import Hole, Server


def add(server: Server) -> None:
    @server.feature("retouch/rewrite")
    async def rewrite(params: Any) -> dict[str, str]:
        server.note("retouch/rewrite", params)
        return {"jobId": begin(server, params, getattr(params, "instruction", None))}

    @server.feature("retouch/revise")
    async def revise(params: Any) -> dict[str, str]:
        server.note("retouch/revise", params)
        return {"jobId": begin(server, params, "short")}

    @server.feature(types.TEXT_DOCUMENT_CODE_ACTION)
    def code_action(params: types.CodeActionParams) -> list[types.CodeAction]:
        if params.range.start == params.range.end:
            return []
        arguments = [params.text_document.uri, params.range]
        return [
            types.CodeAction(
                "Retouch: rewrite selection",
                kind=types.CodeActionKind.RefactorRewrite,
                command=types.Command("rewrite", "retouch.rewrite", arguments=arguments),
            )
        ]

    @server.command("retouch.rewrite")
    def rewrite_command() -> None:
        """Only its name counts: the client carries it out."""


def begin(server: Server, params: Any, instruction: str | None) -> str:
    """Starts the rewrite of a range."""
    first, last = params.range.start, params.range.end
    document = server.workspace.get_text_document(params.textDocument.uri)
    span = span_of(first.line, first.character, last.line, last.character)
    text = rewritten(text_in(document.lines, span), instruction)
    holes, said = [Hole(span, text)], instruction or ""
    hold, diff_first = "hold" in said, "diff" in said
    return start(server, params.textDocument.uri, holes, hold=hold, diff_first=diff_first)

"""Words and placeholders: reroll, fill holes, and how sure the model is of each word."""

import re
from typing import Any

from tests.clients.vscode.scripted.places import span_of
from tests.clients.vscode.scripted.running import start
from tests.clients.vscode.scripted.state import Hole, Server

HOLE = re.compile(r"\.\.\.|TODO|___|<fill>")
SURE = {"total": 0.72, "values": 0.95, "len": 0.2, "mean": 0.45}


def add(server: Server) -> None:
    @server.feature("retouch/reroll")
    async def reroll(params: Any) -> dict[str, Any]:
        server.note("retouch/reroll", params)
        document = server.workspace.get_text_document(params.textDocument.uri)
        line, at = params.position.line, params.position.character
        for match in re.finditer(r"\w+", document.lines[line]):
            if match.start() <= at <= match.end():
                span = span_of(line, match.start(), line, match.end())
                holes = [Hole(span, f"{match.group()}_again")]
                return {"jobId": start(server, params.textDocument.uri, holes), "range": span}
        raise ValueError("There is no word here")

    @server.feature("retouch/fillHoles")
    async def fill_holes(params: Any) -> dict[str, Any]:
        server.note("retouch/fillHoles", params)
        document = server.workspace.get_text_document(params.textDocument.uri)
        holes = [
            Hole(span_of(number, match.start(), number, match.end()), f"filled_{number}")
            for number, line in enumerate(document.lines)
            for match in HOLE.finditer(line)
        ]
        spans = [hole.span for hole in holes]
        return {"jobId": start(server, params.textDocument.uri, holes), "holes": spans}

    @server.feature("retouch/heat")
    def heat(params: Any) -> dict[str, Any]:
        server.note("retouch/heat", params)
        document = server.workspace.get_text_document(params.textDocument.uri)
        tokens = []
        for number, line in enumerate(document.lines):
            for match in re.finditer(r"\w+", line):
                where = span_of(number, match.start(), number, match.end())
                confidence = SURE.get(match.group(), 0.97)
                tokens.append({"range": where, "confidence": confidence, "best": "size"})
        return {"version": document.version, "tokens": tokens}

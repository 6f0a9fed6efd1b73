"""A language server without a model: it speaks the `retouch/*` methods and follows a script.

Started as `python -m tests.clients.vscode.scripted_server LOG`; writes what it is asked, one JSON
object a line, to LOG. A job holds at half of its steps while its instruction contains "hold".
"""

import asyncio
import json
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lsprotocol import types
from pygls.lsp.server import LanguageServer

from tests.clients.vscode.script import GHOSTS, STEPS, Frame, frames, rewritten

PAUSE_S = 0.08
HOLE = re.compile(r"\.\.\.|TODO|___|<fill>")


@dataclass
class Hole:
    """A span that a job fills, the text that it ends with, and the tokens that stand."""

    span: types.Range
    text: str
    keep: frozenset[int] = frozenset()


@dataclass
class Job:
    """A running job; `reason` ends it."""

    id: str
    uri: str
    holes: list[Hole]
    hold: bool = False
    diff_first: bool = False
    reason: str | None = None
    shown: int = 0


class Server(LanguageServer):
    """The running jobs by id, and the log."""

    def __init__(self, log: Path) -> None:
        super().__init__("retouch-script", "1")
        self.jobs: dict[str, Job] = {}
        self.count = 0
        self.log = log
        self.tasks: set[asyncio.Task[None]] = set()

    def note(self, method: str, params: object) -> None:
        with self.log.open("a", encoding="utf-8") as out:
            out.write(json.dumps({"method": method, "params": plain(params)}) + "\n")

    def tell(self, method: str, params: object) -> None:
        self.protocol.notify(f"retouch/{method}", params)

    def status(self, state: str, message: str, **more: object) -> None:
        jobs = len(self.jobs)
        self.tell("didChangeStatus", {"state": state, "message": message, "jobs": jobs, **more})

    def start(self, uri: str, holes: list[Hole], **more: Any) -> str:
        self.count += 1
        job = Job(f"job-{self.count}", uri, holes, **more)
        self.jobs[job.id] = job
        task = asyncio.get_running_loop().create_task(run(self, job))
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)
        return job.id


def plain(value: Any) -> Any:
    """JSON of the protocol's objects."""
    if isinstance(value, (str, int, float, bool)) or value is None:
        return value
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if hasattr(value, "_asdict"):
        return plain(value._asdict())
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if hasattr(value, "__attrs_attrs__"):
        return {item.name: plain(getattr(value, item.name)) for item in value.__attrs_attrs__}
    return repr(value)


async def run(server: Server, job: Job) -> None:
    """Shows the job's frames, then commits, then says how it ended."""
    for step in range(STEPS):
        while job.hold and step == STEPS // 2 and job.reason is None:
            await asyncio.sleep(PAUSE_S)
        if job.reason is not None:
            break
        show(server, job, step)
        await asyncio.sleep(PAUSE_S)
    if job.reason in (None, "accepted"):
        job.reason = await commit(server, job)
    del server.jobs[job.id]
    server.tell("ended", {"jobId": job.id, "reason": job.reason})
    server.status("idle", "Ready")


def show(server: Server, job: Job, step: int) -> None:
    """One frame of every hole."""
    server.status("working", "Writing", step=step + 1, steps=STEPS)
    for number, hole in enumerate(job.holes):
        job.shown += 1
        frame: Frame = frames(hole.text, hole.keep)[step]
        server.tell(
            "denoise",
            {
                "jobId": job.id,
                "seq": job.shown,
                "step": frame.step,
                "steps": STEPS,
                "uri": job.uri,
                "version": server.workspace.get_text_document(job.uri).version,
                "hole": number,
                "range": plain(hole.span),
                "lines": frame.lines,
                "done": False,
            },
        )


async def commit(server: Server, job: Job) -> str:
    """Asks the client to take the texts; why the job ended."""
    version = server.workspace.get_text_document(job.uri).version
    edits = [{"range": plain(hole.span), "newText": hole.text} for hole in job.holes]
    params = {
        "jobId": job.id,
        "uri": job.uri,
        "version": version,
        "edits": edits,
        "label": "rewrite",
        "diffFirst": job.diff_first,
    }
    answer = await server.protocol.send_request_async("retouch/commit", params)
    server.note("answer to retouch/commit", answer)
    return "done" if answer.applied else "cancelled"


def moved(span: types.Range, change: Any) -> types.Range | None:
    """`span` after a change of the document; None if it was touched. Counts whole lines only."""
    where = change.range
    lines = change.text.count("\n") - (where.end.line - where.start.line)
    if (where.start.line, where.start.character) >= (span.end.line, span.end.character):
        return span
    if (where.end.line, where.end.character) > (span.start.line, span.start.character):
        return None
    if where.end.line == span.start.line:
        return None
    start = types.Position(span.start.line + lines, span.start.character)
    return types.Range(start, types.Position(span.end.line + lines, span.end.character))


def build(log: Path) -> Server:
    """The server with its features."""
    server = Server(log)
    add_standard(server)
    add_jobs(server)
    add_live(server)
    return server


def add_standard(server: Server) -> None:
    """What every language server has."""

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

    @server.command("retouch.accepted")
    def accepted(text: str) -> None:
        server.note("retouch.accepted", text)


def add_jobs(server: Server) -> None:
    """What starts jobs."""

    @server.feature("retouch/rewrite")
    async def rewrite(params: Any) -> dict[str, str]:
        server.note("retouch/rewrite", params)
        return {"jobId": begin(server, params, getattr(params, "instruction", None))}

    @server.feature("retouch/revise")
    async def revise(params: Any) -> dict[str, str]:
        server.note("retouch/revise", params)
        return {"jobId": begin(server, params, "short")}

    @server.feature("retouch/reroll")
    async def reroll(params: Any) -> dict[str, Any]:
        server.note("retouch/reroll", params)
        document = server.workspace.get_text_document(params.textDocument.uri)
        line, at = params.position.line, params.position.character
        for match in re.finditer(r"\w+", document.lines[line]):
            if match.start() <= at <= match.end():
                span = span_of(line, match.start(), line, match.end())
                hole = Hole(span, f"{match.group()}_again")
                return {"jobId": server.start(params.textDocument.uri, [hole]), "range": span}
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
        return {"jobId": server.start(params.textDocument.uri, holes), "holes": spans}

    @server.feature("retouch/heat")
    def heat(params: Any) -> dict[str, Any]:
        server.note("retouch/heat", params)
        document = server.workspace.get_text_document(params.textDocument.uri)
        tokens = []
        for number, line in enumerate(document.lines):
            for match in re.finditer(r"\w+", line):
                sure = {"total": 0.72, "values": 0.95, "len": 0.2, "mean": 0.45}
                confidence = sure.get(match.group(), 0.97)
                where = span_of(number, match.start(), number, match.end())
                tokens.append({"range": where, "confidence": confidence, "best": "size"})
        return {"version": document.version, "tokens": tokens}

    @server.feature("retouch/status")
    def status(params: Any) -> dict[str, Any]:
        return {"state": "idle", "message": "Scripted", "jobs": len(server.jobs)}


def begin(server: Server, params: Any, instruction: str | None) -> str:
    """Starts the rewrite of a range."""
    start, end = params.range.start, params.range.end
    document = server.workspace.get_text_document(params.textDocument.uri)
    span = span_of(start.line, start.character, end.line, end.character)
    text = rewritten(text_in(document.lines, span), instruction)
    said = instruction or ""
    return server.start(
        params.textDocument.uri, [Hole(span, text)], hold="hold" in said, diff_first="diff" in said
    )


def text_in(lines: Sequence[str], span: types.Range) -> str:
    """The text of a span; columns are characters, which is enough for the script's own files."""
    chosen = list(lines[span.start.line : span.end.line + 1])
    if not chosen:
        return ""
    chosen[-1] = chosen[-1][: span.end.character]
    chosen[0] = chosen[0][span.start.character :]
    return "".join(chosen).replace("\r\n", "\n")


def span_of(line: int, start: int, last: int, stop: int) -> types.Range:
    return types.Range(types.Position(line, start), types.Position(last, stop))


def add_live(server: Server) -> None:
    """What acts on a running job."""

    @server.feature("retouch/cancel")
    def cancel(params: Any) -> None:
        server.note("retouch/cancel", params)
        if job := server.jobs.get(params.jobId):
            job.reason = "cancelled"

    @server.feature("retouch/accept")
    def accept(params: Any) -> dict[str, bool]:
        server.note("retouch/accept", params)
        job = server.jobs.get(params.jobId)
        if job:
            job.reason = "accepted"
        return {"ok": job is not None}

    @server.feature("retouch/revisePin")
    def revise_pin(params: Any) -> dict[str, Any]:
        server.note("retouch/revisePin", params)
        job = server.jobs.get(params.jobId)
        if job:
            hole = job.holes[params.hole]
            hole.text = hole.text[: params.start] + params.text + hole.text[params.stop :]
            job.hold = False
        return {"ok": job is not None}


if __name__ == "__main__":
    build(Path(sys.argv[1])).start_io()

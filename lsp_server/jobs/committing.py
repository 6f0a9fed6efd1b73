"""Answers into the document: one edit, of one version, and the knowledge that it arrived."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from lsprotocol import types

from lsp_server.documents import Document
from lsp_server.jobs.edits import asks, workspace_edit
from lsp_server.jobs.requests import ask
from lsp_server.live.job import CONFLICT, Flight, Job
from lsp_server.reading.edits import as_lines
from lsp_server.reading.spans import Change
from lsp_server.server import RetouchServer

ANSWER_SECONDS = 30.0
REVIEW_SECONDS = 3600.0
"""How long a person may look at a difference before it is applied."""
ECHO_SECONDS = 2.0
TRIES = 4
TURNED_DOWN = ("rejected", "cancelled")
"""How our clients tell a person's no, to edit or job, from an edit that didn't fit the text."""
REFUSED = "The editor did not apply the edit."
NO_EDITS = "This editor can't be asked to apply edits; use its code actions."


@dataclass(frozen=True, slots=True)
class Put:
    """What became of an edit: applied, nothing to do, or why not; `turned_down`: by a person."""

    applied: bool
    changed: bool = True
    conflict: bool = False
    turned_down: bool = False
    why: str = ""


@dataclass(frozen=True, slots=True)
class Said:
    """The editor's answer to an edit.

    Attributes:
        trusted: it need not be seen to be believed.
        asked: a person was asked, so that a no is theirs, unless the document moved on.
        final: the no is theirs even then; nobody asks again.
    """

    applied: bool
    reason: str = ""
    trusted: bool = False
    asked: bool = False
    final: bool = False


Send = Callable[[RetouchServer, Job, Document, Sequence[Change]], Awaitable[Said]]


async def commit(server: RetouchServer, job: Job, texts: Sequence[str | None]) -> Put:
    """Put the texts into the job's holes, as one step that can be undone."""
    return await put(server, job, texts, _sender(server))


async def put(
    server: RetouchServer, job: Job, texts: Sequence[str | None], send: Send, tries: int = TRIES
) -> Put:
    """Put the texts into the job's holes; again, if the document moved on elsewhere meanwhile.

    An editor may say that it applied an edit which it dropped, and may tell of one before or after
    it answers; so the text that comes of it is waited for.
    """
    for _ in range(tries):
        if (lost := job.lost) is not None:
            return Put(applied=False, conflict=lost.reason == "conflict", why=lost.message)
        changes = job.changes(texts)
        if not changes:
            return Put(applied=True, changed=False)
        flight, document = job.depart(changes), job.document
        said = await send(server, job, document, changes)
        if await _arrived(job, flight, document, said):
            job.flight = None
            return Put(applied=True)
        if not job.crashed(flight):
            break
        if said.final or not _moved_on(job, document):
            why = said.reason or ("" if said.asked else REFUSED)
            return Put(applied=False, turned_down=said.asked, why=why)
    return Put(applied=False, conflict=True, why=CONFLICT)


def _sender(server: RetouchServer) -> Send:
    """Who is asked for the edit."""
    if "commit" in server.abilities:
        return by_client
    return by_asking if asks(server) else by_edit


def _moved_on(job: Job, document: Document) -> bool:
    """Whether the editor has told of a later version, be it without a change, as some do."""
    return job.document.version != document.version


async def _arrived(job: Job, flight: Flight, document: Document, said: Said) -> bool:
    """Whether the edit is in the document; if not, the edit that is why may be heard of yet."""
    if said.applied and said.trusted:
        return True
    if said.applied:
        await _until(job, lambda: flight.landed)
    elif not said.asked:
        await _until(job, lambda: _moved_on(job, document))
    return flight.landed


async def by_client(
    server: RetouchServer, job: Job, document: Document, changes: Sequence[Change]
) -> Said:
    """Ask the editor's Retouch client, which checks the version and makes it one undo step."""
    review = server.settings.diff_first
    params = {
        "jobId": job.id,
        "uri": document.uri,
        "version": document.version,
        "edits": [
            {"range": document.range(c.start, c.stop), "newText": as_lines(c.text)} for c in changes
        ],
        "label": job.label,
        "diffFirst": review,
    }
    seconds = REVIEW_SECONDS if review else ANSWER_SECONDS
    result = await ask(server, "retouch/commit", params, seconds)
    if not isinstance(result, dict):
        return Said(False, REFUSED, asked=review)
    reason = str(result.get("reason") or "")[:500]
    no = reason in TURNED_DOWN
    applied = result.get("applied") is True
    return Said(applied, reason, trusted=True, asked=review or no, final=no)


async def by_edit(
    server: RetouchServer, job: Job, document: Document, changes: Sequence[Change]
) -> Said:
    """Ask for a `workspace/applyEdit` of this version of the document."""
    return await _applied(server, job, workspace_edit(server, document, changes), asked=False)


async def by_asking(
    server: RetouchServer, job: Job, document: Document, changes: Sequence[Change]
) -> Said:
    """The same, for an editor that asks a person first."""
    edit = workspace_edit(server, document, changes, job.label)
    return await _applied(server, job, edit, asked=True)


async def _applied(
    server: RetouchServer, job: Job, edit: types.WorkspaceEdit, *, asked: bool
) -> Said:
    workspace = server.client_capabilities.workspace
    if workspace is None or not workspace.apply_edit:
        return Said(False, NO_EDITS)
    params = types.ApplyWorkspaceEditParams(edit, job.label)
    seconds = REVIEW_SECONDS if asked else ANSWER_SECONDS
    result = await ask(server, types.WORKSPACE_APPLY_EDIT, params, seconds)
    applied = getattr(result, "applied", False) is True
    return Said(applied, getattr(result, "failure_reason", None) or "", asked=asked)


async def _until(job: Job, met: Callable[[], bool]) -> None:
    """Wait for edits of the document until the condition is met, but not for long."""
    edited = asyncio.Event()
    job.edited_by = edited.set
    try:
        async with asyncio.timeout(ECHO_SECONDS):
            while not met():
                edited.clear()
                await edited.wait()
    except TimeoutError:
        pass
    finally:
        job.edited_by = lambda: None

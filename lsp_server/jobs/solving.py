"""A plan carried out for an edit alone: nothing is drawn and nothing put into the document."""

from lsprotocol import types

from lsp_server.documents import Document
from lsp_server.jobs.edits import asks, workspace_edit
from lsp_server.jobs.guards import refusal
from lsp_server.jobs.plans import Plan, held_less, job_of
from lsp_server.jobs.registry import Registry
from lsp_server.link.finding import LinkError
from lsp_server.server import RetouchServer
from protocol.messages import Error, Scores


async def solve(
    server: RetouchServer, plan: Plan, document: Document
) -> types.WorkspaceEdit | None:
    """The edit of this state of the document; None if nothing changes. Raises a refusal."""
    job = job_of(plan, document, server.part(Registry).name())
    attempt = 0
    server.board.job(job.id)
    try:
        await server.link.ready(force=True)
        while (task := plan.ask(job, attempt)) is not None:
            end = await server.link.result(task, force=True)
            while (again := held_less(task, end, server.link.capabilities)) is not None:
                task, end = again, await server.link.result(again, force=True)
            if isinstance(end, Error):
                raise refusal(end.message)
            assert not isinstance(end, Scores)
            if (texts := plan.answers(job, end)) is not None:
                changes, question = job.changes(texts), job.label if asks(server) else ""
                return workspace_edit(server, document, changes, question) if changes else None
            attempt += 1
    except LinkError as error:
        raise refusal(str(error)) from None
    finally:
        server.board.job_over(job.id)
    return None

"""`$/progress` of a job, for editors without our client: what it does, how far it is, a way out."""

import asyncio
from collections.abc import Callable
from contextlib import suppress

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from lsp_server.jobs.registry import Registry
from lsp_server.live.job import Ending, Job
from lsp_server.params import Token
from lsp_server.server import RetouchServer

WORDS = {
    "done": "done",
    "cancelled": "cancelled",
    "unchanged": "nothing better found",
    "failed": "failed",
    "conflict": "given up: the text was edited",
}


class Progress:
    """One job's progress under a token that the editor gave, or that it is asked to take."""

    def __init__(self, server: RetouchServer, job: Job, token: Token | None) -> None:
        self._server = server
        self._job = job
        self._token = token
        self._begun = False

    def start(self) -> None:
        """Begin; the editor is asked first where it has not asked."""
        if self._token is not None:
            self._begin(self._token)
            return
        window = self._server.client_capabilities.window
        if window is not None and window.work_done_progress:
            self._server.cancels.start(self._create(f"retouch/{self._job.id}"))

    def draw(self, hole: int) -> None:
        """Tell how far it is."""
        if self._begun and self._token is not None:
            shown, slots = self._job.slots
            step = f"step {self._job.step}"
            percent = 100 * shown // slots if slots else 0
            report = types.WorkDoneProgressReport(message=step, percentage=percent)
            self._server.work_done_progress.report(self._token, report)

    def end(self, ending: Ending) -> None:
        """Say how it ended."""
        token, self._token = self._token, None
        if self._begun and token is not None:
            said = types.WorkDoneProgressEnd(message=ending.message or WORDS[ending.reason])
            self._server.work_done_progress.end(token, said)
            self._server.work_done_progress.tokens.pop(token, None)

    async def _create(self, token: Token) -> None:
        """Ask the editor to show progress; the request outlives a job that ends meanwhile."""
        with suppress(JsonRpcException):
            await asyncio.shield(self._server.work_done_progress.create_async(token))
            if self._server.part(Registry).get(self._job.id) is self._job:
                self._token = token
                self._begin(token)
            else:
                self._server.work_done_progress.tokens.pop(token, None)

    def _begin(self, token: Token) -> None:
        begin = types.WorkDoneProgressBegin(
            title=f"Retouch: {self._job.label}", cancellable=True, percentage=0
        )
        self._server.work_done_progress.begin(token, begin)
        self._begun = True
        stop: Callable[[], bool] = lambda: self._job.stop(Ending("cancelled"))  # noqa: E731
        cancelled = self._server.work_done_progress.tokens[token]
        cancelled.add_done_callback(lambda future: stop() if future.cancelled() else None)

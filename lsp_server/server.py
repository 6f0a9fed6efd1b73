"""RetouchServer: everything that lives as long as the language server, each thing in one place."""

import asyncio
import logging
from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeVar, cast

from lsprotocol import types
from pygls.lsp.server import LanguageServer

from lsp_server.cancels import Cancels
from lsp_server.documents import Document, Documents
from lsp_server.link.finding import LinkError
from lsp_server.link.link import EngineLink, Locate
from lsp_server.rpc import RetouchProtocol, converter
from lsp_server.settings import Settings
from lsp_server.status import Status, StatusBoard

LOG = logging.getLogger("retouch.lsp")
STATUS_SECONDS = 0.1
T = TypeVar("T")
Lookup = Callable[[Settings], Locate]
"""How the engine's server is found under these settings."""


class RetouchServer(LanguageServer):
    """See the module. One thread: the event loop's.

    Attributes:
        documents: what is open in the editor.
        settings: as the editor sent them last.
        link: the way to the engine.
        cancels: tasks that may be cancelled.
        board: the status.
        abilities: what the editor's own Retouch client can do, such as `denoise` and `commit`.
        watchers: called with the state before and behind every edit of a document, in order.
        closing: called with the uri of a document that was closed.
        ended: the editor has said that it goes.
    """

    protocol: RetouchProtocol

    def __init__(self, version: str, lookup: Lookup) -> None:
        super().__init__(
            "retouch",
            version,
            types.TextDocumentSyncKind.Incremental,
            protocol_cls=RetouchProtocol,
            converter_factory=converter,
            max_workers=2,
        )
        self.documents = Documents()
        self.settings = Settings()
        self.cancels = Cancels()
        self.board = StatusBoard(self._status_changed, self.warn)
        self.link = EngineLink(lookup(self.settings), self.board.link_is)
        self.abilities: frozenset[str] = frozenset()
        self.watchers: list[Callable[[Document, Document], None]] = []
        self.closing: list[Callable[[str], None]] = []
        self.ended = False
        self._parts: dict[object, Any] = {}
        self._lookup = lookup
        self._told: set[str] = set()
        self._shown: Status | None = None
        self._pending: asyncio.TimerHandle | None = None
        self.protocol.cancelled = lambda request: self._cancelled(request)

    @property
    def request_id(self) -> int | str | None:
        """The id of the request that is being handled; ask before the first await."""
        return self.protocol.msg_id

    def part(self, kind: Callable[["RetouchServer"], T]) -> T:
        """The one `kind` of this server, made when it is first asked for: a feature's own state."""
        if kind not in self._parts:
            self._parts[kind] = kind(self)
        return cast(T, self._parts[kind])

    def configure(self, settings: Settings) -> None:
        """Take new settings."""
        moved = settings.server != self.settings.server
        self.settings = settings
        LOG.setLevel(settings.log_level.upper())
        self.board.switch(settings.enable)
        if moved:
            self.link.relocate(self._lookup(settings))

    def warm_up(self) -> None:
        """Open the connection, so that the first request finds the engine ready."""
        if self.settings.enable:
            self.cancels.start(self._warm_up(), "warm up")

    def tell_once(self, text: str) -> None:
        """Say something in the editor's log, once."""
        if text not in self._told and len(self._told) < 1000:
            self._told.add(text)
            self.window_log_message(types.LogMessageParams(types.MessageType.Warning, text))

    def warn(self, text: str) -> None:
        """Say something where the user sees it."""
        text = f"Retouch: {text}"
        self.window_show_message(types.ShowMessageParams(types.MessageType.Warning, text))

    def report_server_error(self, error: Exception, source: Any) -> None:
        """Log the kind of an error, since messages may quote files; nothing pops up."""
        LOG.error("%s: %s", getattr(source, "__name__", source), type(error).__name__)

    async def end(self) -> None:
        """Stop everything that runs."""
        self.ended = True
        if self._pending is not None:
            self._pending.cancel()
        await self.cancels.end()
        await self.link.close()

    async def _warm_up(self) -> None:
        with suppress(LinkError):  # the board has told
            await self.link.ready(force=True)

    def _cancelled(self, request: int | str) -> None:
        self.cancels.cancel(("request", request))

    def _status_changed(self) -> None:
        """Tell the editor soon; changes that come fast are told as one."""
        if self._pending is None:
            loop = asyncio.get_running_loop()
            self._pending = loop.call_later(STATUS_SECONDS, self._show_status)

    def _show_status(self) -> None:
        self._pending = None
        status = self.board.status
        if status != self._shown:
            self._shown = status
            self.protocol.notify("retouch/didChangeStatus", status.as_json())

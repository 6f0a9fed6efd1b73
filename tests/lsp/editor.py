"""An editor for tests: the language server as a process, one buffer, and what it was told."""

import asyncio
import sys
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from lsprotocol import types
from pytest_lsp import LanguageClient, make_test_lsp_client

from lsp_server.text import BREAK, Encoding, Place, Text

PATIENCE = 30
GHOST = types.TextDocumentClientCapabilities(
    inline_completion=types.InlineCompletionClientCapabilities()
)


@dataclass
class Editor:
    """See the module. The buffer is a text with its own line ends; the cursor is an offset."""

    client: LanguageClient
    encoding: Encoding
    result: types.InitializeResult
    states: list[Any] = field(default_factory=list)
    uri: str = ""
    text: Text = field(default_factory=lambda: Text.of(""))
    cursor: int = 0
    version: int = 0

    @property
    def eol(self) -> str:
        """The buffer's line end."""
        return "\r\n" if "\r\n" in self.text.value else "\n"

    def open(self, name: str, text: str, language: str = "python", cursor: int = 0) -> None:
        """Open a document and look at it."""
        self.uri, self.version = name if ":" in name else Path(name).as_uri(), 1
        self.text, self.cursor = Text.of(text), cursor
        item = types.TextDocumentItem(self.uri, language, 1, text)
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(item))

    def configure(self, options: dict[str, Any]) -> None:
        """Change the settings."""
        sent = types.DidChangeConfigurationParams({"retouch": options})
        self.client.workspace_did_change_configuration(sent)

    def position(self, offset: int) -> types.Position:
        """An offset as the server counts."""
        place = self.text.place(offset, self.encoding)
        return types.Position(place.line, place.character)

    def replace(self, start: int, stop: int, new: str) -> None:
        """Edit the buffer and tell the server; the cursor goes behind the new text."""
        range_ = types.Range(self.position(start), self.position(stop))
        change = types.TextDocumentContentChangePartial(range_, new)
        self.text, self.cursor = self.text.replaced(start, stop, new), start + len(new)
        self.next_version(change)

    def next_version(self, *changes: types.TextDocumentContentChangeEvent) -> None:
        """Tell the server of the next version, be it without a change."""
        self.version += 1
        document = types.VersionedTextDocumentIdentifier(self.version, self.uri)
        self.client.text_document_did_change(types.DidChangeTextDocumentParams(document, changes))

    def type(self, text: str) -> None:
        """Type at the cursor."""
        self.replace(self.cursor, self.cursor, text)

    def params(
        self, invoked: bool = False, chosen: types.SelectedCompletionInfo | None = None
    ) -> types.InlineCompletionParams:
        """A request for ghost text at the cursor."""
        kind = types.InlineCompletionTriggerKind
        trigger = kind.Invoked if invoked else kind.Automatic
        return types.InlineCompletionParams(
            types.InlineCompletionContext(trigger, chosen),
            types.TextDocumentIdentifier(self.uri),
            self.position(self.cursor),
        )

    async def ghost(
        self, invoked: bool = False, chosen: types.SelectedCompletionInfo | None = None
    ) -> list[types.InlineCompletionItem]:
        """What ghost text there is at the cursor."""
        params = self.params(invoked, chosen)
        found = await self.client.text_document_inline_completion_async(params)
        return list(cast(Any, found) or ())

    def offset(self, position: types.Position) -> int:
        """A position of the server's as an offset."""
        return self.text.offset(Place(position.line, position.character), self.encoding)

    def span(self, item: types.InlineCompletionItem) -> tuple[int, int]:
        """The offsets an item replaces."""
        assert item.range is not None
        assert item.range.start.line == item.range.end.line
        return self.offset(item.range.start), self.offset(item.range.end)

    def accept(self, item: types.InlineCompletionItem) -> "Undo":
        """Insert an item as editors do: one edit, line ends made the buffer's."""
        start, stop = self.span(item)
        assert isinstance(item.insert_text, str)
        new = BREAK.sub(self.eol, item.insert_text)
        undo = Undo(start, start + len(new), self.text.value[start:stop])
        self.replace(start, stop, new)
        return undo

    def undo(self, step: "Undo") -> None:
        """Take one edit back."""
        self.replace(step.start, step.stop, step.old)

    async def ask(self, method: str, params: Any) -> Any:
        """A request of our own."""
        return await self.client.protocol.send_request_async(method, params)

    def tell(self, method: str, params: Any) -> None:
        """A notification of our own."""
        self.client.protocol.notify(method, params)

    @property
    def warnings(self) -> list[str]:
        """What popped up."""
        return [message.message for message in self.client.messages]


@dataclass(frozen=True)
class Undo:
    """One edit, to be taken back."""

    start: int
    stop: int
    old: str


@asynccontextmanager
async def editor(
    folder: Path,
    *,
    encoding: Encoding = "utf-16",
    options: dict[str, Any] | None = None,
    workspace: Path | None = None,
    root_only: bool = False,
    command: list[str] | None = None,
) -> AsyncIterator[Editor]:
    """The language server started, initialized and in the end shut down.

    With `root_only` the editor is one of those that know no workspace folders.
    """
    client = make_test_lsp_client()
    states: list[Any] = []
    client.feature("retouch/didChangeStatus")(lambda params: states.append(params))
    program = command or [sys.executable, "-m", "lsp_server", "--folder", str(folder)]
    await client.start_io(*program)
    capabilities = types.ClientCapabilities(
        general=types.GeneralClientCapabilities(
            position_encodings=[types.PositionEncodingKind(encoding)]
        ),
        text_document=GHOST,
    )
    folders = []
    if workspace is not None and not root_only:
        folders.append(types.WorkspaceFolder(workspace.as_uri(), workspace.name))
    result = await client.initialize_session(
        types.InitializeParams(
            capabilities=capabilities,
            initialization_options=options,
            root_uri=workspace.as_uri() if workspace is not None and root_only else None,
            workspace_folders=folders,
        )
    )
    try:
        yield Editor(client, encoding, result, states)
    finally:
        await client.shutdown_session()
        await client.stop()


def play(scene: Coroutine[Any, Any, None]) -> None:
    """Run a scene; one that hangs fails."""

    async def whole() -> None:
        async with asyncio.timeout(PATIENCE * 4):
            await scene

    asyncio.run(whole())


async def until(true: Any, what: str) -> None:
    """Wait until something is so."""
    try:
        async with asyncio.timeout(PATIENCE):
            while not true():
                await asyncio.sleep(0.005)
    except TimeoutError:
        raise AssertionError(f"{what} did not happen") from None

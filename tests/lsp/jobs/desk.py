"""An editor for tests of jobs: it draws, commits, applies edits, and can be bad at each."""

import asyncio
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lsprotocol import types
from pytest_lsp import make_test_lsp_client

from lsp_server.text import BREAK, Encoding
from tests.lsp.editor import Editor, until

OURS = {"denoise": 1, "commit": 1}


@dataclass
class Desk(Editor):
    """See the module.

    Attributes:
        frames, endings, commits, edits: everything that came, as plain JSON or lsprotocol's.
        on_commit, on_edit: what is done about an edit, before it is answered.
    """

    frames: list[dict[str, Any]] = field(default_factory=list)
    endings: list[dict[str, Any]] = field(default_factory=list)
    commits: list[dict[str, Any]] = field(default_factory=list)
    edits: list[types.ApplyWorkspaceEditParams] = field(default_factory=list)
    on_commit: Callable[[dict[str, Any]], Awaitable[dict[str, Any]]] | None = None
    on_edit: Callable[[types.ApplyWorkspaceEditParams], Awaitable[bool]] | None = None

    async def ended(self, count: int = 1) -> dict[str, Any]:
        """The last word on the newest job, once so many have ended."""
        await until(lambda: len(self.endings) >= count, "the end of the job")
        return self.endings[count - 1]

    async def begin(self, method: str, **params: Any) -> dict[str, Any]:
        """Ask for a job."""
        document = {"uri": self.uri, "version": self.version}
        return plain(await self.ask(method, {"textDocument": document, **params}))

    @contextmanager
    def together(self) -> Iterator[None]:
        """The edits of the block are told in one message."""
        told: list[Any] = []
        tell = self.client.text_document_did_change
        self.client.text_document_did_change = told.append  # type: ignore[method-assign]
        yield
        self.client.text_document_did_change = tell  # type: ignore[method-assign]
        changes = [change for params in told for change in params.content_changes]
        tell(types.DidChangeTextDocumentParams(told[-1].text_document, changes))

    def reports(self) -> list[Any]:
        """The progress of the first job that has one."""
        return next(iter(self.client.progress_reports.values()), [])

    async def over(self) -> str:
        """How the progress says that the job ended."""
        await until(lambda: self.reports() and self.reports()[-1].kind == "end", "the end")
        return str(self.reports()[-1].message)

    async def command(self, name: str, *given: Any) -> Any:
        """Run a command."""
        params = types.ExecuteCommandParams(name, list(given))
        return plain(await self.client.workspace_execute_command_async(params))

    def range_of(self, part: str) -> dict[str, Any]:
        """The range of the first occurrence of a text."""
        start = self.text.value.index(part)
        return self.range(start, start + len(part))

    def range(self, start: int, stop: int) -> dict[str, Any]:
        """A range as JSON."""
        places = {"start": self.position(start), "end": self.position(stop)}
        return {
            name: {"line": place.line, "character": place.character}
            for name, place in places.items()
        }

    def apply(self, edits: Sequence[tuple[types.Range, str]]) -> None:
        """Apply edits of one state, as one change of the document for each."""
        placed = [(self.offset(it.start), self.offset(it.end), new) for it, new in edits]
        for start, stop, new in sorted(placed, reverse=True):
            self.replace(start, stop, BREAK.sub(self.eol, new))

    async def commit(self, sent: dict[str, Any]) -> dict[str, Any]:
        """As our clients do it: only if the version is this one."""
        if sent["version"] != self.version:
            return {"applied": False, "reason": "the document has changed"}
        self.apply([(to_range(edit["range"]), edit["newText"]) for edit in sent["edits"]])
        return {"applied": True, "version": self.version}

    async def apply_edit(self, params: types.ApplyWorkspaceEditParams) -> bool:
        """As editors do it: only if the version is this one."""
        (change,) = params.edit.document_changes or ()
        assert isinstance(change, types.TextDocumentEdit)
        if change.text_document.version != self.version:
            return False
        edits = [it for it in change.edits if not isinstance(it, types.SnippetTextEdit)]
        self.apply([(edit.range, edit.new_text) for edit in edits])
        return True

    async def committed(self, params: Any) -> dict[str, Any]:
        """A commit came."""
        sent = plain(params)
        self.commits.append(sent)
        return await (self.on_commit or self.commit)(sent)

    async def edited(
        self, params: types.ApplyWorkspaceEditParams
    ) -> types.ApplyWorkspaceEditResult:
        """A `workspace/applyEdit` came."""
        self.edits.append(params)
        applied = await (self.on_edit or self.apply_edit)(params)
        return types.ApplyWorkspaceEditResult(applied)


def plain(value: Any) -> Any:
    """pygls' objects as the JSON they came from."""
    if hasattr(value, "_asdict"):
        return {name: plain(part) for name, part in value._asdict().items()}
    if isinstance(value, list | tuple):
        return [plain(part) for part in value]
    return value


def to_range(sent: dict[str, Any]) -> types.Range:
    """A range from JSON."""
    start, end = sent["start"], sent["end"]
    return types.Range(
        types.Position(start["line"], start["character"]),
        types.Position(end["line"], end["character"]),
    )


def capabilities(
    encoding: Encoding,
    ours: dict[str, int] | None,
    *,
    edits: bool,
    resolve: bool,
    tags: bool,
    asks: bool,
) -> types.ClientCapabilities:
    """What an editor says of itself."""
    annotations = types.ChangeAnnotationsSupportOptions() if asks else None
    support = types.CodeActionTagOptions([types.CodeActionTag.LlmGenerated]) if tags else None
    resolving = types.ClientCodeActionResolveOptions(["edit"]) if resolve else None
    return types.ClientCapabilities(
        general=types.GeneralClientCapabilities(
            position_encodings=[types.PositionEncodingKind(encoding)]
        ),
        window=types.WindowClientCapabilities(work_done_progress=True),
        workspace=types.WorkspaceClientCapabilities(
            apply_edit=edits,
            workspace_edit=types.WorkspaceEditClientCapabilities(
                document_changes=True, change_annotation_support=annotations
            ),
        ),
        text_document=types.TextDocumentClientCapabilities(
            code_action=types.CodeActionClientCapabilities(
                resolve_support=resolving, tag_support=support, data_support=True
            )
        ),
        experimental={"retouch": ours} if ours is not None else None,
    )


@asynccontextmanager
async def desk(
    folder: Path,
    *,
    encoding: Encoding = "utf-16",
    options: dict[str, Any] | None = None,
    ours: dict[str, int] | None = OURS,
    edits: bool = True,
    resolve: bool = False,
    tags: bool = True,
    asks: bool = False,
) -> AsyncIterator[Desk]:
    """The language server started, initialized and in the end shut down."""
    client = make_test_lsp_client()
    await client.start_io(sys.executable, "-m", "lsp_server", "--folder", str(folder))
    said = capabilities(encoding, ours, edits=edits, resolve=resolve, tags=tags, asks=asks)
    typed = client.protocol.get_result_type
    client.protocol.get_result_type = (  # type: ignore[method-assign]
        lambda method: None if method == types.TEXT_DOCUMENT_CODE_ACTION else typed(method)
    )  # lsprotocol takes an action with a command for a command
    it = Desk(client, encoding, None)  # type: ignore[arg-type]
    client.feature("retouch/denoise")(lambda params: it.frames.append(plain(params)))
    client.feature("retouch/ended")(lambda params: it.endings.append(plain(params)))
    client.feature("retouch/didChangeStatus")(lambda params: it.states.append(plain(params)))

    async def commit(params: Any) -> dict[str, Any]:
        return await it.committed(params)

    async def edit(params: types.ApplyWorkspaceEditParams) -> types.ApplyWorkspaceEditResult:
        return await it.edited(params)

    client.feature("retouch/commit")(commit)
    client.feature(types.WORKSPACE_APPLY_EDIT)(edit)
    params = types.InitializeParams(capabilities=said, initialization_options=options)
    it.result = await client.initialize_session(params)
    try:
        yield it
    finally:
        await client.shutdown_session()
        await client.stop()


async def actions(it: Desk, start: int, stop: int, only: Any = None) -> dict[str, Any]:
    """The code actions of a span as JSON, by title."""
    params = types.CodeActionParams(
        types.TextDocumentIdentifier(it.uri),
        types.Range(it.position(start), it.position(stop)),
        types.CodeActionContext([], only=only),
    )
    found = await it.ask(types.TEXT_DOCUMENT_CODE_ACTION, params)
    return {action["title"]: action for action in plain(found) or ()}


async def soon() -> None:
    """Let what is on its way arrive."""
    await asyncio.sleep(0.05)

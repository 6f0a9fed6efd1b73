"""Code actions on a selection: the way to Retouch in every editor."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import msgspec
from lsprotocol import types
from msgspec import Struct
from pygls.exceptions import JsonRpcException

from lsp_server.documents import Document
from lsp_server.feature import Method, Row, checked
from lsp_server.features import fill_holes, revise, rewrite
from lsp_server.jobs.guards import refusal, selected, snapshot
from lsp_server.jobs.plans import Plan
from lsp_server.jobs.solving import solve
from lsp_server.params import DocumentId, Uri, WireRange
from lsp_server.reading.asked import asked
from lsp_server.reading.spans import Span
from lsp_server.server import RetouchServer

KIND = types.CodeActionKind.RefactorRewrite
Name = Literal["rewrite", "asked", "revise", "fillHoles"]


class Chosen(Struct, frozen=True):
    """What an action is about, kept in its `data` until it is resolved."""

    action: Name
    uri: Uri
    version: int
    range: WireRange


@dataclass(frozen=True, slots=True)
class Action:
    """One kind of action: its title, its command, and its plan for editors that take no edits."""

    title: str
    command: str
    plan: Callable[[RetouchServer, Document, Span], Plan]
    extra: tuple[str, ...] = ()


def _refined(server: RetouchServer, document: Document, span: Span) -> Plan:
    lsp = document.range(span.start, span.stop)
    params = revise.Revise(DocumentId(document.uri), WireRange.of(lsp))
    return revise.revising(server, document, span, params)


def _filled(server: RetouchServer, document: Document, span: Span) -> Plan:
    found = fill_holes.holes_in(document, document.range(span.start, span.stop))
    if not found:
        raise refusal("The placeholders are gone.")
    return fill_holes.filling(server, found)


ACTIONS: dict[Name, Action] = {
    "rewrite": Action(
        "Retouch: rewrite selection",
        rewrite.COMMAND,
        lambda server, document, span: rewrite.rewriting(server, document, span, ""),
        extra=("",),
    ),
    "asked": Action(
        "Retouch: rewrite as asked above",
        rewrite.COMMAND,
        lambda server, document, span: rewrite.rewriting(server, document, span, None),
    ),
    "revise": Action("Retouch: refine selection", revise.COMMAND, _refined),
    "fillHoles": Action("Retouch: fill all holes", fill_holes.COMMAND, _filled),
}


def code_actions(
    server: RetouchServer, params: types.CodeActionParams
) -> list[types.CodeAction] | None:
    """What can be done with the selection; nothing without one."""
    document = server.documents.get(params.text_document.uri)
    if document is None or not _wanted(params.context.only):
        return None
    span = Span(*document.span(params.range))
    try:
        snapshot(server, DocumentId(document.uri))
        selected(document, span)
    except JsonRpcException:
        return None
    names = _fitting(document, span)
    edits = _takes_edits(server)
    if not names or not (edits or _resolves(server)):
        return None
    return [_action(server, name, document, span, command=edits) for name in names]


async def resolve(server: RetouchServer, action: types.CodeAction) -> types.CodeAction:
    """Make the edit, for an editor that can't be asked to apply one."""
    if action.data is None:
        return action
    chosen = checked(action.data, Chosen)
    document = snapshot(server, DocumentId(chosen.uri, chosen.version))
    span = selected(document, Span(*document.span(chosen.range.lsp())))
    plan = ACTIONS[chosen.action].plan(server, document, span)
    action.edit = await solve(server, plan, document) or types.WorkspaceEdit(changes={})
    return action


def _fitting(document: Document, span: Span) -> list[Name]:
    text = document.text.value
    if not text[span.start : span.stop].strip():
        return []
    names: list[Name] = ["rewrite", "revise"]
    if asked(text, span) is not None:
        names.insert(0, "asked")
    if fill_holes.holes_in(document, document.range(span.start, span.stop)):
        names.append("fillHoles")
    return names


def _action(
    server: RetouchServer, name: Name, document: Document, span: Span, *, command: bool
) -> types.CodeAction:
    """An action with its command, or with what is needed to resolve it."""
    action, range_ = ACTIONS[name], document.range(span.start, span.stop)
    found = types.CodeAction(action.title, kind=KIND, tags=_tags(server))
    if command:
        given: list[Any] = [document.uri, range_, *action.extra]
        found.command = types.Command(action.title, action.command, arguments=given)
    else:
        chosen = Chosen(name, document.uri, document.version, WireRange.of(range_))
        found.data = msgspec.to_builtins(chosen)
    return found


def _abilities(server: RetouchServer) -> types.CodeActionClientCapabilities | None:
    about = server.client_capabilities.text_document
    return about.code_action if about is not None else None


def _tags(server: RetouchServer) -> list[types.CodeActionTag] | None:
    able = _abilities(server)
    known = able.tag_support.value_set if able is not None and able.tag_support is not None else ()
    tag = types.CodeActionTag.LlmGenerated
    return [tag] if tag in known else None


def _takes_edits(server: RetouchServer) -> bool:
    """Whether the editor can be asked to apply an edit."""
    workspace = server.client_capabilities.workspace
    return "commit" in server.abilities or bool(workspace and workspace.apply_edit)


def _resolves(server: RetouchServer) -> bool:
    able = _abilities(server)
    support = able.resolve_support if able is not None else None
    return support is not None and "edit" in support.properties


def _wanted(only: Any) -> bool:
    """Whether a filter of kinds lets ours through."""
    return only is None or any(
        kind == "" or KIND.value == kind or KIND.value.startswith(f"{kind}.")
        for kind in (getattr(it, "value", it) for it in only)
    )


ROWS: tuple[Row, ...] = (
    Method(
        types.TEXT_DOCUMENT_CODE_ACTION,
        code_actions,
        options=types.CodeActionOptions(code_action_kinds=[KIND], resolve_provider=True),
    ),
    Method(types.CODE_ACTION_RESOLVE, resolve),
)

"""`retouch/rewrite`: mask a span and write it anew; an instruction and its old text are told."""

from typing import Annotated, Any

from msgspec import Meta, Struct

from lsp_server.documents import Document
from lsp_server.feature import Command, Method, Row, arguments
from lsp_server.jobs.asks import Wish
from lsp_server.jobs.guards import selected, snapshot
from lsp_server.jobs.plans import Filling
from lsp_server.jobs.running import Manner, begin
from lsp_server.params import DocumentId, Token, Uri, WireRange
from lsp_server.reading.asked import asked, without
from lsp_server.reading.placeholders import Placeholder
from lsp_server.reading.spans import Span
from lsp_server.server import RetouchServer
from lsp_server.text import clean, newlines
from protocol.limits import INSTRUCTION_LIMIT
from protocol.values import ShapeName

COMMAND = "retouch.rewrite"
Words = Annotated[str, Meta(max_length=INSTRUCTION_LIMIT)]
"""An instruction; "" is none, not even one that a comment gives."""


class Rewrite(Struct, frozen=True, rename="camel"):
    """Params. `empty`: not even an instruction brings the old text, so nothing of it comes back."""

    text_document: DocumentId
    range: WireRange
    instruction: Words | None = None
    empty: bool = False
    work_done_token: Token | None = None


def rewrite(server: RetouchServer, params: Rewrite) -> dict[str, Any]:
    """Begin; the answer comes as a commit."""
    document = snapshot(server, params.text_document)
    span = selected(document, Span(*document.span(params.range.lsp())))
    plan = rewriting(server, document, span, params.instruction, told=not params.empty)
    job = begin(server, plan, document, Manner(token=params.work_done_token))
    return {"jobId": job.id}


def rewrite_command(server: RetouchServer, given: tuple[Any, ...]) -> dict[str, Any]:
    """The same for editors without our client."""
    uri, range_, instruction = arguments(given, Uri, WireRange, Words, needed=2)
    document = snapshot(server, DocumentId(uri))
    span = selected(document, Span(*document.span(range_.lsp())))
    plan = rewriting(server, document, span, instruction)
    job = begin(server, plan, document, Manner(by_command=True))
    return {"jobId": job.id}


def rewriting(
    server: RetouchServer,
    document: Document,
    span: Span,
    instruction: str | None,
    *,
    told: bool = True,
) -> Filling:
    """The plan that writes a span anew, as said or as a comment in or above it asks.

    Without an instruction the old text isn't told: there would be nothing to do but to copy it.
    """
    text = document.text.value
    old = text[span.start : span.stop]
    found = asked(text, span) if instruction is None else None
    if found is not None:
        instruction, old = found.instruction, without(text, span, found.comment)
    shape, lines = _shape(document, span)
    wish = Wish(
        clean(instruction) if instruction else None,
        clean(newlines(old)) if instruction and told and old.strip() else None,
        lines,
    )
    label = "rewrite" if span.start < span.stop else "fill"
    return Filling(server, label, [Placeholder(span.start, span.stop, shape)], wish)


def _shape(document: Document, span: Span) -> tuple[ShapeName, int | None]:
    """Several lines are a block with room for some more, a part of one is a span."""
    if span.start == span.stop:
        return "auto", None
    text = document.text
    first, last = text.line_of(span.start), text.line_of(span.stop)
    whole = span.start == text.starts[first] and span.stop in (text.starts[last], len(text))
    if first == last and not whole:
        return "span", 1
    lines = last - first + (span.stop > text.starts[last])
    return "block", min(400, lines + max(3, lines // 2))


ROWS: tuple[Row, ...] = (
    Method("retouch/rewrite", rewrite, Rewrite, offer="rewrite"),
    Command(COMMAND, rewrite_command),
)

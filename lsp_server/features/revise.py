"""`retouch/revise`: keep a span and change only its weakest tokens."""

from typing import Annotated, Any

from msgspec import Meta, Struct

from lsp_server.documents import Document
from lsp_server.feature import Command, Method, Row, arguments
from lsp_server.jobs.guards import refusal, selected, snapshot
from lsp_server.jobs.plans import Revising
from lsp_server.jobs.running import Manner, begin
from lsp_server.params import DocumentId, Token, Uri, WireRange
from lsp_server.reading.placeholders import Placeholder
from lsp_server.reading.spans import Span
from lsp_server.server import RetouchServer
from lsp_server.text import clean
from protocol.limits import INSTRUCTION_LIMIT
from protocol.revise import KeepName
from protocol.values import Share

COMMAND = "retouch.revise"
STRENGTH = 0.3


class Revise(Struct, frozen=True, rename="camel"):
    """Params. `strength` is the largest share of the tokens that may change."""

    text_document: DocumentId
    range: WireRange
    strength: Share = STRENGTH
    instruction: Annotated[str, Meta(max_length=INSTRUCTION_LIMIT)] | None = None
    keep: Annotated[tuple[KeepName, ...], Meta(max_length=3)] = ()
    work_done_token: Token | None = None


def revise(server: RetouchServer, params: Revise) -> dict[str, Any]:
    """Begin; the answer comes as a commit."""
    document = snapshot(server, params.text_document)
    plan = revising(server, document, Span(*document.span(params.range.lsp())), params)
    job = begin(server, plan, document, Manner(token=params.work_done_token))
    return {"jobId": job.id}


def revise_command(server: RetouchServer, given: tuple[Any, ...]) -> dict[str, Any]:
    """The same for editors without our client."""
    uri, range_, strength = arguments(given, Uri, WireRange, Share, needed=2)
    document = snapshot(server, DocumentId(uri))
    params = Revise(DocumentId(uri), range_, STRENGTH if strength is None else strength)
    plan = revising(server, document, Span(*document.span(range_.lsp())), params)
    job = begin(server, plan, document, Manner(by_command=True))
    return {"jobId": job.id}


def revising(server: RetouchServer, document: Document, span: Span, params: Revise) -> Revising:
    """The plan that refines a span; raises a refusal if there is nothing in it."""
    selected(document, span)
    if not document.text.value[span.start : span.stop].strip():
        raise refusal("Select the text that is to be refined.")
    places = [Placeholder(span.start, span.stop, "span")]
    words = clean(params.instruction) if params.instruction else None
    return Revising(server, places, params.strength, words, params.keep)


ROWS: tuple[Row, ...] = (
    Method("retouch/revise", revise, Revise, offer="revise"),
    Command(COMMAND, revise_command),
)

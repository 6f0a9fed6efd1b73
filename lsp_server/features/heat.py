"""`retouch/heat`: how sure the model is of each token of a text that stands."""

from collections.abc import Sequence
from typing import Any

from msgspec import Struct

from lsp_server.documents import Document
from lsp_server.feature import Method, Row
from lsp_server.jobs.asks import revision
from lsp_server.jobs.guards import refusal, snapshot
from lsp_server.jobs.registry import Registry
from lsp_server.link.finding import LinkError
from lsp_server.params import DocumentId, WireRange
from lsp_server.reading.spans import Span
from lsp_server.reading.tokens import token_spans
from lsp_server.server import RetouchServer
from protocol.limits import SCORE_LIMIT
from protocol.messages import Error, ReviseText, Score, Token


class Heat(Struct, frozen=True, rename="camel"):
    """Params."""

    text_document: DocumentId
    range: WireRange


async def heat(server: RetouchServer, params: Heat) -> dict[str, Any]:
    """The tokens of a range and their probabilities; those without one are left out."""
    document = snapshot(server, params.text_document)
    span = Span(*document.span(params.range.lsp()))
    text = document.text.value[span.start : span.stop]
    if not text or len(text) > SCORE_LIMIT:
        raise refusal(f"Select between 1 and {SCORE_LIMIT} characters.")
    try:
        await server.link.ready(force=True)
        end = await server.link.result(_request(server, document, span), force=True)
    except LinkError as error:
        raise refusal(str(error)) from None
    if isinstance(end, Error):
        raise refusal(end.message)
    spans = token_spans((token.text for token in end.tokens), text)
    if spans is None:
        raise refusal("The engine's tokens are not those of the text.")
    return {"version": document.version, "tokens": _told(document, span.start, end.tokens, spans)}


def _request(server: RetouchServer, document: Document, span: Span) -> Score | ReviseText:
    """A score if the engine gives those, else a revision that changes nothing."""
    name = server.part(Registry).name()
    asked = revision(server, document, span, name, 0.0)
    if "score" not in server.link.capabilities:
        return asked
    return Score(name, asked.prefix, asked.text, asked.suffix, path=asked.path)


def _told(
    document: Document, at: int, tokens: Sequence[Token], spans: Sequence[Span]
) -> list[dict[str, Any]]:
    told = []
    for token, span in zip(tokens, spans, strict=False):
        if span.start == span.stop or token.now is None:
            continue
        entry: dict[str, Any] = {
            "range": document.range(at + span.start, at + span.stop),
            "confidence": round(token.now, 4),
        }
        if token.best is not None:
            entry["best"] = token.best
        if token.why:
            entry["why"] = token.why
        told.append(entry)
    return told


ROWS: tuple[Row, ...] = (Method("retouch/heat", heat, Heat, offer="heat"),)

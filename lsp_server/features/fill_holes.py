"""`retouch/fillHoles`: every placeholder of a range or a document, filled together."""

from typing import Any

from lsprotocol import types
from msgspec import Struct

from lsp_server.documents import Document
from lsp_server.feature import Command, Method, Row, arguments
from lsp_server.jobs.guards import MOST_CHARACTERS, refusal, snapshot
from lsp_server.jobs.plans import Filling
from lsp_server.jobs.running import Manner, begin
from lsp_server.params import DocumentId, Token, Uri, WireRange
from lsp_server.reading.placeholders import Placeholder, placeholders
from lsp_server.server import RetouchServer
from protocol.limits import HOLES_LIMIT

COMMAND = "retouch.fillHoles"


class FillHoles(Struct, frozen=True, rename="camel"):
    """Params; without a range the whole document is meant."""

    text_document: DocumentId
    range: WireRange | None = None
    work_done_token: Token | None = None


def fill_holes(server: RetouchServer, params: FillHoles) -> dict[str, Any]:
    """Begin; tells which places are filled."""
    document = snapshot(server, params.text_document)
    manner = Manner(token=params.work_done_token)
    return _begin(server, document, params.range, manner)


def fill_holes_command(server: RetouchServer, given: tuple[Any, ...]) -> dict[str, Any]:
    """The same for editors without our client."""
    uri, range_ = arguments(given, Uri, WireRange, needed=1)
    document = snapshot(server, DocumentId(uri))
    manner = Manner(by_command=True)
    return _begin(server, document, range_, manner)


def holes_in(document: Document, range_: types.Range | None) -> list[Placeholder]:
    """The placeholders of a range, or of all."""
    text = document.text.value
    start, stop = (0, len(text)) if range_ is None else document.span(range_)
    stub = document.path is not None and document.path.suffix == ".pyi"
    return placeholders(text, document.language, start, stop, stub)


def filling(server: RetouchServer, found: list[Placeholder]) -> Filling:
    """The plan that fills the first of these, as many as fit into one request."""
    many = "holes" in server.link.capabilities or server.link.welcome is None
    kept: list[Placeholder] = []
    for place in found[: HOLES_LIMIT if many else 1]:
        if kept and place.stop - kept[0].start > MOST_CHARACTERS:
            break
        kept.append(place)
    if len(kept) < len(found):
        server.tell_once(f"Of {len(found)} holes {len(kept)} are filled; ask again for the others.")
    return Filling(server, "fill holes", kept)


def _begin(
    server: RetouchServer, document: Document, range_: WireRange | None, manner: Manner
) -> dict[str, Any]:
    found = holes_in(document, None if range_ is None else range_.lsp())
    if not found:
        raise refusal("There is nothing to fill here: no `...`, TODO, ___ or <fill>.")
    plan = filling(server, found)
    job = begin(server, plan, document, manner)
    return {"jobId": job.id, "holes": [document.range(it.start, it.stop) for it in plan.places]}


ROWS: tuple[Row, ...] = (
    Method("retouch/fillHoles", fill_holes, FillHoles, offer="fillHoles"),
    Command(COMMAND, fill_holes_command),
)

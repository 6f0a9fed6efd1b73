"""Ghost text: `textDocument/inlineCompletion`, and what became of it."""

import asyncio
from typing import Any, Literal

from lsprotocol import types
from msgspec import Struct

from lsp_server.feature import Command, Method, Row, arguments
from lsp_server.ghost.ghost import Ghost
from lsp_server.ghost.offers import Offer
from lsp_server.ghost.spot import spot_at
from lsp_server.link.finding import LinkError
from lsp_server.params import Name, Number
from lsp_server.server import LOG, RetouchServer

ACCEPTED = "retouch.accepted"


class Shown(Struct, frozen=True):
    """Params of `retouch/didShow` and `retouch/didReject`."""

    id: Name


class Taken(Struct, frozen=True, rename="camel"):
    """Params of `retouch/didAccept`."""

    id: Name
    accepted_length: Number | None = None


async def inline_completion(
    server: RetouchServer, params: types.InlineCompletionParams
) -> list[types.InlineCompletionItem] | None:
    """What to show at the cursor; null when superseded, unwanted or impossible, never an error."""
    kind, chosen = params.context.trigger_kind, params.context.selected_completion_info
    invoked = kind is types.InlineCompletionTriggerKind.Invoked
    offers = await offers_at(server, params, chosen, kind="ghost", invoked=invoked)
    return [item(offer) for offer in offers] or None


async def offers_at(
    server: RetouchServer,
    params: types.InlineCompletionParams | types.CompletionParams,
    chosen: types.SelectedCompletionInfo | None,
    *,
    kind: Literal["ghost", "menu"],
    invoked: bool,
) -> list[Offer]:
    """The offers at a position; the request of this kind before, for the same document, gets none.

    An editor that shows both asks for both at once.
    """
    uri = params.text_document.uri
    document = server.documents.get(uri)
    spot = spot_at(document, params.position, chosen) if document is not None else None
    server.cancels.cancel((kind, uri))
    if spot is None:
        return []
    server.documents.touched(uri)
    work = server.part(Ghost).offer(spot, invoked)
    task = server.cancels.start(work, (kind, uri))
    try:
        await asyncio.wait({task})
    except asyncio.CancelledError:
        task.cancel()
        raise
    if task.cancelled():
        return []
    error = task.exception()
    if error is not None and not isinstance(error, LinkError):
        LOG.error("ghost text failed: %s", type(error).__name__)
    return [] if error is not None else task.result()


def item(offer: Offer) -> types.InlineCompletionItem:
    """An offer as LSP has it; the range lies in one line."""
    spot = offer.spot
    return types.InlineCompletionItem(
        insert_text=spot.lead + offer.text,
        range=spot.document.range(spot.start, spot.stop + offer.covered),
        command=types.Command("Retouch: accepted", ACCEPTED, arguments=[offer.id]),
    )


def shown(server: RetouchServer, params: Shown) -> None:
    """An offer is on the screen."""
    LOG.debug("shown: %s", params.id)


def taken(server: RetouchServer, params: Taken) -> None:
    """An offer was accepted, or its beginning: what is left is offered next."""
    server.part(Ghost).accepted(params.id, params.accepted_length)


def rejected(server: RetouchServer, params: Shown) -> None:
    """An offer was turned down: none there until the document changes."""
    server.part(Ghost).offers.reject(params.id)


def accepted_command(server: RetouchServer, given: tuple[Any, ...]) -> None:
    """All of an offer was accepted; editors without our client run this behind the insertion."""
    (offer_id,) = arguments(given, Name, needed=1)
    server.part(Ghost).accepted(offer_id, None)


ROWS: tuple[Row, ...] = (
    Method(
        types.TEXT_DOCUMENT_INLINE_COMPLETION,
        inline_completion,
        options=types.InlineCompletionOptions(),
    ),
    Method("retouch/didShow", shown, Shown, offer="didShow"),
    Method("retouch/didAccept", taken, Taken, offer="didAccept"),
    Method("retouch/didReject", rejected, Shown, offer="didReject"),
    Command(ACCEPTED, accepted_command),
)

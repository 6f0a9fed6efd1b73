"""The same texts in the completion menu, for editors that have no ghost text. Off by default."""

import re

from lsprotocol import types

from lsp_server.feature import Method, Row
from lsp_server.features.inline_completion import ACCEPTED, offers_at
from lsp_server.ghost.offers import Offer
from lsp_server.server import RetouchServer

WORD = re.compile(r"\w+\Z")
LABEL = 60


async def completion(
    server: RetouchServer, params: types.CompletionParams
) -> types.CompletionList | None:
    """One entry; the list is never complete, so that the editor asks again."""
    if not server.settings.completion:
        return None
    offers = await offers_at(server, params, None, kind="menu", invoked=False)
    items = [entry(offer) for offer in offers[:1]]
    return types.CompletionList(is_incomplete=True, items=items) if items else None


def entry(offer: Offer) -> types.CompletionItem:
    """An offer as an entry that replaces the word it continues, since editors filter by that."""
    spot = offer.spot
    found = WORD.search(spot.line)
    word = found[0] if found else ""
    first = (word + offer.text).strip().partition("\n")[0]
    return types.CompletionItem(
        label=first if len(first) <= LABEL else first[: LABEL - 1] + "…",
        kind=types.CompletionItemKind.Text,
        detail="Retouch",
        documentation=word + offer.text,
        filter_text=word or None,
        sort_text="\x7f",
        text_edit=types.TextEdit(
            spot.document.range(spot.start - len(word), spot.stop + offer.covered),
            word + offer.text,
        ),
        command=types.Command("Retouch: accepted", ACCEPTED, arguments=[offer.id]),
    )


ROWS: tuple[Row, ...] = (
    Method(
        types.TEXT_DOCUMENT_COMPLETION,
        completion,
        options=types.CompletionOptions(trigger_characters=[".", "(", " "]),
    ),
)

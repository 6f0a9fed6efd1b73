"""What was offered, until it is known what became of it."""

from collections import OrderedDict
from dataclasses import dataclass

from lsp_server.ghost.spot import Spot
from lsp_server.text import characters

KEPT = 8


@dataclass(frozen=True, slots=True)
class Offer:
    """One text that an editor may show.

    Attributes:
        text: what is inserted at `spot`, without its lead.
        covered: characters right of the cursor that it takes the place of.
    """

    id: str
    spot: Spot
    text: str
    covered: int

    def accepted(self, length: int) -> tuple[str, tuple[str, ...], str]:
        """The texts before and after, and what is left, once `length` UTF-16 units are in.

        What the whole text covers is gone with a part of it in some editors and stands in others.
        """
        lead, after = self.spot.lead, self.spot.after
        taken = characters(lead + self.text, length, "utf-16")
        behind = tuple(dict.fromkeys((after, after[self.covered :])))
        taken = max(0, taken - len(lead))
        return self.spot.before + self.text[:taken], behind, self.text[taken:]


class Offers:
    """The last offers by id, and the places where the last one was turned down."""

    def __init__(self) -> None:
        self._offers: OrderedDict[str, Offer] = OrderedDict()
        self._quiet: OrderedDict[str, tuple[int, set[int]]] = OrderedDict()
        self._count = 0

    def make(self, spot: Spot, text: str, covered: int) -> Offer:
        """Enter an offer."""
        self._count += 1
        offer = Offer(f"g{self._count}", spot, text, covered)
        self._offers[offer.id] = offer
        if len(self._offers) > KEPT:
            self._offers.popitem(last=False)
        return offer

    def take(self, offer_id: str) -> Offer | None:
        """The offer of this id, which is over with this; None if it isn't known."""
        return self._offers.pop(offer_id, None)

    def reject(self, offer_id: str) -> None:
        """Be quiet at that place until the document changes."""
        offer = self.take(offer_id)
        if offer is None:
            return
        document = offer.spot.document
        version, places = self._quiet.pop(document.uri, (document.version, set()))
        if version != document.version:
            places = set()
        places.add(offer.spot.stop)
        self._quiet[document.uri] = (document.version, places)
        if len(self._quiet) > KEPT:
            self._quiet.popitem(last=False)

    def is_quiet(self, spot: Spot) -> bool:
        """Whether a text was turned down here, and nothing has changed since."""
        version, places = self._quiet.get(spot.document.uri, (None, set()))
        return version == spot.document.version and spot.stop in places

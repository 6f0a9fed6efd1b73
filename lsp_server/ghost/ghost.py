"""Ghost text from request to offers: known texts first, then at most one job for each document."""

import asyncio
import logging
from functools import partial
from time import monotonic

from lsp_server.documents import Document
from lsp_server.ghost.answers import Answer, Answers
from lsp_server.ghost.fit import fit
from lsp_server.ghost.flight import Flight
from lsp_server.ghost.offers import Offer, Offers
from lsp_server.ghost.pace import Paces, delay
from lsp_server.ghost.request import Told, request
from lsp_server.ghost.rules import comes_unasked
from lsp_server.ghost.spot import Spot
from lsp_server.readable.readable import Readable
from lsp_server.server import RetouchServer

LOG = logging.getLogger("retouch.lsp.ghost")
LATE_SECONDS = 1.0
"""How much later than its deadline an engine may answer; then it is not waited for."""
GRACE_SECONDS = 0.2
"""How long a job that nobody waits for goes on: the next key may ask for it again."""


class Ghost:
    """See the module; one of each server."""

    def __init__(self, server: RetouchServer) -> None:
        self.offers = Offers()
        self._server = server
        self._answers = Answers()
        self._paces = Paces()
        self._flights: dict[str, Flight] = {}
        self._count = 0
        self._readable = server.part(Readable)
        server.watchers.append(self._edited)
        server.closing.append(self._closed)

    async def offer(self, spot: Spot, invoked: bool) -> list[Offer]:
        """What may be shown at `spot`; nothing if somebody rather wants silence.

        LinkError if the engine can't be reached.
        """
        settings = self._server.settings
        if not self._readable.allows(spot.document):
            return []
        pace = self._paces.key(spot.document.uri, monotonic())
        if not invoked and (self.offers.is_quiet(spot) or not comes_unasked(spot, settings)):
            return []
        wait = 0.0 if invoked else delay(settings.debounce_ms / 1000, pace, spot.before)
        try:
            async with asyncio.timeout(wait + settings.timeout_ms / 1000 + LATE_SECONDS):
                texts = await self._texts(spot, invoked, wait)
        except TimeoutError:
            return []
        if not self._is_stale(spot):
            return self._fitted(spot, texts)
        now = self._server.documents.get(spot.document.uri)
        moved = spot.moved(now) if now is not None else None
        return [] if moved is None else self._fitted(moved, self._answers.find(moved)[0])

    def accepted(self, offer_id: str, length: int | None) -> None:
        """An offer was taken, all of it or its first `length` UTF-16 units."""
        offer = self.offers.take(offer_id)
        if offer is None or length is None:
            return
        before, behind, left = offer.accepted(length)
        if left.strip():
            for after in behind:
                self._answers.add(Answer(offer.spot.document.uri, before, after, (left,), 1))

    async def _texts(self, spot: Spot, invoked: bool, wait: float) -> tuple[str, ...]:
        """The texts for a place, from memory or from the engine."""
        wanted = self._server.settings.alternatives if invoked else 1
        known, asked = self._answers.find(spot)
        if known and asked >= wanted:
            return known
        flight = None if invoked else self._under_way(spot)
        if flight is None:
            await asyncio.sleep(wait)
            if self._is_stale(spot):
                return ()
            flight = None if invoked else self._under_way(spot)  # the menu may have asked meanwhile
        flight = flight or self._take_off(spot, wanted)
        found = await self._follow(flight, spot)
        texts = tuple(dict.fromkeys((*known[:1], *found)))
        if invoked and texts:
            self._answers.add(Answer(spot.document.uri, spot.before, spot.after, texts, wanted))
        return texts

    def _under_way(self, spot: Spot) -> Flight | None:
        """The job of the document, if it may answer for this place too."""
        flight = self._flights.get(spot.document.uri)
        going = flight is not None and not flight.ended and flight.agrees(spot)
        return flight if going else None

    async def _follow(self, flight: Flight, spot: Spot) -> tuple[str, ...]:
        """Wait for a job; for another if that is cancelled or goes another way than was typed."""
        while True:
            flight.waiting += 1
            try:
                while not flight.ended and flight.agrees(spot):
                    await flight.news()
            finally:
                flight.waiting -= 1
                self._spare(flight)
            flight.check()
            found = flight.answer.rest(spot) if flight.answer is not None else None
            if found is not None or spot is flight.spot or flight.came_to_nothing:
                return found or ()
            if self._is_stale(spot):
                return ()
            flight = self._under_way(spot) or self._take_off(spot, 1)

    def _take_off(self, spot: Spot, count: int) -> Flight:
        """Ask the engine; a job for the same document ends with that."""
        server, uri = self._server, spot.document.uri
        self._end(uri)
        self._count += 1
        files = self._readable.others(spot.document)
        told = Told(server.settings, files, self._readable.roots, count)
        ask = partial(request, f"ghost-{self._count}", spot, told)
        flight = self._flights[uri] = Flight(server.link, ask, spot, self._landed)
        server.board.job(f"ghost {uri}")
        return flight

    def _landed(self, flight: Flight) -> None:
        if flight.answer is not None:
            self._answers.add(flight.answer)
        if self._flights.get(flight.uri) is flight:
            del self._flights[flight.uri]
        if flight.uri not in self._flights:
            self._server.board.job_over(f"ghost {flight.uri}")

    def _is_stale(self, spot: Spot) -> bool:
        now = self._server.documents.get(spot.document.uri)
        return now is None or now.version != spot.document.version

    def _spare(self, flight: Flight) -> None:
        """End a job soon if nobody waits for it any more."""
        if not flight.waiting and not flight.ended:
            asyncio.get_running_loop().call_later(GRACE_SECONDS, self._abandon, flight)

    def _abandon(self, flight: Flight) -> None:
        if not flight.waiting:
            flight.cancel()

    def _end(self, uri: str) -> None:
        flight = self._flights.pop(uri, None)
        if flight is not None:
            flight.cancel()

    def _edited(self, old: Document, new: Document) -> None:
        """End a job whose answer can't fit any more."""
        flight = self._flights.get(new.uri)
        if flight is None:
            return
        spot = flight.spot.moved(new)
        if spot is None or not flight.agrees(spot):
            self._end(new.uri)

    def _closed(self, uri: str) -> None:
        self._end(uri)
        self._answers.forget(uri)

    def _fitted(self, spot: Spot, texts: tuple[str, ...]) -> list[Offer]:
        fitted = dict.fromkeys(fit(text, spot, self._server.settings.max_lines) for text in texts)
        return [self.offers.make(spot, it.text, it.covered) for it in fitted if it is not None]

"""`retouch/reroll`: throw a word back; what comes in its place is another one, each time."""

import re
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

import msgspec
from msgspec import Struct

from lsp_server.documents import Document
from lsp_server.feature import Method, Row
from lsp_server.jobs.asks import Wish, fill
from lsp_server.jobs.guards import refusal, snapshot
from lsp_server.jobs.plans import Answers, Request, now
from lsp_server.jobs.running import Manner, begin
from lsp_server.live.job import Job
from lsp_server.params import DocumentId, WirePosition
from lsp_server.reading.placeholders import Placeholder
from lsp_server.reading.spans import Span
from lsp_server.reading.words import kind_of, word_at
from lsp_server.server import RetouchServer
from protocol.constraint import Regex
from protocol.messages import Done

ALTERNATIVES = 4
TEMPERATURES = (0.0, 0.7, 1.0)
"""Of each attempt: first the likeliest other word, then chance."""
HELD = (r"[A-Za-z_][0-9A-Za-z_]{0,63}", r"(?:0|[1-9][0-9]{0,18})")
"""What an engine that can is held to, each where the old word is so itself."""
NEAR, MOST_PLACES, MOST_WORDS = 64, 64, 32


class Reroll(Struct, frozen=True, rename="camel"):
    """Params."""

    text_document: DocumentId
    position: WirePosition


class Thrown:
    """The words that were thrown back at a place, so that none comes again; of a server."""

    def __init__(self, server: RetouchServer) -> None:
        self._words: OrderedDict[bytes, set[str]] = OrderedDict()

    def at(self, document: Document, span: Span) -> set[str]:
        """The words of a place, which is told by the text around it; add to them."""
        text, start, stop = document.text.value, span.start, span.stop
        near = f"{document.uri}\0{text[max(0, start - NEAR) : start]}\0{text[stop : stop + NEAR]}"
        key = sha256(near.encode("utf-8", "replace")).digest()
        words = self._words.setdefault(key, set())
        self._words.move_to_end(key)
        while len(self._words) > MOST_PLACES:
            self._words.popitem(last=False)
        return words


@dataclass(frozen=True, slots=True)
class Rerolling:
    """Fill the place of `word` with another one of its kind; `thrown` may not come."""

    server: RetouchServer
    places: Sequence[Placeholder]
    thrown: set[str]
    word: str
    label: str = "another word"
    standing: bool = False

    def ask(self, job: Job, attempt: int) -> Request | None:
        if attempt >= len(TEMPERATURES):
            self.thrown.clear()  # all there is was shown: begin again
            return None
        places = now(self.places, job)
        request = fill(self.server, job.document, places, Wish(lines=1), f"{job.id}.{attempt}")
        able = self.server.link.capabilities
        temperature, seed = TEMPERATURES[attempt], attempt * 1000 + len(self.thrown)
        held = next((Regex(each) for each in HELD if re.fullmatch(each, self.word)), None)
        return msgspec.structs.replace(
            request,
            sampling=msgspec.structs.replace(request.sampling, temperature=temperature, seed=seed),
            alternatives=ALTERNATIVES if "alternatives" in able else 1,
            constraint=held if held and "constraint:regex" in able else request.constraint,
        )

    def answers(self, job: Job, end: Done) -> Answers | None:
        """The first that is of the same kind: a word for a word, a number for a number."""
        kind = kind_of(self.word)
        for text in (end.text, *end.alternatives):
            if kind_of(text.strip()) == kind and text.strip() not in self.thrown:
                return [text.strip()]
        return None


def reroll(server: RetouchServer, params: Reroll) -> dict[str, Any]:
    """Begin; tells which word is thrown back."""
    document = snapshot(server, params.text_document)
    text = document.text.value
    span = word_at(text, document.offset(params.position.lsp()))
    if span is None:
        raise refusal("There is no word here.")
    thrown = server.part(Thrown).at(document, span)
    if len(thrown) >= MOST_WORDS:
        thrown.clear()
    word = text[span.start : span.stop]
    thrown.add(word)
    plan = Rerolling(server, [Placeholder(span.start, span.stop, "span")], thrown, word)
    job = begin(server, plan, document, Manner())
    return {"jobId": job.id, "range": document.range(span.start, span.stop)}


ROWS: tuple[Row, ...] = (Method("retouch/reroll", reroll, Reroll, offer="reroll"),)

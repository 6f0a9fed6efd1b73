"""Spans of a document as requests: the text around them, other open files, what answers must be."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from lsp_server.documents import Document
from lsp_server.jobs.constraints import constraint_of, schema_file
from lsp_server.readable.excerpts import AFTER, BEFORE, context, key_of, told_path
from lsp_server.readable.readable import Readable
from lsp_server.reading.placeholders import Placeholder
from lsp_server.reading.spans import Span
from lsp_server.server import RetouchServer
from lsp_server.text import clean, newlines
from protocol.careful import careful
from protocol.messages import ContextFile, DocumentRef, Fill, ReviseText, Sampling
from protocol.requests import NextHole
from protocol.revise import KeepName
from protocol.values import Instruction


@dataclass(frozen=True, slots=True)
class Wish:
    """What a person said beside the place."""

    instruction: Instruction | None = None
    old: str | None = None
    """The text that is to be rewritten, for the model to look at."""
    lines: int | None = None


NO_WISH = Wish()


@dataclass(frozen=True, slots=True)
class Around:
    """The text on both sides of a span, line ends as a line feed; `whole`: nothing was cut off."""

    prefix: str
    suffix: str
    whole: bool


def around(text: str, span: Span) -> Around:
    """What is sent of the text around a span; its start moves rarely while one types."""
    first = 0
    if span.start > BEFORE:
        step = BEFORE // 4
        first = -(-(span.start - BEFORE) // step) * step
        first = text.find("\n", first, span.start) + 1 or first
    last = min(len(text), span.stop + AFTER)
    prefix, suffix = text[first : span.start], text[span.stop : last]
    whole = first == 0 and last == len(text)
    return Around(clean(newlines(prefix)), clean(newlines(suffix)), whole)


def fill(
    server: RetouchServer, document: Document, holes: Sequence[Placeholder], wish: Wish, name: str
) -> Fill:
    """The request that fills holes together; what the engine can't do is left out."""
    text, able = document.text.value, server.link.capabilities
    first = holes[0]
    near = around(text, Span(first.start, holes[-1].stop))
    request = Fill(
        id=name,
        prefix=near.prefix + first.lead.replace("\r\n", "\n"),
        suffix=near.suffix,
        shape=first.shape,
        lines=wish.lines,
        sampling=_sampling(server),
        holes=tuple(
            NextHole(clean(newlines(text[left.stop : hole.start] + hole.lead)), hole.shape)
            for left, hole in pairwise(holes)
        ),
        doc=_reference(document),
        path=told_path(document, server.part(Readable).roots),
        context=_context(server, document),
        instruction=wish.instruction if "instruction" in able else None,
        old_text=wish.old if "old_text" in able else None,
        constraint=constraint_of(server, document) if near.whole else None,
    )
    if wish.instruction and request.instruction is None:
        server.tell_once("This engine takes no instructions; they are left out.")
    return request


def revision(
    server: RetouchServer,
    document: Document,
    span: Span,
    name: str,
    strength: float,
    *,
    keep: tuple[KeepName, ...] = (),
    instruction: str | None = None,
) -> ReviseText:
    """The request that finds the weakest tokens of a span and fills them again."""
    text, able = document.text.value, server.link.capabilities
    near = around(text, span)
    return ReviseText(
        id=name,
        prefix=near.prefix,
        text=clean(newlines(text[span.start : span.stop])),
        suffix=near.suffix,
        strength=strength,
        keep=keep,
        instruction=instruction if "instruction" in able else None,
        constraint=constraint_of(server, document) if near.whole and strength else None,
        doc=_reference(document),
        path=told_path(document, server.part(Readable).roots),
        context=_context(server, document),
    )


def _sampling(server: RetouchServer) -> Sampling:
    return careful(Sampling(policy=server.settings.policy, steps=server.settings.steps))


def _reference(document: Document) -> DocumentRef:
    return DocumentRef(key_of(document), max(0, document.version), document.language[:64])


def _context(server: RetouchServer, document: Document) -> tuple[ContextFile, ...]:
    if "context" not in server.link.capabilities:
        return ()
    readable, schema = server.part(Readable), schema_file(server, document)
    files = context(readable.others(document), readable.roots)
    return (*([schema] if schema is not None else []), *files)[:3]

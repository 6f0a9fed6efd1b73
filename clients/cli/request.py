"""From a span of a document to the Fill that is sent; what had to be cut is said in notes."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, TypeVar

import msgspec

from clients.cli.address import Span
from clients.cli.document import Document
from clients.cli.errors import BadInput
from clients.cli.settings import Settings
from protocol.careful import careful
from protocol.constraint import Constraint, Lengths, Syntax
from protocol.limits import FRAME_LIMIT
from protocol.messages import (
    PREFIX_LIMIT,
    SUFFIX_LIMIT,
    CanvasSpec,
    Fill,
    ReviseText,
    Sampling,
    Score,
    ShapeName,
)
from protocol.requests import NextHole

Verb = Literal["fill", "rewrite", "revise"]
Request = TypeVar("Request", Fill, ReviseText, Score)


@dataclass(frozen=True, slots=True)
class Job:
    """One fill or revision to run: the request, the spans it is for, and what was cut."""

    verb: Verb
    document: Document
    spans: tuple[Span, ...]
    fill: Fill | ReviseText
    notes: tuple[str, ...]

    @property
    def span(self) -> Span:
        """The first span, most often the only one."""
        return self.spans[0]

    @property
    def canvases(self) -> tuple[Span, ...]:
        """What each canvas of the engine stands for: a revision has one from first to last span."""
        return self.spans if isinstance(self.fill, Fill) else (covering(self.spans),)


@dataclass(frozen=True, slots=True)
class Wish:
    """What a person says of the text that is wanted."""

    shape: ShapeName | None = None
    instruction: str | None = None
    guidance: float | None = None
    constraint: Constraint | None = None


def covering(spans: Sequence[Span]) -> Span:
    """From the start of the first span to the end of the last one."""
    return spans[0] if len(spans) == 1 else Span(spans[0].start, spans[-1].end)


def build(
    verb: Verb, document: Document, spans: tuple[Span, ...], settings: Settings, wish: Wish
) -> Job:
    """The job that fills `spans`, from the left; the old text is sent with an instruction only.

    Raises:
        BadInput: nothing to rewrite, or more than a request may ask for.
    """
    span = spans[0]
    constraint = wish.constraint
    if verb == "rewrite" and any(each.start == each.end for each in spans):
        raise BadInput("the span is empty, so there is nothing to rewrite; `retouch fill` inserts")
    prefix, suffix, notes = around(document.text, _hole(document, spans, constraint), constraint)
    chosen = wish.shape or _shape(verb, span)
    old = document.text[span.start : span.end]
    fill = Fill(
        id="cli-1",
        prefix=prefix,
        suffix=suffix,
        shape=chosen,
        lines=span.lines if chosen == "block" else None,
        canvas=CanvasSpec(tokens=settings.max_tokens),
        sampling=careful(_sampling(settings)),
        deadline_ms=settings.timeout_ms,
        path=document.path,
        instruction=wish.instruction,
        guidance=wish.guidance,
        old_text=old if wish.instruction and old and len(spans) == 1 else None,
        constraint=constraint,
        holes=tuple(
            NextHole(
                before=document.text[_end(document, left, constraint) : right.start],
                shape=wish.shape or _shape(verb, right),
                lines=right.lines if (wish.shape or _shape(verb, right)) == "block" else None,
                canvas=CanvasSpec(tokens=settings.max_tokens),
                constraint=_own(constraint),
            )
            for left, right in pairwise(spans)
        ),
    )
    return Job(verb, document, tuple(spans), checked(fill), notes)


def _hole(document: Document, spans: Sequence[Span], constraint: Constraint | None) -> Span:
    """From the first span to the last."""
    return Span(spans[0].start, _end(document, spans[-1], constraint))


def _end(document: Document, span: Span, constraint: Constraint | None) -> int:
    """Where the span's hole ends. The newline of whole lines is in no constraint's words: it stays
    behind the hole, and `answer_text` puts it back."""
    closed = span.lines and span.end > span.start and document.text[span.end - 1] == "\n"
    shaped = constraint is None or isinstance(constraint, Syntax | Lengths)
    return span.end - 1 if closed and not shaped else span.end


def _own(constraint: Constraint | None) -> Constraint | None:
    """What each further hole is held to: a constraint on the document stands on the fill alone."""
    return None if constraint is None or constraint.scope == "document" else constraint


def around(
    text: str, span: Span, constraint: Constraint | None
) -> tuple[str, str, tuple[str, ...]]:
    """The text before and behind the span, whole where a constraint speaks of the document.

    Raises:
        BadInput: the document is too long for that.
    """
    prefix, suffix, notes = context(text, span)
    if notes and constraint is not None and constraint.scope == "document":
        raise BadInput(
            "the file is too long for a constraint on the whole document: at most"
            f" {PREFIX_LIMIT} characters ({FRAME_LIMIT // 2} bytes) before the hole and"
            f" {SUFFIX_LIMIT} ({FRAME_LIMIT // 4}) behind it"
        )
    return prefix, suffix, notes


def answer_text(document: Document, span: Span, text: str) -> str:
    """The engine's text as it goes into the document.

    A span of whole lines ends as it ended before: with a line end if it had one, without if it
    was the end of a text without a final newline.
    """
    old = document.text[span.start : span.end]
    at_end = span.end == len(document.text)
    if at_end and not document.text.endswith("\n") and document.text:
        return text.removesuffix("\n")
    if span.lines and text and old.endswith("\n") and not text.endswith("\n"):
        return text + "\n"
    return text


def _shape(verb: Verb, span: Span) -> ShapeName:
    """Whole lines are a block; a rewritten part of a line is a span of free form."""
    if span.lines:
        return "block"
    return "span" if verb == "rewrite" else "auto"


def _sampling(settings: Settings) -> Sampling:
    return Sampling(
        policy=settings.policy,
        order=settings.order,
        steps=settings.steps,
        threshold=settings.threshold,
        factor=settings.factor,
        entropy=settings.entropy,
        margin=settings.margin,
        branches=settings.branches,
        temperature=settings.temperature,
        top_p=settings.top_p,
        seed=settings.seed,
        review=settings.review,
    )


def context(text: str, span: Span) -> tuple[str, str, tuple[str, ...]]:
    """The text before and behind the span, cut to whole lines where it exceeds the protocol.

    Both together may take three quarters of a frame; what else is asked has the rest.
    """
    notes = []
    before, behind = text[: span.start], text[span.end :]
    prefix = before[-PREFIX_LIMIT:].encode()[-FRAME_LIMIT // 2 :].decode(errors="ignore")
    suffix = behind[:SUFFIX_LIMIT].encode()[: FRAME_LIMIT // 4].decode(errors="ignore")
    if len(prefix) < len(before):
        prefix = prefix[prefix.find("\n") + 1 :] or prefix
        notes.append(f"only the last {len(prefix)} characters before the hole were sent")
    if len(suffix) < len(behind):
        suffix = suffix[: suffix.rfind("\n") + 1] or suffix
        notes.append(f"only the first {len(suffix)} characters behind the hole were sent")
    return prefix, suffix, tuple(notes)


def checked(request: Request) -> Request:
    """The request, once it is known to travel and to keep the protocol's bounds."""
    try:
        return msgspec.msgpack.decode(msgspec.msgpack.encode(request), type=type(request))
    except msgspec.ValidationError as error:
        raise BadInput(f"this can't be asked of the engine: {error}") from None
    except UnicodeEncodeError:
        raise BadInput("this can't be asked of the engine: an option is no valid text") from None

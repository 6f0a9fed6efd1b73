"""One fill from request to outcome: messages in, canvas to the view, answer into the document."""

import logging
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass

from clients.cli.address import Span
from clients.cli.canvas import Canvas
from clients.cli.document import Document, Edit
from clients.cli.errors import BadInput, CliError, EngineFailure
from clients.cli.glyphs import safe
from clients.cli.parts import revised_parts
from clients.cli.request import Job, answer_text
from clients.cli.settings import Settings
from clients.cli.views import View
from engine.client import EngineClient, stream
from engine.errors import EngineError
from protocol.messages import Accepted, Delta, Done, Error, Fill, ServerMessage

_LOG = logging.getLogger("retouch.cli")
_OUR_FAULT = (
    "invalid_message",
    "too_large",
    "unsupported",
    "constraint_invalid",
    "constraint_unsatisfiable",
)

OpenEngine = Callable[[Settings], EngineClient]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a fill came to. `edits`, one for each hole, may be no change at all."""

    job: Job
    accepted: Accepted
    done: Done
    edits: tuple[Edit, ...]
    notes: tuple[str, ...]

    @property
    def text(self) -> str:
        """The text that stands in the first hole's place now, with the file's line ends."""
        return self.edits[0].text

    @property
    def changed(self) -> bool:
        """Whether the file's text differs from before."""
        return any(self.job.document.changed_by(edit) for edit in self.edits)


def open_client(open_engine: OpenEngine, settings: Settings) -> EngineClient:
    """The engine, ready to be asked.

    Raises:
        EngineFailure: it can't be started; the message says why.
    """
    try:
        return open_engine(settings)
    except EngineError as error:
        raise EngineFailure(str(error)) from error


def run_fill(job: Job, client: EngineClient, view: View) -> Outcome:
    """Ask, watch and take the answer in.

    Raises:
        EngineFailure: the engine gave up or broke off.
        BadInput: the engine says that the request can't be met.
    """
    canvas = Canvas(rest=[Canvas() for _ in job.canvases[1:]])
    accepted = Accepted(job.fill.id, "", job.fill.sampling.seed, 0, "")
    with closing(stream(client, job.fill)) as messages:  # type: ignore[type-var]
        for message in messages:
            if isinstance(message, Accepted):
                accepted = message
            if isinstance(message, Done):
                view.draw(canvas, last=True)
                return _outcome(job, accepted, message)
            _follow(message, canvas, view)
    raise EngineFailure("the engine stopped without an answer")


def failure(error: Error) -> CliError:
    """What an engine's error is to the person who asked."""
    kind = BadInput if error.code in _OUR_FAULT else EngineFailure
    return kind(f"{safe(error.message)} ({safe(error.code)})")


def _follow(message: ServerMessage, canvas: Canvas, view: View) -> None:
    """Show what one message says."""
    if isinstance(message, Error):
        raise failure(message)
    if isinstance(message, Accepted):
        canvas.resize(message.canvas_tokens)
    elif isinstance(message, Delta):
        canvas.apply(message)
    view.draw(canvas)


def _outcome(job: Job, accepted: Accepted, done: Done) -> Outcome:
    """The edits that the answer means. Nothing settled in time means that nothing changes."""
    texts = _texts(job, done)
    if len(texts) != len(job.spans):
        raise EngineFailure(f"the engine filled {len(texts)} of {len(job.spans)} holes")
    hurried = done.finish in ("deadline", "cancelled")
    notes = job.notes + accepted.notes
    if hurried:
        notes = (*notes, _what_is_left(texts))
    if done.finish == "constraint":
        notes = (*notes, "the answer does not keep to the constraint; it is the best there is")
    edits = tuple(
        _edit(job.document, span, text, keep=hurried and not text)
        for span, text in zip(job.spans, texts, strict=True)
    )
    _LOG.info(
        "%s: %s after %d steps, %d forwards, %.0f ms, %d tokens, %s",
        job.verb,
        done.finish,
        done.stats.steps,
        done.stats.forwards,
        done.stats.wall_ms,
        done.stats.tokens,
        accepted.model,
    )
    return Outcome(job, accepted, done, edits, notes)


def _what_is_left(texts: tuple[str, ...]) -> str:
    """What became of a fill whose time was up."""
    if all(texts):
        return "the time was up; this is what had settled by then"
    left = f" in {texts.count('')} of {len(texts)} holes; there" if any(texts) else ";"
    return f"the time was up before any text had settled{left} nothing changes"


def _texts(job: Job, done: Done) -> tuple[str, ...]:
    """The answer for each span; that to a revision is one text, cut at what was not to change."""
    if len(job.spans) == 1:
        return (done.text,)
    if isinstance(job.fill, Fill):
        return done.holes
    start = job.span.start
    bounds = [(span.start - start, span.end - start) for span in job.spans]
    return revised_parts(done, job.fill.text, bounds)


def _edit(document: Document, span: Span, text: str, keep: bool) -> Edit:
    """The edit that puts an answer in place of a span, or keeps what is there."""
    old = document.text[span.start : span.end]
    answer = old if keep else answer_text(document, span, text)
    return document.edit(span.start, span.end, answer)

"""One fill from request to outcome: messages in, canvas to the view, answer into the document."""

import logging
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass

from clients.cli.canvas import Canvas
from clients.cli.document import Edit
from clients.cli.errors import BadInput, EngineFailure
from clients.cli.glyphs import safe
from clients.cli.request import Job, answer_text
from clients.cli.settings import Settings
from clients.cli.views import View
from engine.client import EngineClient, stream
from engine.errors import EngineError
from protocol.messages import Accepted, Delta, Done, Error, ServerMessage

_LOG = logging.getLogger("retouch.cli")
_OUR_FAULT = ("invalid_message", "too_large", "unsupported")

OpenEngine = Callable[[Settings], EngineClient]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a fill came to. `edit` is what to do to the file; it may be no change at all."""

    job: Job
    accepted: Accepted
    done: Done
    edit: Edit
    notes: tuple[str, ...]

    @property
    def text(self) -> str:
        """The text that stands in the hole's place now, with the file's line ends."""
        return self.edit.text

    @property
    def changed(self) -> bool:
        """Whether the file's text differs from before."""
        raw = self.job.document.raw
        return raw[self.edit.start : self.edit.end] != self.edit.text


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
    canvas = Canvas()
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


def _follow(message: ServerMessage, canvas: Canvas, view: View) -> None:
    """Show what one message says."""
    if isinstance(message, Error):
        kind = BadInput if message.code in _OUR_FAULT else EngineFailure
        raise kind(f"{safe(message.message)} ({safe(message.code)})")
    if isinstance(message, Accepted):
        canvas.resize(message.canvas_tokens)
    elif isinstance(message, Delta):
        canvas.apply(message)
    view.draw(canvas)


def _outcome(job: Job, accepted: Accepted, done: Done) -> Outcome:
    """The edit that the answer means. Nothing settled in time means that nothing changes."""
    document, span = job.document, job.span
    notes = job.notes + accepted.notes
    if not done.text and done.finish in ("deadline", "cancelled"):
        old = document.raw[document.raw_offset(span.start) : document.raw_offset(span.end)]
        edit = Edit(document.raw_offset(span.start), document.raw_offset(span.end), old)
        notes = (*notes, "the time was up before any text had settled; nothing changes")
    else:
        edit = document.edit(span.start, span.end, answer_text(job, done.text))
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
    return Outcome(job, accepted, done, edit, notes)

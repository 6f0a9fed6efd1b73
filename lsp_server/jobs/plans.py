"""What jobs ask and how answers are read: one class for each kind, none of which does I/O."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import msgspec

from lsp_server.documents import Document
from lsp_server.jobs.asks import NO_WISH, Wish, fill, revision
from lsp_server.jobs.constraints import SYNTAX_SCHEMA, looser
from lsp_server.live.job import Hole, Job
from lsp_server.reading.placeholders import Placeholder
from lsp_server.reading.spans import Span
from lsp_server.server import RetouchServer
from protocol.constraint import Syntax
from protocol.messages import Done, Error, Fill, ReviseText, Scores
from protocol.revise import KeepName

UNCONSTRAINED = "The engine can't hold this answer to its schema or syntax; it is left free."
Request = Fill | ReviseText
Answers = list[str | None]
"""The texts of a job's holes; None for one that stays as it is."""


class Plan(Protocol):
    """What a job does.

    Attributes:
        label: its name for people.
        places: the spans of the document that it fills.
        standing: see Job.
    """

    @property
    def label(self) -> str: ...

    @property
    def places(self) -> Sequence[Placeholder]: ...

    @property
    def standing(self) -> bool: ...

    def ask(self, job: Job, attempt: int) -> Request | None:
        """The request of an attempt, from 0; None if there is none any more."""
        ...

    def answers(self, job: Job, end: Done) -> Answers | None:
        """What the answer is; None if it should be tried again."""
        ...


def job_of(plan: Plan, document: Document, name: str) -> Job:
    """The job that carries out a plan."""
    text = document.text.value
    holes = [
        Hole(Span(place.start, place.stop), place.lead, text[place.start : place.stop])
        for place in plan.places
    ]
    return Job(name, plan.label, document, holes, plan.standing)


@dataclass(frozen=True, slots=True)
class Filling:
    """Fill holes, one or several together."""

    server: RetouchServer
    label: str
    places: Sequence[Placeholder]
    wish: Wish = NO_WISH
    standing: bool = False

    def ask(self, job: Job, attempt: int) -> Request | None:
        if attempt:
            return None
        return fill(self.server, job.document, now(self.places, job), self.wish, f"{job.id}.0")

    def answers(self, job: Job, end: Done) -> Answers | None:
        texts = end.holes or (end.text,)
        return [kept(job, hole, text) for hole, text in zip(job.holes, texts, strict=True)]


@dataclass(frozen=True, slots=True)
class Revising:
    """Keep a span and change its weakest tokens."""

    server: RetouchServer
    places: Sequence[Placeholder]
    strength: float
    instruction: str | None = None
    keep: tuple[KeepName, ...] = ()
    label: str = "refine"
    standing: bool = True

    def ask(self, job: Job, attempt: int) -> Request | None:
        if attempt:
            return None
        return revision(
            self.server,
            job.document,
            job.holes[0].span,
            f"{job.id}.0",
            self.strength,
            keep=self.keep,
            instruction=self.instruction,
        )

    def answers(self, job: Job, end: Done) -> Answers | None:
        return [end.text or None]


def now(places: Sequence[Placeholder], job: Job) -> list[Placeholder]:
    """The places of a plan where they are in the job's document now."""
    return [
        replace(place, start=hole.span.start, stop=hole.span.stop)
        for place, hole in zip(places, job.holes, strict=True)
    ]


def kept(job: Job, hole: Hole, text: str) -> str | None:
    """An answer as it goes into a hole: nothing never replaces something, and whole lines stay so.

    A span that ended with a line end still does; one that ended the document without one too. A
    line of its own is not begun for nothing.
    """
    old, last = hole.old, hole.span.stop == len(job.document.text.value)
    if not text.strip() and (old.strip() or hole.lead):
        return None
    if old.endswith(("\n", "\r")) and not text.endswith("\n"):
        return text + "\n"
    if old and last and not old.endswith(("\n", "\r")):
        return text.removesuffix("\n")
    return text


def held_less(
    request: Request, end: Done | Scores | Error, able: Collection[str]
) -> Request | None:
    """The request as it may be asked again where an engine turns down what its answer was to be
    held to: under a looser constraint that it is `able` to hold, or free; None if it stands.

    Where texts were tried and all break the schema, no answer is better than such a one.
    """
    held = request.constraint
    about = end.param or "" if isinstance(end, Error) else ""
    if held is None or not isinstance(end, Error) or not about.startswith("constraint"):
        return None
    if isinstance(held, Syntax) and held.schema and end.code == "constraint_unsatisfiable":
        return None
    less = looser(held) if SYNTAX_SCHEMA in able else None
    return msgspec.structs.replace(request, id=f"{request.id}f", constraint=less)

"""A Revise on a running fill: its ops in order, all of them or none."""

from dataclasses import dataclass, replace

from engine.amending.draft import Draft, Move, draft_of, refused
from engine.amending.slots import pin, remask, remask_below, resize
from engine.amending.texts import Surroundings, advance, change_context
from engine.hole import Hole
from engine.job import Job
from engine.making import Maker
from engine.prompt import Prompt
from engine.search import Search
from models.loader import Model
from protocol.constraint import Constraint, Syntax
from protocol.messages import (
    Advance,
    ContextChange,
    Fill,
    Op,
    Pin,
    Remask,
    RemaskBelow,
    Resize,
    Revise,
)


@dataclass(frozen=True, slots=True)
class Amended:
    """What a fill is about now, and how its slots were numbered anew."""

    fill: Fill
    hole: Hole
    prompt: Prompt
    moves: tuple[Move, ...]


def _may(constraint: Constraint | None, op: Op) -> bool:
    """Whether an op can leave a constraint's promise whole: syntax is judged at the end anyway."""
    if constraint is None or isinstance(op, Remask | RemaskBelow | Pin):
        return True
    return isinstance(constraint, Syntax) and isinstance(op, Resize)


def _check_way(job: Job, draft: Draft) -> None:
    """ProtocolError if the canvas, as it is to be, can't be completed under its constraint."""
    room = max(0, draft.limit - len(draft.canvas))
    if job.constraint is not None and not job.constraint.allows(draft.canvas, room):
        text = "With this text the answer can't keep to the constraint."
        raise refused("constraint_unsatisfiable", text)
    job.witness = job.log_valid = None


class Amender:
    """Changes running searches of one session."""

    def __init__(self, model: Model, maker: Maker, around: Surroundings) -> None:
        self._model = model
        self._maker = maker
        self._around = around

    def amend(self, search: Search, around: tuple[Fill, Hole, Prompt], revise: Revise) -> Amended:
        """Do what is asked of the search's canvas; ProtocolError if any of it can't be done."""
        draft = draft_of(search.lead, around, self._model.config, self._model.tokenizer)
        for op in revise.ops:
            self._do(draft, op, revise)
        if draft.fill.constraint is not None:
            _check_way(search.lead, draft)
        self._commit(search, draft, revise)
        return Amended(draft.fill, draft.hole, draft.prompt, tuple(draft.moves))

    def _do(self, draft: Draft, op: Op, revise: Revise) -> None:
        if not _may(draft.fill.constraint, op):
            raise refused("unsupported", "A constrained text keeps its surroundings and size.")
        encoding = revise.encoding or "utf-32"
        match op:
            case Remask():
                remask(draft, op)
            case RemaskBelow():
                remask_below(draft, op)
            case Pin():
                pin(draft, op)
            case Resize():
                resize(draft, op)
            case Advance():
                advance(draft, op, self._around, encoding)
            case ContextChange():
                change_context(draft, op, self._around, encoding)

    def _commit(self, search: Search, draft: Draft, revise: Revise) -> None:
        """Hand the draft over to the job; from here on nothing can fail."""
        job = search.lead
        job.canvas, job.past, job.limit = draft.canvas, draft.past, draft.limit
        if any(isinstance(op, Resize) for op in revise.ops):
            job.further = None  # to so many slots, and no further
        if draft.resettled:
            self._maker.resettle(search, draft.hole, draft.prompt)
        _go_on(job, revise)


def _go_on(job: Job, revise: Revise) -> None:
    """Steps and randomness from now on."""
    if revise.steps is not None:
        job.plan = replace(job.plan, steps=revise.steps)
        job.began = job.step
    if revise.seed is not None:
        job.plan = replace(job.plan, seed=revise.seed)
        job.draw = replace(job.draw, seed=revise.seed)
    if job.review is not None:
        plan = replace(job.review.plan, steps=job.plan.steps, seed=job.plan.seed)
        job.review = replace(job.review, plan=plan)

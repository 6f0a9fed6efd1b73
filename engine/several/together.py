"""Several holes in the same passes: one joint job, whose holes are told as if each were a fill."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import msgspec

from engine.hole import Hole
from engine.job import Finish, Job, JointJob, StepResult
from engine.languages import Languages, param_of
from engine.making import BLOCKS, LINE_SLOTS
from engine.policies import DEFAULT_POLICY, POLICIES, ReadingKind
from engine.prompt import Prompt, Prompter
from engine.session import Session
from engine.several.parts import at_hole, holes_of, joined_end, one_hole, param_in
from engine.turns import Turn
from protocol.errors import ProtocolError
from protocol.messages import Accepted, CanvasSpec, Delta, Done, Error, Fill, ServerMessage

BETWEEN_TOKENS = 1024
LINE_ROOM = 2 * LINE_SLOTS
"""Slots of a line: a canvas beside others can't grow, so it begins with room."""


@dataclass(frozen=True, slots=True)
class Plan:
    """How the holes of a fill see their text: a prompt for each, the tokens between them."""

    holes: tuple[Hole, ...]
    prompts: tuple[Prompt, ...]
    betweens: tuple[tuple[int, ...], ...]

    @property
    def obstacle(self) -> str | None:
        """Why the holes can't be filled together, in plain words."""
        if not all(self.betweens):
            return "The model can't read what is between two holes; they were filled in turn."
        if sum(map(len, self.betweens)) > BETWEEN_TOKENS:
            return "The text between the holes is long, so they were filled one after another."
        return None


def wants_canvas(fill: Fill) -> bool:
    """Whether the fill's policy reads a canvas at once."""
    policy = POLICIES[fill.sampling.policy or DEFAULT_POLICY]
    return policy.reading is ReadingKind.CANVAS


def too_long(fill: Fill, holes: Sequence[Hole]) -> str | None:
    """Why holes are not filled together: one needs more slots than a canvas has."""
    for asked, hole in zip(holes_of(fill), holes, strict=True):
        if (asked.canvas.tokens or LINE_SLOTS * hole.lines) > BLOCKS[ReadingKind.CANVAS]:
            return "A hole is long, so the holes were filled one after another."
    return None


def plan(fill: Fill, holes: Sequence[Hole], prompter: Prompter, references: Sequence[str]) -> Plan:
    """The prompts of all holes: one context, and what moved from the text before each."""
    outer = prompter.prompt(holes[0].prefix, holes[-1].suffix, references)
    prompts, betweens = [outer], []
    for hole, following in zip(holes, fill.holes, strict=False):
        opened = "\n" if hole.whole_lines else ""  # as in front of a suffix
        ids, moved = prompter.between(opened + following.before.replace("\r\n", "\n"))
        betweens.append(ids)
        prompts.append(Prompt(outer.context, moved, ()))
    return Plan(tuple(holes), tuple(prompts), tuple(betweens))


@dataclass(slots=True)
class Together:
    """A fill that runs as one joint job; the session knows each hole under a name of its own."""

    session: Session
    fill: Fill
    deadline: float | None
    """In seconds of the engine's clock."""
    plan: Plan
    languages: Languages
    over: bool = False
    _ends: dict[int, Done] = field(default_factory=dict)

    def open(self) -> Turn:
        """The joint job."""
        try:
            turns = [self._begin(number) for number in range(len(self.plan.holes))]
            jobs = _jobs(turns)
            for number, job in enumerate(jobs):
                _keep_size(job, number)
        except Exception:
            self.forget()
            raise
        context = self.plan.prompts[0].context
        work = JointJob(self.fill.id, context, tuple(jobs), self.plan.betweens, self.deadline)
        [first] = turns[0].messages
        assert isinstance(first, Accepted)
        notes = first.notes
        if (self.fill.sampling.branches or 1) > 1:
            notes = (*notes, "Holes that are filled together have one branch.")
        return Turn([msgspec.structs.replace(first, id=self.fill.id, notes=notes)], [work])

    def running(self) -> list[str]:
        """Ids of the work that is going on."""
        return [self.fill.id]

    def forget(self) -> list[str]:
        """Drop what the session knows of the holes; the ids of the work that goes on."""
        for number in range(len(self.plan.holes)):
            self.session.forget(self._name(number))
        return self.running()

    def advance(self, result: StepResult) -> Turn:
        """Tell every open hole of the step; the fill ends with all of them, or as one fails."""
        assert isinstance(result.work, JointJob)
        turn, whole = Turn(), result
        for number, hole in enumerate(result.work.holes):
            if number in self._ends:
                continue
            finish = result.work.finishes[number] or result.finish
            for message in self.session.advance(_share(whole, hole, finish)).messages:
                self._hear(message, number, turn)
            whole = StepResult(result.work, error=result.error)  # costs are counted once
            if self.over:
                turn.cancel = self.forget()
                return turn
        if len(self._ends) == len(self.plan.holes):
            self.over = True
            ends = [self._ends[number] for number in range(len(self._ends))]
            turn.messages.append(joined_end(self.fill, ends, together=True))
        return turn

    def _begin(self, number: int) -> Turn:
        """Make a hole known to the session, without a clock, branches or growth of its own."""
        part, hole = one_hole(self.fill, number), self.plan.holes[number]
        canvas, room = part.canvas, min(LINE_ROOM * hole.lines, BLOCKS[ReadingKind.CANVAS])
        part = msgspec.structs.replace(
            part,
            id=self._name(number),
            canvas=CanvasSpec(canvas.tokens or room, canvas.pinned),
            sampling=msgspec.structs.replace(part.sampling, branches=1),
            deadline_ms=None,
        )
        prompt, language = self.plan.prompts[number], self.languages.of(number)
        try:
            return self.session.begin(part, hole, prompt, language)
        except ProtocolError as error:
            raise at_hole(error, number, self.languages) from error

    def _name(self, number: int) -> str:
        """The id under which the session knows a hole."""
        return f"{self.fill.id}#{number}"

    def _hear(self, message: ServerMessage, number: int, turn: Turn) -> None:
        """A hole's message: its frames are the fill's, its end is kept, an error is the fill's."""
        if isinstance(message, Done):
            self._ends[number] = message
        elif isinstance(message, Delta):
            turn.messages.append(msgspec.structs.replace(message, id=self.fill.id, canvas=number))
        elif isinstance(message, Error):
            self.over = True
            param = param_in(message.param, number, self.languages)
            turn.messages.append(msgspec.structs.replace(message, id=self.fill.id, param=param))


def _keep_size(job: Job, number: int) -> None:
    """A canvas beside others does not grow; ProtocolError if it is too small for its constraint."""
    job.limit = len(job.canvas) if job.limit else 0
    if job.constraint is not None and not job.constraint.allows(job.canvas, 0):
        text = f"The constraint needs more tokens than a canvas of {len(job.canvas)} has."
        raise ProtocolError("constraint_unsatisfiable", text, param_of(number))


def _jobs(turns: list[Turn]) -> list[Job]:
    return [work for turn in turns for work in turn.add if isinstance(work, Job)]


def _share(result: StepResult, hole: Job, finish: Finish | None) -> StepResult:
    """The result of a joint job as one hole's."""
    return StepResult(
        hole,
        prefilled=result.prefilled,
        cached=result.cached,
        forwards=result.forwards,
        seconds=result.seconds,
        finish=finish,
        error=result.error,
    )

"""One client's fills: protocol text in, work down; step results back as text frames."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from engine.amending.amend import Amender
from engine.amending.texts import Surroundings
from engine.config import EngineConfig
from engine.constraints.prefix_index import PrefixIndex
from engine.hole import Hole, hole_of
from engine.job import Job, StepResult
from engine.languages import Language
from engine.making import Maker
from engine.policies import DEFAULT_POLICY, POLICIES, ReadingKind
from engine.prompt import Prompt, Prompter, prefix_limit
from engine.revision.live import Revisions
from engine.revision.scoring import Scorings
from engine.search import Search
from engine.shape.answer import Answer, Edit, edited
from engine.showing import pieces, settled_tokens
from engine.terms import Binder, Terms, judged
from engine.told import guidance, told
from engine.turns import Turn
from models.loader import Model
from protocol.cells import Cell, diff, render
from protocol.errors import ProtocolError
from protocol.messages import (
    Accepted,
    Delta,
    Done,
    Error,
    Fill,
    Revise,
    ReviseText,
    Score,
    Splice,
    Stats,
    Task,
)

HURRIED = ("deadline", "cancelled")


@dataclass(slots=True)
class LiveFill:
    """What the session knows of a fill that runs."""

    fill: Fill
    hole: Hole
    prompt: Prompt
    search: Search
    opened: float
    terms: Terms
    started: float | None = None
    cells: list[Cell] = field(default_factory=list)
    seconds: float = 0.0
    forwards: int = 0
    prefilled: int = 0
    cached: int = 0
    seq: int = 0
    """Frames so far."""
    moved: int = 0
    """The last frame that numbered slots anew."""

    def next_seq(self) -> int:
        """The number of a further frame."""
        self.seq += 1
        return self.seq


class Session:
    """Turns fills into work and results into messages; owns the text side of every live fill."""

    def __init__(
        self, model: Model, config: EngineConfig, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._model = model
        self._clock = clock
        index = PrefixIndex(model.tokenizer.token_bytes)
        most = prefix_limit(model.config, config.prefix_tokens)
        self.prompter = Prompter(model.config, model.tokenizer, index, most)
        self._maker = Maker(model, index)
        self._amender = Amender(model, self._maker, Surroundings(self.shape, self._prompt))
        self._binder = Binder(model.config, model.tokenizer.token_bytes, index)
        self._revisions = Revisions(model, self.prompter, index, clock)
        self._scorings = Scorings(model, self.prompter, clock)
        self._live: dict[str, LiveFill] = {}

    def open(
        self, fill: Task, language: Language | None = None, since: float | None = None
    ) -> Turn:
        """The first work of a request whose id is free; ProtocolError if it can't be done as asked.

        `language` is what it is held to; `since` is when it came, if that is not now.
        """
        if isinstance(fill, ReviseText):
            return self._revisions.open(fill, language, since)
        if isinstance(fill, Score):
            return self._scorings.open(fill)
        hole = self.shape(fill, language)
        return self.begin(fill, hole, self._prompt(fill, hole), language, since)

    def shape(self, fill: Fill, language: Language | None = None) -> Hole:
        """The shape of the hole between a fill's prefix and suffix."""
        hole = hole_of(fill)
        if language is not None and language.exact:
            return hole.as_it_is(language.asked.scope == "document")
        return replace(hole, exact=fill.canvas.pinned, stops=fill.stop)

    def references(self, fill: Fill) -> list[str]:
        """The texts that a fill tells beside prefix and suffix."""
        reading = POLICIES[fill.sampling.policy or DEFAULT_POLICY].reading
        window = self._model.config.layout.reference_limit
        return told(fill, reading is ReadingKind.CANVAS and window > 0)

    def _prompt(self, fill: Fill, hole: Hole) -> Prompt:
        """The prompt of a hole, with what was taken of its answer in the prefix."""
        prefix, words = hole.prefix + hole.given, self.references(fill)
        return self.prompter.prompt(prefix, hole.suffix, words, guidance(fill))

    def begin(
        self,
        fill: Fill,
        hole: Hole,
        prompt: Prompt,
        language: Language | None = None,
        since: float | None = None,
    ) -> Turn:
        """The first work of a fill whose hole and prompt are known."""
        now = self._clock() if since is None else since
        deadline = fill.deadline_ms and now + fill.deadline_ms / 1000
        terms = self._binder.bind(fill, hole, prompt, language)
        search = self._maker.search(fill, hole, prompt, deadline, terms)
        slots = len(search.lead.canvas)
        live = LiveFill(fill, hole, prompt, search, now, terms, cells=[None] * slots)
        self._live[fill.id] = live
        policy = fill.sampling.policy or DEFAULT_POLICY
        seed = fill.sampling.seed
        notes = (*prompt.notes, *terms.notes)
        accepted = Accepted(fill.id, self._model.name, seed, slots, policy, notes)
        turn = Turn([accepted], search.start())
        if fill.init and (delta := self._delta(live)):
            turn.messages.append(delta)
        return turn

    def running(self, fill_id: str) -> list[str]:
        """Ids of a request's work; none if it is not live."""
        live = self._live.get(fill_id)
        if live is not None:
            return live.search.running
        return self._revisions.running(fill_id) or self._scorings.running(fill_id)

    def forget(self, fill_id: str) -> list[str]:
        """Drop all that is known of a request; the ids of its work."""
        works = self.running(fill_id)
        self._live.pop(fill_id, None)
        self._revisions.forget(fill_id)
        self._scorings.forget(fill_id)
        return works

    def revise(self, revise: Revise) -> Turn:
        """Change a live canvas as a person wants it; ProtocolError if that can't be done."""
        live = self._live.get(revise.id)
        if live is None or live.search.lead.id not in live.search.running:
            raise ProtocolError("not_found", "This fill is not running.", "id")
        if revise.names_slots and not live.moved <= revise.base_seq <= live.seq:
            raise ProtocolError("stale_base", "The slots have moved since.", "base_seq")
        around = live.fill, live.hole, live.prompt
        amended = self._amender.amend(live.search, around, revise)
        live.fill, live.hole, live.prompt = amended.fill, amended.hole, amended.prompt
        turn = Turn(cancel=live.search.only_lead(), changed=[live.search.lead])
        for at, delete, insert in amended.moves:
            live.cells[at : at + delete] = [None] * insert
            live.moved = live.next_seq()
            turn.messages.append(Splice(revise.id, at, delete, insert, live.moved))
        if delta := self._delta(live):
            turn.messages.append(delta)
        return turn

    def advance(self, result: StepResult) -> Turn:
        """What a step calls for: frames for the client, and the search's next work."""
        fill_id = result.work.id.partition("/")[0]
        for others in (self._revisions, self._scorings):
            if others.has(fill_id):
                return others.advance(fill_id, result)
        live = self._live.get(fill_id)
        if live is None or result.work.id not in live.search.running:
            return Turn()  # the fill ended before its other branches did
        self._count(live, result)
        turn = Turn(add=live.search.advance(result))
        search = live.search
        if search.ranked:
            self._rank(live)
        if delta := self._delta(live):
            turn.messages.append(delta)
        if search.over:
            turn.messages.append(self._last(live))
            turn.cancel = search.running
            del self._live[live.fill.id]
        return turn

    def _count(self, live: LiveFill, result: StepResult) -> None:
        if live.started is None:
            live.started = self._clock() - result.seconds
        live.seconds += result.seconds
        live.forwards += result.forwards
        live.prefilled += result.prefilled
        live.cached = max(live.cached, result.cached)

    def _delta(self, live: LiveFill) -> Delta | None:
        job = live.search.lead
        cells = self._cells(live, job)
        changed = diff(live.cells, cells)
        shrunk = len(cells) < len(live.cells)
        live.cells = cells
        if not changed and not shrunk:
            return None
        slots = tuple(slot for slot, _ in changed)
        confidence = tuple(round(float(c), 4) for c in job.whole.confidence[list(slots)])
        shown = tuple(cell for _, cell in changed)
        seq = live.next_seq()
        return Delta(live.fill.id, job.step, len(cells), slots, shown, confidence, seq)

    def _cells(self, live: LiveFill, job: Job) -> list[Cell]:
        """What is shown of a canvas; a character that its end cuts through is not."""
        table, end = self._model.tokenizer.token_bytes, self._model.config.eos_id
        shown = pieces(job.whole, table, end, len(live.prompt.required))
        return render([*shown, None])[:-1]  # as if there were a mask behind

    def _rank(self, live: LiveFill) -> None:
        """Take the answers that will do first; in a hurry, complete them by their witnesses."""
        search, problem = live.search, live.terms.problem
        if search.finish in HURRIED and live.terms.held is not None:
            for job in search.ranked:
                job.complete()

        def fails(job: Job) -> bool:
            return problem is not None and problem(self._answer(live, job).text) is not None

        search.sink(fails)

    def _last(self, live: LiveFill) -> Done | Error:
        """The message that ends a fill."""
        search = live.search
        if search.error is not None or search.finish is None:
            return Error("engine_failed", search.error or "nothing came of it", live.fill.id)
        answers = [self._answer(live, job) for job in search.ranked]
        try:
            verdict = judged([answer.text for answer in answers], search.finish, live.terms)
        except ProtocolError as error:
            return Error(error.code, str(error), live.fill.id, error.param)
        text, *others = list(dict.fromkeys(verdict.texts))[: live.fill.alternatives]
        whole = search.lead.whole
        tokens = settled_tokens(live.cells[: whole.settled], whole, answers[0])
        return Done(
            live.fill.id,
            text,
            verdict.finish,
            tokens if text == answers[0].text else (),
            self._stats(live),
            tuple(others),
            log_valid=_rounded(search.lead.log_valid),
        )

    def _answer(self, live: LiveFill, job: Job) -> Answer:
        """The settled left part of a canvas, cut and mended by the hole's shape."""
        whole = job.whole
        spelled = self._maker.settled_text(whole.tokens[: whole.settled].tolist())
        text = "".join(cell or "" for cell in self._cells(live, job)[: whole.settled])
        if not spelled.startswith(live.prompt.required):
            return edited(text, [Edit(0, len(text))])  # not even the moved text was spelled
        answer, problem = live.hole.answer(text), live.terms.problem
        if problem is not None and live.terms.held is not None and problem(answer.text):
            return edited(text, [])  # what was mended no longer keeps to the language
        return answer

    def _stats(self, live: LiveFill) -> Stats:
        now, job = self._clock(), live.search.lead
        return Stats(
            steps=job.step,
            forwards=live.forwards,
            tokens=job.whole.settled,
            remasked=job.remasked,
            prefill_tokens=live.prefilled,
            cached_tokens=live.cached,
            queue_ms=round(((live.started or now) - live.opened) * 1000, 1),
            model_ms=round(live.seconds * 1000, 1),
            wall_ms=round((now - live.opened) * 1000, 1),
        )


def _rounded(log_valid: float | None) -> float | None:
    return None if log_valid is None else round(log_valid, 4)

"""One client's revisions: protocol text in, work down; step results back as text frames."""

from collections.abc import Callable
from dataclasses import dataclass, field

from engine.canvas import SlotState
from engine.constraints.prefix_index import PrefixIndex
from engine.job import Draw, Job, StepResult
from engine.languages import Language
from engine.prompt import Prompter
from engine.revision.edits import Vocabulary
from engine.revision.keeping import under
from engine.revision.opening import Opened, method_of, open_passage
from engine.revision.passage import Window
from engine.revision.program import Program
from engine.revision.proposers import Tools
from engine.revision.refine import RefinePlan, Refiner
from engine.revision.report import Piece, cells_of, tokens_of
from engine.turns import Turn
from models.loader import Model
from protocol.cells import Cell
from protocol.messages import Accepted, Delta, Done, Error, ReviseText, Stats


@dataclass(slots=True)
class LiveRevision:
    """What is known of a revision that runs."""

    request: ReviseText
    opened: Opened
    refiner: Refiner
    program: Program
    began: float
    shown: tuple[Job, Window, int, int] | None = None
    """A job whose canvas stands in a window's [start, stop)."""
    cells: list[tuple[Cell, float]] = field(default_factory=list)
    seconds: float = 0.0
    steps: int = 0
    told: int = 0
    """The steps as of the last frame."""
    forwards: int = 0
    prefilled: int = 0
    cached: int = 0


def plan_of(request: ReviseText) -> RefinePlan:
    """How far a request wants to go."""
    method = method_of(request)
    if request.guard is None:
        return RefinePlan(method, request.strength, rounds=request.rounds)
    return RefinePlan(method, request.strength, request.guard, request.guard, request.rounds)


class Revisions:
    """Turns requests into programs and results into messages."""

    def __init__(
        self, model: Model, prompter: Prompter, index: PrefixIndex, clock: Callable[[], float]
    ) -> None:
        self._model = model
        self._prompter = prompter
        self._index = index
        self._clock = clock
        self._vocabulary = Vocabulary(model.config, model.tokenizer)
        self._live: dict[str, LiveRevision] = {}

    def has(self, name: str) -> bool:
        """Whether a revision of this id is live."""
        return name in self._live

    def running(self, name: str) -> list[str]:
        """Ids of a revision's work; none if it is not live."""
        return self._live[name].program.running if name in self._live else []

    def forget(self, name: str) -> None:
        """Drop what is known of a revision."""
        self._live.pop(name, None)

    def open(
        self, request: ReviseText, language: Language | None = None, since: float | None = None
    ) -> Turn:
        """The first work of a revision; ProtocolError if it can't be done as asked.

        `since` is when it came, if that is not now.
        """
        opened = open_passage(request, self._prompter, self._model)
        opened, accepts = under(language, request, opened)
        now, method = self._clock() if since is None else since, method_of(request)
        draw = Draw(request.sampling.temperature, request.sampling.top_p, request.sampling.seed)
        tools = Tools(self._vocabulary, self._index, draw, request.strength, self._watch(request))
        refiner = Refiner(opened.passage, plan_of(request), tools, accepts)
        deadline = request.deadline_ms and now + request.deadline_ms / 1000
        program = Program(refiner.steps(), deadline)
        live = LiveRevision(request, opened, refiner, program, now)
        self._live[request.id] = live
        size = len(opened.passage.slots)
        name, seed = self._model.name, request.sampling.seed
        accepted = Accepted(request.id, name, seed, size, method, opened.notes)
        turn = Turn([accepted], program.start())
        return self._continued(live, turn)

    def advance(self, name: str, result: StepResult) -> Turn:
        """What a result calls for."""
        live = self._live[name]
        if result.work.id not in live.program.running:
            return Turn()
        if result.work.id == live.program.running[0]:  # the others share its turn
            live.seconds += result.seconds
            live.steps += 1
        live.forwards += result.forwards
        live.prefilled += result.prefilled
        live.cached = max(live.cached, result.cached)
        return self._continued(live, Turn(add=live.program.advance(result)))

    def _continued(self, live: LiveRevision, turn: Turn) -> Turn:
        """The turn with a frame, and with the end if this is it."""
        if live.program.over:
            live.shown = None
        if delta := self._delta(live):
            turn.messages.append(delta)
        if live.program.over:
            turn.messages.append(self._last(live))
            turn.cancel = live.program.running
            del self._live[live.request.id]
        return turn

    def _watch(self, request: ReviseText) -> Callable[[Job, Window, int, int], None]:
        def watch(job: Job, window: Window, start: int, stop: int) -> None:
            self._live[request.id].shown = job, window, start, stop

        return watch

    def _delta(self, live: LiveRevision) -> Delta | None:
        cells = cells_of(self._pieces(live), len(live.opened.required))
        changed = [
            slot
            for slot, cell in enumerate(cells)
            if slot >= len(live.cells) or live.cells[slot] != cell
        ]
        shrunk = len(cells) < len(live.cells)
        moved = live.steps > live.told  # scoring changes no cell for a while: tell that it goes on
        live.cells, live.told = cells, live.steps
        if not (changed or shrunk or moved):
            return None
        return Delta(
            live.request.id,
            live.steps,
            len(cells),
            tuple(changed),
            tuple(cells[slot][0] for slot in changed),
            tuple(round(cells[slot][1], 4) for slot in changed),
        )

    def _pieces(self, live: LiveRevision) -> list[Piece]:
        """What stands in each slot, with the canvas of the job that is shown in its place."""
        table, passage = self._model.tokenizer.token_bytes, live.opened.passage
        pieces: list[Piece] = [
            (table[slot.token], 1.0 if slot.now is None else slot.now) for slot in passage.slots
        ]
        if live.shown is None or live.shown[0].id not in live.program.running:
            return pieces
        job, window, start, stop = live.shown
        left = passage.before(window.index)
        masked = job.canvas.states == SlotState.MASKED
        canvas: list[Piece] = [
            (None, 0.0) if hidden else (table[token], float(sure))
            for token, hidden, sure in zip(
                job.canvas.tokens, masked, job.canvas.confidence, strict=True
            )
        ]
        pieces[left + start : left + stop] = [
            piece for piece in canvas if piece[0] is None or piece[0]
        ]
        return pieces

    def _last(self, live: LiveRevision) -> Done | Error:
        """The message that ends a revision."""
        program, request = live.program, live.request
        if program.error is not None or program.finish is None:
            return Error("engine_failed", program.error or "nothing came of it", request.id)
        slots, opened = live.opened.passage.slots, live.opened
        table = self._model.tokenizer.token_bytes
        data = b"".join(table[slot.token] for slot in slots)[len(opened.required) :]
        changed = any(slot.changed for slot in slots)
        text = data.decode("utf-8") + opened.tail if changed else request.text
        tokens = tokens_of(slots, table, len(opened.required), live.refiner.plan)
        return Done(request.id, text, program.finish, tokens, self._stats(live))

    def _stats(self, live: LiveRevision) -> Stats:
        slots = live.opened.passage.slots
        wall = (self._clock() - live.began) * 1000
        return Stats(
            steps=live.steps,
            forwards=live.forwards,
            tokens=len(slots),
            remasked=sum(slot.tries for slot in slots),
            prefill_tokens=live.prefilled,
            cached_tokens=live.cached,
            model_ms=round(live.seconds * 1000, 1),
            wall_ms=round(wall, 1),
        )

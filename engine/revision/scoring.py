"""One client's scores: how sure the model is of every token of a text that stands."""

from collections.abc import Callable
from dataclasses import dataclass, field

from msgspec.structs import replace

from engine.job import StepResult
from engine.prompt import Prompter
from engine.revision.edits import Vocabulary
from engine.revision.opening import Opened, open_passage
from engine.revision.passage import WINDOW
from engine.revision.program import Program, Steps
from engine.revision.refine import noted
from engine.revision.report import cells_of
from engine.revision.scorers import SCORERS
from engine.turns import Turn
from models.loader import Model
from protocol.messages import Accepted, Done, Error, ReviseText, Score, Scores, Stats, Token
from protocol.revise import ScorerName

DEFAULT_SCORER: ScorerName = "causal"
CAUSAL_WINDOW = 256
"""Causal rows don't grow with the square of a window, so it is as long as a pass allows."""
TOKEN_LIMIT = 4096


@dataclass(slots=True)
class LiveScore:
    """What is known of a request that runs."""

    request: Score
    opened: Opened
    program: Program
    began: float
    best: dict[int, int] = field(default_factory=dict)
    """The likeliest token of each slot that was scored."""
    stats: Stats = field(default_factory=Stats)


class Scorings:
    """Turns score requests into programs and results into the answer."""

    def __init__(self, model: Model, prompter: Prompter, clock: Callable[[], float]) -> None:
        self._model = model
        self._prompter = prompter
        self._clock = clock
        self._vocabulary = Vocabulary(model.config, model.tokenizer)
        self._live: dict[str, LiveScore] = {}

    def has(self, name: str) -> bool:
        """Whether a request of this id is live."""
        return name in self._live

    def running(self, name: str) -> list[str]:
        """Ids of a request's work; none if it is not live."""
        return self._live[name].program.running if name in self._live else []

    def forget(self, name: str) -> None:
        """Drop what is known of a request."""
        self._live.pop(name, None)

    def open(self, request: Score) -> Turn:
        """The first work of a request; ProtocolError if it can't be done as asked."""
        method = request.method or DEFAULT_SCORER
        size = CAUSAL_WINDOW if method == "causal" else WINDOW
        revision = _as_revision(request)
        opened = open_passage(revision, self._prompter, self._model, size, TOKEN_LIMIT)
        best: dict[int, int] = {}
        now = self._clock()
        deadline = request.deadline_ms and now + request.deadline_ms / 1000
        program = Program(self._steps(opened, method, best), deadline)
        self._live[request.id] = LiveScore(request, opened, program, now, best)
        slots = len(opened.passage.slots)
        accepted = Accepted(request.id, self._model.name, 0, slots, method, opened.notes)
        return Turn([accepted], program.start())

    def advance(self, name: str, result: StepResult) -> Turn:
        """What a result calls for."""
        live = self._live[name]
        if result.work.id not in live.program.running:
            return Turn()
        stats = live.stats
        live.stats = Stats(
            steps=stats.steps + 1,
            forwards=stats.forwards + result.forwards,
            prefill_tokens=stats.prefill_tokens + result.prefilled,
            cached_tokens=max(stats.cached_tokens, result.cached),
            model_ms=round(stats.model_ms + result.seconds * 1000, 1),
        )
        turn = Turn(add=live.program.advance(result))
        if live.program.over:
            turn.messages.append(self._last(live))
            del self._live[name]
        return turn

    def _steps(self, opened: Opened, method: ScorerName, best: dict[int, int]) -> Steps[None]:
        """Score one window after the other; the passage holds what was found."""
        passage = opened.passage
        for index in range(len(passage.windows)):
            window = passage.window(index, 1)
            scores = yield from SCORERS[method](window, self._vocabulary)
            passage.windows[index] = noted(window.slots, scores)
            left = passage.before(index)
            best.update({left + slot: token for slot, token in scores.best.items()})

    def _last(self, live: LiveScore) -> Scores | Done | Error:
        """The message that ends a request: what was scored in time, unless it was cancelled."""
        program, name = live.program, live.request.id
        if program.error is not None or program.finish is None:
            return Error("engine_failed", program.error or "nothing came of it", name)
        wall = round((self._clock() - live.began) * 1000, 1)
        slots = len(live.opened.passage.slots)
        stats = replace(live.stats, tokens=slots, wall_ms=wall)
        if program.finish == "cancelled":
            return Done(name, "", "cancelled", stats=stats)
        return Scores(name, self._tokens(live), stats, program.finish)

    def _tokens(self, live: LiveScore) -> tuple[Token, ...]:
        opened, table = live.opened, self._model.tokenizer.token_bytes
        slots = opened.passage.slots
        cells = cells_of([(table[slot.token], 1.0) for slot in slots], len(opened.required))
        tokens = []
        for place, (slot, (text, _)) in enumerate(zip(slots, cells, strict=True)):
            best = live.best.get(place, slot.token)
            rival = None if best == slot.token else table[best].decode("utf-8", "replace")
            now = None if slot.now is None else round(slot.now, 6)
            sure = 1.0 if now is None else now
            tokens.append(Token(text or "", sure, 0, now=now, locked=slot.locked, best=rival))
        tail = [Token(opened.tail, 1.0, 0)] if opened.tail else []
        return (*tokens, *tail)


def _as_revision(request: Score) -> ReviseText:
    """The revision that would change nothing of the text."""
    return ReviseText(
        id=request.id,
        prefix=request.prefix,
        text=request.text,
        suffix=request.suffix,
        strength=0.0,
        path=request.path,
        context=request.context,
    )

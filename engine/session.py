"""One client's fills: protocol text in, jobs down; step results back as text frames."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from engine.boundary import Boundary
from engine.canvas import Canvas, SlotState
from engine.config import EngineConfig
from engine.constraints.prefix_index import PrefixIndex
from engine.hole import Hole, shape_hole
from engine.job import Draw, Job, StepResult
from engine.policies import POLICIES, Plan
from engine.prompt import Prompt, Prompter
from models.config import ModelConfig
from models.loader import Model
from protocol.cells import Cell, diff, render
from protocol.errors import ProtocolError
from protocol.messages import (
    CANVAS_LIMIT,
    Accepted,
    Delta,
    Done,
    Error,
    Fill,
    ServerMessage,
    Stats,
    Token,
)

DEFAULT_POLICY = "causal"
DEFAULT_STEPS = 8
LINE_SLOTS, LINE_LIMIT = 16, 64
BUCKETS = (8, 12, 16, 24, 32, 48, 64)


@dataclass(slots=True)
class LiveFill:
    """What the session knows of a fill that runs."""

    fill: Fill
    hole: Hole
    prompt: Prompt
    job: Job
    opened: float
    started: float | None = None
    cells: list[Cell] = field(default_factory=list)
    seconds: float = 0.0
    forwards: int = 0
    prefilled: int = 0
    cached: int = 0


class Session:
    """Turns fills into jobs and results into messages; owns the text side of every live fill."""

    def __init__(
        self, model: Model, config: EngineConfig, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._model = model
        self._clock = clock
        self._index = PrefixIndex(model.tokenizer.token_bytes)
        self._prompter = Prompter(model.config, model.tokenizer, self._index, config.prefix_tokens)
        self._live: dict[str, LiveFill] = {}

    def open(self, fill: Fill) -> tuple[Job, Accepted]:
        """The job for a fill; ProtocolError if it can't be done as asked."""
        if fill.id in self._live:
            raise ProtocolError("id_conflict", f"A fill with id {fill.id} is running.", "id")
        if fill.canvas.pinned and fill.canvas.tokens is None:
            raise ProtocolError("invalid_message", "A pinned canvas needs `tokens`.", "canvas")
        hole = shape_hole(fill.prefix, fill.suffix, fill.shape, fill.lines)
        prompt = self._prompter.prompt(hole.prefix, hole.suffix)
        job = self._job(fill, hole, prompt)
        live = LiveFill(fill, hole, prompt, job, self._clock(), cells=[None] * len(job.canvas))
        self._live[fill.id] = live
        policy = fill.sampling.policy or DEFAULT_POLICY
        seed = fill.sampling.seed
        return job, Accepted(fill.id, self._model.name, seed, len(job.canvas), policy, prompt.notes)

    def frames(self, result: StepResult) -> list[ServerMessage]:
        """The messages that tell the client what a step did."""
        live = self._live[result.work.id]
        if live.started is None:
            live.started = self._clock() - result.seconds
        live.seconds += result.seconds
        live.forwards += result.forwards
        live.prefilled += result.prefilled
        live.cached += result.cached
        messages: list[ServerMessage] = []
        if delta := self._delta(live):
            messages.append(delta)
        if result.error is not None:
            messages.append(Error("engine_failed", result.error, live.fill.id))
        elif result.finish is not None:
            messages.append(self._done(live, result))
        if result.error is not None or result.finish is not None:
            del self._live[result.work.id]
        return messages

    def _job(self, fill: Fill, hole: Hole, prompt: Prompt) -> Job:
        sampling = fill.sampling
        canvas, limit = self._canvas(fill, hole, prompt)
        boundary = Boundary(self._index, prompt.required) if prompt.required else None
        deadline = fill.deadline_ms and self._clock() + fill.deadline_ms / 1000
        return Job(
            id=fill.id,
            context=prompt.context,
            canvas=canvas,
            policy=POLICIES[sampling.policy or DEFAULT_POLICY],
            plan=Plan(
                sampling.steps or DEFAULT_STEPS,
                sampling.counts,
                sampling.order,
                sampling.threshold,
                sampling.factor,
                sampling.entropy,
                sampling.margin,
                sampling.seed,
            ),
            draw=Draw(sampling.temperature, sampling.top_p, sampling.seed),
            constraint=boundary,
            stop=_stop_rule(self._model, hole, len(prompt.required), fill.canvas.pinned),
            limit=limit,
            deadline=deadline,
        )

    def _canvas(self, fill: Fill, hole: Hole, prompt: Prompt) -> tuple[Canvas, int]:
        """The first canvas and how far it may grow; moved text gets slots of its own."""
        extra = (
            len(self._model.tokenizer.encode(prompt.required.decode())) if prompt.required else 0
        )
        config, asked = self._model.config, fill.canvas.tokens
        if fill.canvas.pinned and asked is not None:
            return _pinned(asked, config), 0
        size = (asked or LINE_SLOTS * hole.lines) + extra
        limit = size if asked else LINE_LIMIT * hole.lines + extra
        spell = len(prompt.required) + 1  # any bytes can be spelled one a slot
        return Canvas(max(min(size, CANVAS_LIMIT), spell), config.mask_id), min(limit, CANVAS_LIMIT)

    def _delta(self, live: LiveFill) -> Delta | None:
        cells = render(self._pieces(live))
        changed = diff(live.cells, cells)
        live.cells = cells
        if not changed:
            return None
        slots = tuple(slot for slot, _ in changed)
        confidence = live.job.canvas.confidence[list(slots)]
        return Delta(
            live.fill.id,
            live.job.step,
            len(cells),
            slots,
            tuple(cell for _, cell in changed),
            tuple(round(float(c), 4) for c in confidence),
        )

    def _pieces(self, live: LiveFill) -> list[bytes | None]:
        """Bytes of each slot, None for masks; without what moved in from the prefix, and without
        what stands right of the end mark."""
        canvas, table = live.job.canvas, self._model.tokenizer.token_bytes
        ends = np.flatnonzero(canvas.tokens == self._model.config.eos_id)
        pieces: list[bytes | None] = [
            None if state == SlotState.MASKED else table[token]
            for token, state in zip(canvas.tokens, canvas.states, strict=True)
        ]
        left = len(live.prompt.required)
        for slot, piece in enumerate(pieces):
            if not left or piece is None:
                break
            pieces[slot] = piece[left:]
            left -= min(left, len(piece))
        for slot in range(int(ends[0]), len(pieces)) if len(ends) else ():
            pieces[slot] = b""
        return pieces

    def _done(self, live: LiveFill, result: StepResult) -> Done:
        """The settled left part of the canvas as the answer, cut by the hole's shape."""
        assert result.finish is not None
        job, now = live.job, self._clock()
        cells = live.cells[: job.canvas.settled]
        spelled = _settled_text(self._model, job.canvas.tokens[: len(cells)].tolist())
        whole = spelled.startswith(live.prompt.required)
        text = "".join(cell or "" for cell in cells) if whole else ""
        answer = live.hole.answer(text)
        stats = Stats(
            steps=job.step,
            forwards=live.forwards,
            tokens=len(cells),
            prefill_tokens=live.prefilled,
            cached_tokens=live.cached,
            queue_ms=round(((live.started or now) - live.opened) * 1000, 1),
            model_ms=round(live.seconds * 1000, 1),
            wall_ms=round((now - live.opened) * 1000, 1),
        )
        tokens = _tokens(cells, job.canvas, live.hole.leading(text), len(answer))
        return Done(live.fill.id, answer, result.finish, tokens, stats)


def _pinned(tokens: int, config: ModelConfig) -> Canvas:
    """A bucketed canvas whose end mark is fixed behind `tokens` slots, padding after it."""
    size = next((bucket for bucket in BUCKETS if bucket > tokens), tokens + 1)
    canvas = Canvas(size, config.mask_id)
    canvas.fix(tokens, config.eos_id)
    for slot in range(tokens + 1, size):
        canvas.fix(slot, config.pad_id)
    return canvas


def _settled_text(model: Model, tokens: Sequence[int]) -> bytes:
    """Bytes of settled tokens up to the end mark."""
    ids = list(tokens)
    end = model.config.eos_id
    return model.tokenizer.bytes_of(ids[: ids.index(end)] if end in ids else ids)


def _stop_rule(
    model: Model, hole: Hole, required: int, pinned: bool
) -> Callable[[Sequence[int]], bool]:
    """Done once the settled tokens hold an end mark or, unless the length is pinned, an answer."""

    def stop(tokens: Sequence[int]) -> bool:
        if model.config.eos_id in tokens:
            return True
        text = _settled_text(model, tokens)[required:].decode("utf-8", "replace")
        return not pinned and hole.is_complete(text)

    return stop


def _tokens(cells: Sequence[Cell], canvas: Canvas, skip: int, length: int) -> tuple[Token, ...]:
    """The tokens whose texts join to the answer (its closing newline aside)."""
    tokens = []
    for slot, cell in enumerate(cells):
        text = (cell or "")[skip:]
        skip -= min(skip, len(cell or ""))
        text = text[:length]
        length -= len(text)
        if text:
            confidence = round(float(canvas.confidence[slot]), 4)
            tokens.append(Token(text, confidence, int(canvas.steps[slot])))
    return tuple(tokens)

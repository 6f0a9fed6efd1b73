"""A step engine without a model: seeded reveals of a text told by the request, and bad days.

The prefix may hold orders: `text=...;` what to answer, `steps=N;` how many, `sleep=S;` seconds a
step, `die;` kills the process in the second step, `boom;` raises when the request is taken.
"""

import os
import random
import re
import time
from dataclasses import dataclass, field

from engine.config import EngineConfig
from engine.errors import EngineError
from engine.hub import EngineFacts, Load
from protocol.capabilities import require
from protocol.cells import Cell
from protocol.errors import ProtocolError
from protocol.messages import (
    Accepted,
    Cancel,
    ClientMessage,
    Delta,
    Done,
    Error,
    Fill,
    Pin,
    Revise,
    ServerMessage,
    Stats,
    Token,
)

CAPS = ("revise:pin",)
WINDOW = 2176
ANSWER = "return fib(n - 1) + fib(n - 2)"


@dataclass
class Running:
    """One fill."""

    fill: Fill
    tokens: list[str]
    order: list[int]
    cells: list[Cell]
    per_step: int
    sleep: float
    dies: bool
    client: str = ""
    step: int = 0


@dataclass
class FakeStepEngine:
    """See the module. Every live fill takes one step a turn."""

    live: dict[str, Running] = field(default_factory=dict)
    steps: int = 0
    facts: EngineFacts = field(default_factory=lambda: EngineFacts("fake", CAPS, window=WINDOW))
    _outbox: list[ServerMessage] = field(default_factory=list)

    @property
    def busy(self) -> bool:
        return bool(self.live)

    @property
    def load(self) -> Load:
        return Load(len(self.live), self.steps)

    def send(self, message: ClientMessage, client: str = "") -> None:
        try:
            require(message, self.facts.caps)
        except ProtocolError as error:
            ends = not isinstance(message, Revise)
            self._outbox.append(Error(error.code, str(error), message.id, error.param, ends=ends))
            return
        match message:
            case Fill():
                self._open(message, client)
            case Cancel() if message.id in self.live:
                self._end(message.id, "cancelled")
            case Revise() if message.id in self.live:
                self._pin(message)

    def step(self) -> list[ServerMessage]:
        self.steps += bool(self.live)
        for fill_id in list(self.live):
            self._advance(fill_id, self.live[fill_id])
        said, self._outbox = self._outbox, []
        return said

    def orders(self, fill: Fill) -> dict[str, str]:
        """What to do for a fill, see the module."""
        return dict(re.findall(r"(\w+)=?([^;\n]*);", fill.prefix))

    def _open(self, fill: Fill, client: str) -> None:
        orders = self.orders(fill)
        if "boom" in orders:
            raise RuntimeError("boom")
        text = orders.get("text", ANSWER)
        tokens = re.findall(r"\s*\S|\s+", text) or [""]
        order = list(range(len(tokens)))
        random.Random(fill.sampling.seed).shuffle(order)
        steps = int(orders.get("steps", fill.sampling.steps or 8))
        per_step = -(-len(tokens) // steps)
        cells: list[Cell] = [None] * len(tokens)
        sleep = float(orders.get("sleep", 0))
        self.live[fill.id] = Running(
            fill, tokens, order, cells, per_step, sleep, "die" in orders, client
        )
        seed = fill.sampling.seed
        self._outbox.append(Accepted(fill.id, "fake", seed, len(tokens), "fixed"))

    def _pin(self, revise: Revise) -> None:
        running = self.live[revise.id]
        for op in revise.ops:
            assert isinstance(op, Pin)
            running.tokens[op.start] = running.cells[op.start] = op.text
            running.order = [slot for slot in running.order if slot != op.start]
            self._say_cells(running, [op.start])

    def _advance(self, fill_id: str, running: Running) -> None:
        time.sleep(running.sleep)
        running.step += 1
        if running.dies and running.step > 1:
            os._exit(9)
        slots = sorted(running.order[: running.per_step])
        del running.order[: running.per_step]
        for slot in slots:
            running.cells[slot] = running.tokens[slot]
        if slots:
            self._say_cells(running, slots)
        if not running.order:
            self._end(fill_id, "converged")

    def _say_cells(self, running: Running, slots: list[int]) -> None:
        cells = tuple(running.cells[slot] for slot in slots)
        size, confidence = len(running.cells), (0.5,) * len(slots)
        self._outbox.append(
            Delta(running.fill.id, running.step, size, tuple(slots), cells, confidence)
        )

    def _end(self, fill_id: str, finish: str) -> None:
        running = self.live.pop(fill_id)
        stop = running.cells.index(None) if None in running.cells else len(running.cells)
        text = "".join(cell or "" for cell in running.cells[:stop])
        read = len(running.fill.prefix)
        step = running.step
        stats = Stats(step, step, tokens=stop, prefill_tokens=read, queue_ms=0.1, model_ms=1.0)
        tokens = tuple(Token(cell or "", 0.5, 1) for cell in running.cells[:stop])
        self._outbox.append(Done(fill_id, text, finish, tokens, stats))  # type: ignore[arg-type]


def open_fake(config: EngineConfig) -> FakeStepEngine:
    """A fake engine; a model named `missing` can't be opened."""
    if config.model is not None and config.model.name == "missing":
        raise EngineError("There is no model here; try another.")
    if config.model is not None and config.model.name == "crash":
        os._exit(3)
    return FakeStepEngine()

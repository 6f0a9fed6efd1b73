"""An engine for tests of jobs: canvases revealed from the left, revisions, scores, live ops."""

import re
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

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
    Remask,
    Revise,
    ReviseText,
    Score,
    Scores,
    ServerMessage,
    Splice,
    Stats,
    Token,
)
from tests.engine.server.inline import InlineHub
from tests.lsp.found import found_in

CAPS = (
    "alternatives",
    "context",
    "holes",
    "instruction",
    "old_text",
    "revise:pin",
    "revise:remask",
    "revise_text",
    "score",
    "constraint:json_schema",
    "constraint:syntax",
)


def tokens_of(text: str) -> list[str]:
    """A word, a line end or a sign is a token."""
    return re.findall(r"\n[ \t]*|[ \t]*\w+|[ \t]*[^\w\s]|[ \t]+", text)


@dataclass
class Live:
    """One job: for each hole its tokens and its cells."""

    task: Fill | ReviseText | Score
    tokens: list[list[str]]
    cells: list[list[Cell]]
    step: int = 0


@dataclass
class CanvasEngine:
    """See the module.

    Attributes:
        answer: the texts for the holes of a fill.
        others: alternatives for a fill that wants some.
        revised: what comes of a revision.
        steps_left: how many steps every job may still take; None is any number.
        breaks: every job fails.
    """

    answer: Callable[[Fill], list[str]] = lambda fill: ["new text"] * (len(fill.holes) + 1)
    others: Callable[[Fill], tuple[str, ...]] = lambda fill: ()
    revised: Callable[[ReviseText], str] = lambda task: task.text
    steps_left: int | None = None
    breaks: bool = False
    facts: EngineFacts = field(default_factory=lambda: EngineFacts("fake", CAPS))
    live: dict[str, Live] = field(default_factory=dict)
    heard: list[ClientMessage] = field(default_factory=list)
    steps: int = 0
    _outbox: list[ServerMessage] = field(default_factory=list)

    @property
    def busy(self) -> bool:
        return bool(self.live)

    @property
    def load(self) -> Load:
        return Load(len(self.live), self.steps)

    def asked(self, kind: type) -> list[ClientMessage]:
        """Everything of one kind that was asked for."""
        return [message for message in self.heard if isinstance(message, kind)]

    def send(self, message: ClientMessage, client: str = "") -> None:
        self.heard.append(message)
        try:
            require(message, self.facts.caps)
            self._take(message)
        except ProtocolError as error:
            ends = not isinstance(message, Revise)
            self._outbox.append(Error(error.code, str(error), message.id, error.param, ends=ends))

    def step(self) -> list[ServerMessage]:
        self.steps += 1
        if self.breaks:
            self._outbox += [Error("engine_failed", "The engine stopped.", it) for it in self.live]
            self.live.clear()
        if self.steps_left is None or self.steps_left > 0:
            for name in list(self.live):
                self._advance(name, self.live[name])
            self.steps_left = None if self.steps_left is None else self.steps_left - 1
        said, self._outbox = self._outbox, []
        return said

    def reveal(self, masks: Collection[int] = (), canvas: int = 0) -> None:
        """Show a canvas of the only job as if the engine had come to it: all but these slots."""
        (live,) = self.live.values()
        tokens = live.tokens[canvas]
        live.cells[canvas][:] = [None if n in masks else it for n, it in enumerate(tokens)]
        self._show(live, canvas, range(len(tokens)))

    def _take(self, message: ClientMessage) -> None:
        if isinstance(message, Cancel):
            if message.id in self.live:
                self._end(message.id, "cancelled")
        elif isinstance(message, Revise):
            self._revise(message)
        else:
            texts = self.answer(message) if isinstance(message, Fill) else [message.text]
            tokens = [tokens_of(text) for text in texts]
            self.live[message.id] = Live(message, tokens, [[None] * len(it) for it in tokens])
            self._outbox.append(Accepted(message.id, "fake", 0, len(tokens[0]), "fixed"))

    def _revise(self, revise: Revise) -> None:
        live = self.live[revise.id]
        tokens, cells = live.tokens[revise.canvas], live.cells[revise.canvas]
        for op in revise.ops:
            assert isinstance(op, Pin | Remask)
            if op.stop > len(cells):
                raise ProtocolError("stale_base", "These slots are not there.", "ops")
            if isinstance(op, Remask):
                cells[op.start : op.stop] = [None] * (op.stop - op.start)
                self._show(live, revise.canvas, range(op.start, op.stop))
                continue
            tokens[op.start : op.stop] = cells[op.start : op.stop] = [op.text]
            if op.stop - op.start != 1:
                gone = op.stop - op.start
                self._outbox.append(Splice(revise.id, op.start, gone, 1, canvas=revise.canvas))
            self._show(live, revise.canvas, [op.start])

    def _advance(self, name: str, live: Live) -> None:
        live.step += 1
        if isinstance(live.task, Score):
            told = tuple(
                Token(it, 1.0, 0, now=0.5, best="other") for it in tokens_of(live.task.text)
            )
            self._outbox.append(Scores(name, told))
            del self.live[name]
            return
        for number, cells in enumerate(live.cells):
            slots = [cells.index(None)] if None in cells else []
            if isinstance(live.task, ReviseText):
                slots = list(range(len(cells))) if live.step == 1 else []
            for slot in slots:
                cells[slot] = live.tokens[number][slot]
            if slots:
                self._show(live, number, slots)
        if not any(None in cells for cells in live.cells):
            self._end(name, "converged")

    def _show(self, live: Live, number: int, slots: "list[int] | range") -> None:
        cells = live.cells[number]
        shown = tuple(cells[slot] for slot in slots)
        sure = tuple(0.0 if cell is None else 0.9 for cell in shown)
        self._outbox.append(
            Delta(live.task.id, live.step, len(cells), tuple(slots), shown, sure, canvas=number)
        )

    def _end(self, name: str, finish: str) -> None:
        live = self.live.pop(name)
        texts = []
        for cells in live.cells:
            stop = cells.index(None) if None in cells else len(cells)
            texts.append("".join(cell or "" for cell in cells[:stop]))
        stats, told, others, holes = Stats(steps=live.step, wall_ms=5.0), (), (), ()
        if isinstance(live.task, ReviseText):
            texts = [self.revised(live.task)]
            told = tuple(Token(it, 0.25, 0, now=0.25) for it in tokens_of(live.task.text))
        elif isinstance(live.task, Fill):
            others = self.others(live.task)[: live.task.alternatives - 1]
            holes = tuple(texts) if live.task.holes else ()
        done = Done(name, texts[0], finish, told, stats, others, holes)  # type: ignore[arg-type]
        self._outbox.append(done)


@dataclass
class Serving:
    """A server that runs, and the folder where it is found."""

    folder: Path
    engine: CanvasEngine
    hub: InlineHub

    def able(self, *caps: str) -> None:
        """Say that the engine can do these things only; before anybody connects."""
        self.engine.facts = self.hub.facts = EngineFacts("fake", caps)


@contextmanager
def serving(folder: Path, step_seconds: float = 0.002) -> Iterator[Serving]:
    """Serve until the block ends, found by the runtime file in `folder`."""
    engine = CanvasEngine()
    hub = InlineHub(step_seconds, engine=engine)  # type: ignore[arg-type]
    with found_in(folder, hub):
        yield Serving(folder, engine, hub)

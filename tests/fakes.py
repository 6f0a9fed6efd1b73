"""Engines without a model, for tests of everything above EngineClient."""

import random
import re
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec

from protocol.cells import Cell
from protocol.messages import (
    Accepted,
    Cancel,
    ClientMessage,
    Delta,
    Done,
    Error,
    Fill,
    ServerMessage,
    Stats,
    Token,
)

Answer = str | Callable[[Fill], str]


def closing_newline(fill: Fill, text: str) -> str:
    """`text` as an engine returns it: whole lines get their closing newline."""
    whole = fill.shape in ("block", "line") and (not fill.prefix or fill.prefix.endswith("\n"))
    return text + "\n" if whole and text and not text.endswith("\n") else text


@dataclass
class FakeEngine:
    """An EngineClient that reveals a given text token by token, in a seeded random order.

    Attributes:
        answer: the text of the hole, or how to make it from the Fill.
        answers: the texts of several holes; without them each gets `answer`.
        per_step: most tokens revealed in a step.
        remask: chance that a step throws one revealed token back (never the last step).
        script: messages to play instead, as they are.
        failure: an error to end with, half way.
        delay: seconds slept before each message.
        on_receive: called before each message, with its number.
    """

    answer: Answer = "pass"
    answers: Sequence[str] = ()
    per_step: int = 2
    remask: float = 0.3
    seed: int = 0
    script: Sequence[ServerMessage] | None = None
    failure: Error | None = None
    finish: str = "converged"
    notes: tuple[str, ...] = ()
    delay: float = 0.0
    on_receive: Callable[[int], None] = lambda number: None
    fills: list[Fill] = field(default_factory=list)
    cancelled: list[str] = field(default_factory=list)
    closed: bool = False
    _messages: Iterator[ServerMessage] = field(default_factory=lambda: iter(()))
    _count: int = 0

    def send(self, message: ClientMessage) -> None:
        """Start a fill, or end it."""
        if isinstance(message, Cancel):
            self.cancelled.append(message.id)
            self._messages = iter(())
            return
        self.fills.append(message)
        self._messages = iter(self.script) if self.script is not None else self._run(message)

    def receive(self) -> ServerMessage | None:
        """The next message."""
        self.on_receive(self._count)
        self._count += 1
        if self.delay:
            time.sleep(self.delay)
        return next(self._messages, None)

    def close(self) -> None:
        """Remember that it was closed."""
        self.closed = True

    def _run(self, fill: Fill) -> Iterator[ServerMessage]:
        if fill.holes:
            yield from self._run_all(fill)
            return
        text = self.answer if isinstance(self.answer, str) else self.answer(fill)
        text = closing_newline(fill, text)
        tokens = re.findall(r"\s*\w+|\s*[^\w\s]|\s+", text)
        seed = fill.sampling.seed
        yield Accepted(fill.id, "fake", seed, max(1, len(tokens)), "fixed", self.notes)
        dice = random.Random(self.seed * 1_000_003 + seed)
        cells: list[Cell] = [None] * len(tokens)
        born = [0] * len(tokens)
        step = remasked = 0
        while None in cells:
            step += 1
            changed = self._step(cells, tokens, dice)
            remasked += sum(cells[slot] is None for slot in changed)
            for slot in changed:
                born[slot] = step
            yield _delta(fill, step, cells, changed)
            if self.failure and step > 1:
                yield self.failure
                return
        yield Done(
            fill.id,
            text,
            self.finish,  # type: ignore[arg-type]
            tuple(Token(part, 0.5, born[slot]) for slot, part in enumerate(tokens)),
            Stats(steps=step, forwards=step, tokens=len(tokens), remasked=remasked, wall_ms=12.0),
        )

    def _run_all(self, fill: Fill) -> Iterator[ServerMessage]:
        """One hole after another, as if each were a fill."""
        texts: Sequence[Answer] = self.answers or [self.answer] * (len(fill.holes) + 1)
        ends: list[Done] = []
        for number, text in enumerate(texts):
            part = msgspec.structs.replace(fill, holes=())
            one = FakeEngine(text, per_step=self.per_step, seed=self.seed + number)
            for message in one._run(part):
                if isinstance(message, Done):
                    ends.append(message)
                elif isinstance(message, Delta):
                    yield msgspec.structs.replace(message, canvas=number)
                elif not number:
                    yield message
        holes = tuple(end.text for end in ends)
        finish: Any = self.finish
        yield Done(fill.id, holes[0], finish, ends[0].tokens, ends[0].stats, holes=holes)

    def _step(self, cells: list[Cell], tokens: list[str], dice: random.Random) -> list[int]:
        """Reveal some masks, perhaps throw one token back; the slots that changed."""
        masks = [slot for slot, cell in enumerate(cells) if cell is None]
        chosen = dice.sample(masks, min(len(masks), self.per_step))
        shown = [slot for slot, cell in enumerate(cells) if cell is not None]
        for slot in chosen:
            cells[slot] = tokens[slot]
        if shown and len(chosen) > 1 and dice.random() < self.remask:
            thrown = dice.choice(shown)
            cells[thrown] = None
            chosen.append(thrown)
        return sorted(chosen)


def _delta(fill: Fill, step: int, cells: list[Cell], changed: list[int]) -> Delta:
    confidence = tuple(0.0 if cells[slot] is None else 0.5 for slot in changed)
    parts = tuple(cells[slot] for slot in changed)
    return Delta(fill.id, step, len(cells), tuple(changed), parts, confidence)

"""Revisions through a whole engine on the tiny model."""

from typing import Any

from engine.client import stream
from engine.config import EngineConfig
from engine.local import LocalEngine
from models.loader import Model
from protocol.messages import Accepted, Delta, Done, ReviseText, ServerMessage

PREFIX, TEXT, SUFFIX = "def f(a):\n", "    b = a + in\n    return b\n", "\n\nf(1)\n"


def request(text: str = TEXT, **fields: Any) -> ReviseText:
    """A revision; a tiny random model changes nearly anything if the guard lets it."""
    given = {"id": "r1", "prefix": PREFIX, "text": text, "suffix": SUFFIX, "guard": 0.0}
    return ReviseText(**{**given, **fields})


def messages(model: Model, asked: ReviseText) -> list[ServerMessage]:
    """All that an engine says to a revision."""
    return list(stream(LocalEngine(model, EngineConfig(threads=1)), asked))


def done(model: Model, asked: ReviseText) -> Done:
    """The answer."""
    return done_of(LocalEngine(model, EngineConfig(threads=1)), asked)


def done_of(engine: LocalEngine, asked: ReviseText) -> Done:
    """The answer of an engine."""
    *_, last = stream(engine, asked)
    assert isinstance(last, Done), last
    return last


def shown(heard: list[ServerMessage]) -> str:
    """The text that the frames alone tell."""
    assert isinstance(heard[0], Accepted)
    cells: list[str | None] = [None] * heard[0].canvas_tokens
    for message in heard:
        if isinstance(message, Delta):
            cells = cells[: message.size] + [None] * (message.size - len(cells))
            for slot, cell in zip(message.slots, message.cells, strict=True):
                cells[slot] = cell
    return "".join(cell or "" for cell in cells)

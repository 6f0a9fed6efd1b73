"""What a server sees of its engines: a hub that gives links, whatever stands behind it."""

from collections.abc import Callable
from typing import Protocol

from msgspec import Struct

from protocol.messages import ClientMessage, ServerMessage

Deliver = Callable[[ServerMessage], None]
"""Called on the event loop with every message for one link, in order; must not block."""


STEP_MS = (5, 10, 20, 30, 50, 75, 100, 150, 200, 300, 500, 1000, 3000, 10_000)
"""Upper bounds of the buckets that step times are counted in; one more takes the rest."""


class EngineFacts(Struct, frozen=True):
    """What an engine says of itself once it is ready."""

    model: str
    caps: tuple[str, ...]
    device: str = "cpu"
    folder: str | None = None
    """Where its model, with the tokenizer, is on this machine."""
    window: int = 0
    """Most tokens that its model reads of the text around a hole; 0 where that is not known."""


class Load(Struct, frozen=True):
    """How busy an engine is, as of its last report."""

    live: int = 0
    steps: int = 0
    step_ms: float = 0.0
    """The last step."""
    cached_bytes: int = 0
    step_counts: tuple[int, ...] = ()
    """Steps by their duration, a number for each bucket of STEP_MS."""
    steps_ms: float = 0.0
    """All steps together."""


class EngineLink(Protocol):
    """One client's line to an engine. Nothing is awaited and nothing is raised."""

    def send(self, message: ClientMessage) -> None:
        """Hand over a message; what comes of it, errors included, is delivered."""
        ...

    def close(self) -> None:
        """Cancel what is live; nothing is delivered from now on."""
        ...


class EngineHub(Protocol):
    """Engines that several clients share."""

    @property
    def facts(self) -> EngineFacts | None:
        """None while no engine is ready."""
        ...

    @property
    def load(self) -> Load:
        """How busy the engines are."""
        ...

    @property
    def restarts(self) -> int:
        """How often an engine had to be started again."""
        ...

    def connect(self, client: str, deliver: Deliver) -> EngineLink:
        """A line for one client; `client` names who shares the engine fairly with whom."""
        ...

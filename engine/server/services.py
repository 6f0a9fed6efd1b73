"""What the routes of one server share. Everything is passed in; nothing is global."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version

from engine.hub import EngineHub
from engine.server.config import ServerConfig
from engine.server.metrics import Metrics
from engine.server.sessions import Sessions
from models.tokenizer import Tokenizer


def installed_version() -> str:
    """The version of the distribution, `0` where it runs from its sources."""
    try:
        return version("retouch")
    except PackageNotFoundError:
        return "0"


VERSION = installed_version()


@dataclass(slots=True)
class Services:
    """See the module.

    Attributes:
        connections: WebSocket connections and HTTP requests that are open now.
        requests: the HTTP requests among them, to the last byte of their answers.
        touched: when somebody was last here.
        tokenizers: those that were read, by the model's folder.
    """

    hub: EngineHub
    config: ServerConfig
    metrics: Metrics
    sessions: Sessions
    clock: Callable[[], float] = time.monotonic
    version: str = VERSION
    connections: int = 0
    requests: int = 0
    touched: float = field(default_factory=time.monotonic)
    tokenizers: dict[str, Tokenizer] = field(default_factory=dict)

    @contextmanager
    def counted(self, http: bool) -> Iterator[None]:
        """Count a connection or request while it is open."""
        self.connections += 1
        self.requests += http
        try:
            yield
        finally:
            self.connections -= 1
            self.requests -= http
            self.touched = self.clock()

    def idle_seconds(self) -> float:
        """How long nobody has been here."""
        return 0.0 if self.connections else self.clock() - self.touched


def make_services(
    hub: EngineHub, config: ServerConfig, clock: Callable[[], float] = time.monotonic
) -> Services:
    """The services of one server."""
    metrics = Metrics()
    sessions = Sessions(hub, config, metrics, clock)
    return Services(hub, config, metrics, sessions, clock, touched=clock())

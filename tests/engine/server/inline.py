"""A hub in this process: the fake step engine, stepped by a task; for tests of what is above."""

import asyncio
from dataclasses import dataclass, field

from msgspec.structs import replace

from engine.hub import Deliver, EngineFacts, Load
from protocol.messages import Cancel, ClientMessage, Done, Error, Revise, Scores, ServerMessage
from tests.engine.server.fake_engine import FakeStepEngine


@dataclass
class InlineLink:
    """One client's line."""

    hub: "InlineHub"
    client: str
    deliver: Deliver
    closed: bool = False

    def send(self, message: ClientMessage) -> None:
        if not self.closed:
            self.hub.ask(self, message)

    def close(self) -> None:
        for link, fill_id in list(self.hub.routes.values()):
            if link is self:
                self.send(Cancel(fill_id))
        self.closed = True


@dataclass
class InlineHub:
    """See the module. `step_seconds` passes between two steps."""

    step_seconds: float = 0.0
    facts: EngineFacts | None = None
    restarts: int = 0
    engine: FakeStepEngine = field(default_factory=FakeStepEngine)
    routes: dict[str, tuple[InlineLink, str]] = field(default_factory=dict)
    freed_after: list[int] = field(default_factory=list)
    asked: list[ClientMessage] = field(default_factory=list)
    _count: int = 0
    _news: asyncio.Event = field(default_factory=asyncio.Event)
    _cancels: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.facts = self.engine.facts

    @property
    def load(self) -> Load:
        return self.engine.load

    def connect(self, client: str, deliver: Deliver) -> InlineLink:
        return InlineLink(self, client, deliver)

    def ask(self, link: InlineLink, message: ClientMessage) -> None:
        self.asked.append(message)
        known = [
            key
            for key, (owner, name) in self.routes.items()
            if owner is link and name == message.id
        ]
        if isinstance(message, Cancel | Revise):
            for key in known:
                if isinstance(message, Cancel):
                    self._cancels[key] = self.engine.steps
                self.engine.send(replace(message, id=key))
        else:
            assert not known
            self._count += 1
            self.routes[str(self._count)] = (link, message.id)
            self.engine.send(replace(message, id=str(self._count)), link.client)
        self._news.set()

    def fail_all(self) -> None:
        """What happens when an engine process dies."""
        self.engine.live.clear()
        for key in list(self.routes):
            self._say(Error("engine_failed", "The engine stopped.", key))

    async def run(self) -> None:
        """Step while there is something to do."""
        while True:
            for message in self.engine.step():
                self._say(message)
            if self.engine.busy:
                await asyncio.sleep(self.step_seconds)
            else:
                await self._news.wait()
            self._news.clear()

    def _say(self, message: ServerMessage) -> None:
        assert message.id is not None
        link, name = self.routes[message.id]
        if isinstance(message, Done | Scores) or (isinstance(message, Error) and message.ends):
            del self.routes[message.id]
            if (asked := self._cancels.pop(message.id, None)) is not None:
                self.freed_after.append(self.engine.steps - asked)
        if not link.closed:
            link.deliver(replace(message, id=name))

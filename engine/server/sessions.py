"""Sessions: the fills of a client, which outlive a connection that breaks, and who may resume them.

One session has at most one connection; its fills are delivered to it, or kept until it comes back.
"""

import asyncio
import hmac
import logging
import secrets
from collections.abc import Callable
from dataclasses import dataclass, field

from msgspec.structs import replace

from engine.hub import EngineHub, EngineLink
from engine.server.config import ServerConfig
from engine.server.logs import end_facts
from engine.server.metrics import Metrics
from protocol.connection import Greeting, ServerConnection
from protocol.errors import ProtocolError
from protocol.handshake import VERSION, Hello, Resume, Welcome
from protocol.ledger import Ledger
from protocol.limits import Limits
from protocol.messages import Cancel, ClientMessage, Delta, Error, ServerMessage
from protocol.requests import Task
from protocol.states import IllegalOrder

logger = logging.getLogger(__name__)

MOST_PARKED = 256


@dataclass(slots=True)
class Attached:
    """The connection a session speaks through, and how to make it look for news."""

    connection: ServerConnection
    wake: Callable[[], None]


@dataclass(slots=True)
class Session:
    """One client's fills and its line to the engine."""

    ledger: Ledger
    metrics: Metrics
    clock: Callable[[], float]
    token: str = ""
    link: EngineLink | None = None
    attached: Attached | None = None
    expiry: asyncio.TimerHandle | None = None
    _asked: dict[str, float] = field(default_factory=dict)  # until the first frame
    _cancelled: dict[str, float] = field(default_factory=dict)

    def ask(self, message: ClientMessage) -> None:
        """Pass a request on to the engine."""
        assert self.link is not None
        if isinstance(message, Cancel):
            self._cancelled.setdefault(message.id, self.clock())
        elif isinstance(message, Task):
            self._asked[message.id] = self.clock()
        self.link.send(message)

    def deliver(self, message: ServerMessage) -> None:
        """Take what the engine says; whatever breaks the order ends that fill alone."""
        try:
            flow = self.ledger.hear(message)
        except IllegalOrder:
            logger.exception("the engine broke the order of a fill")
            flow = self.ledger.hear(Error("engine_failed", "The engine lost its way.", message.id))
        if flow is None:
            return
        now, fill_id = self.clock(), flow.task.id
        if isinstance(message, Delta) and (asked := self._asked.pop(fill_id, None)) is not None:
            self.metrics.first_ms.observe((now - asked) * 1000)
        if flow.final is not None:
            self._asked.pop(fill_id, None)
            if (cancelled := self._cancelled.pop(fill_id, None)) is not None:
                self.metrics.freed_ms.observe((now - cancelled) * 1000)
            self.metrics.ended(flow.final, flow.merged)
            logger.info("fill ended", extra={"facts": end_facts(self.ledger.session, flow.final)})
        if self.attached is not None:
            self.attached.wake()


class Sessions:
    """Every session of a server."""

    def __init__(
        self,
        hub: EngineHub,
        config: ServerConfig,
        metrics: Metrics,
        clock: Callable[[], float],
    ) -> None:
        self._hub = hub
        self._config = config
        self._metrics = metrics
        self._clock = clock
        self._sessions: dict[str, Session] = {}
        self.draining = False

    def __len__(self) -> int:
        return len(self._sessions)

    @property
    def limits(self) -> Limits:
        """What clients are held to."""
        return self._config.limits

    @property
    def live(self) -> int:
        """Fills without an end, over all sessions."""
        return sum(len(session.ledger.live) for session in self._sessions.values())

    @property
    def unsent(self) -> int:
        """Fills whose end has not reached a connection that is still there."""
        attached = [s for s in self._sessions.values() if s.attached is not None]
        return sum(len(session.ledger.flows) for session in attached)

    def greet(self, hello: Hello, attached: Attached) -> tuple[Greeting, Session]:
        """The session that a hello opens, or the one it takes up; ProtocolError once we drain."""
        if self.draining:
            raise ProtocolError("draining", "The server is stopping.", None, 1000)
        known = self._known(hello.resume) if hello.resume is not None else None
        session = known or self._new()
        if session.attached is not None:
            session.attached.connection.take_over()
            session.attached.wake()
        if session.expiry is not None:
            session.expiry.cancel()
        session.attached, session.expiry = attached, None
        session.token = secrets.token_urlsafe(16)
        resumed = tuple(session.ledger.flows) if known is not None else ()
        encoding = next(iter(hello.position_encoding), "utf-32")
        welcome = replace(self._welcome(session, resumed), position_encoding=encoding)
        return Greeting(welcome, session.ledger), session

    def leave(self, session: Session, attached: Attached) -> None:
        """The connection is gone: end the session, or keep it for a client that may come back."""
        if session.attached is not attached:
            return
        session.attached = None
        parked = sum(other.attached is None for other in self._sessions.values())
        if attached.connection.left or self.draining or parked > MOST_PARKED:
            self.end(session)
            return
        for flow in session.ledger.live:
            if getattr(flow.task, "priority", None) == "auto":
                session.ask(Cancel(flow.task.id))
        loop = asyncio.get_running_loop()
        session.expiry = loop.call_later(self._config.resume_seconds, self.end, session)

    def end(self, session: Session) -> None:
        """Cancel what is live and forget the session."""
        if session.expiry is not None:
            session.expiry.cancel()
        if session.link is not None:
            session.link.close()
        self._sessions.pop(session.ledger.session, None)

    def drain(self, reason: str, grace_ms: int) -> None:
        """Refuse what is new from now on and say so to everybody."""
        self.draining = True
        for session in list(self._sessions.values()):
            if session.attached is None:
                self.end(session)
            else:
                session.attached.connection.goaway(reason, grace_ms)
                session.attached.wake()

    def _known(self, resume: Resume) -> Session | None:
        session = self._sessions.get(resume.session)
        shown = resume.token.encode()
        if session is None or not hmac.compare_digest(shown, session.token.encode()):
            return None
        return session

    def _new(self) -> Session:
        name, limits = secrets.token_urlsafe(12), self._config.limits
        session = Session(
            Ledger(name, limits.window, limits.live_fills), self._metrics, self._clock
        )
        session.link = self._hub.connect(name, session.deliver)
        self._sessions[name] = session
        return session

    def _welcome(self, session: Session, resumed: tuple[str, ...]) -> Welcome:
        facts = self._hub.facts
        return Welcome(
            v=VERSION,
            session=session.ledger.session,
            resume_token=session.token,
            resume_ttl_ms=round(self._config.resume_seconds * 1000),
            heartbeat_ms=round(self._config.heartbeat_seconds * 1000),
            limits=self._config.limits,
            models=(facts.model,) if facts is not None else (),
            caps=facts.caps if facts is not None else (),
            resumed=resumed,
        )

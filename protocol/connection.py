"""The server's side of one connection: frames in, requests out; replies in, frames out. No I/O.

The caller owns socket, clock and engine: it hands over every frame with `receive`, does what the
returned requests ask, reports the engine's replies with `hear`, sends what `drain` returns, calls
`tick` at `wake_at`, and closes the socket once `close` is set and everything is drained.
"""

from collections.abc import Callable
from dataclasses import dataclass

from msgspec.structs import replace

from protocol import errors
from protocol.bucket import Bucket
from protocol.checks import check
from protocol.codec import Codec
from protocol.errors import Close, ProtocolError
from protocol.flow import Flow, Heard
from protocol.handshake import Ack, Bye, Goaway, Hello, Ping, Pong, Resume, Welcome
from protocol.ledger import Ledger
from protocol.limits import Limits
from protocol.messages import ClientMessage, ToClient, ToServer
from protocol.replies import Accepted, Delta, Done, Error
from protocol.requests import Cancel, Fill, Revise, ReviseText, Score, Task
from protocol.states import CLIENT_SAYS, IllegalOrder, Phase, step
from protocol.units import in_characters
from protocol.values import Encoding
from protocol.wire import CellFrame, shorten

CONTROL_LIMIT = 256
"""Messages besides frames that may wait for a client that doesn't read."""
CLOSE_CODES = {
    "malformed": errors.MALFORMED,
    "too_large": errors.TOO_BIG,
    "unsupported_version": errors.NO_VERSION,
    "rate_limited": errors.TOO_FAST,
    "draining": errors.DRAINING,
}


@dataclass(frozen=True, slots=True)
class Greeting:
    """The answer to a hello and the session it opens or takes up."""

    welcome: Welcome
    ledger: Ledger


Greet = Callable[[Hello], Greeting]


class ServerConnection:
    """See the module.

    Attributes:
        close: how the connection is to end, once it is.
        left: the client said bye.
        ledger: the fills of the session, from welcome on.
    """

    def __init__(self, codec: Codec, greet: Greet, limits: Limits, now: float) -> None:
        self.close: Close | None = None
        self.ledger: Ledger | None = None
        self._codec = codec
        self._greet = greet
        self._limits = limits
        self._opened = now
        self._phase = Phase.OPENING
        self._bucket = Bucket(limits.messages_per_second, limits.message_burst, now)
        self._confidence = False
        self._encoding: Encoding = "utf-32"
        self._draining = False
        self._control: list[ToClient] = []

    @property
    def left(self) -> bool:
        """Whether the client said bye."""
        return self._phase is Phase.LEFT

    def receive(self, data: bytes, now: float) -> list[ClientMessage]:
        """Take one frame; what the engine is to do because of it, in order."""
        if self.close is not None or self.left:
            return []
        try:
            message = self._codec.decode_to_server(data)
            self._admit(message, now)
            self._phase = step(self._phase, message, CLIENT_SAYS)
        except IllegalOrder as error:
            self._fail(ProtocolError("invalid_message", str(error)))
            return []
        except ProtocolError as error:
            self._fail(error)
            return []
        return self._handle(message, now)

    def hear(self, message: Heard) -> None:
        """Take what the engine says; IllegalOrder if it may not say it now."""
        assert self.ledger is not None, "an engine can't speak before welcome"
        self.ledger.hear(message)

    def drain(self, now: float) -> list[bytes]:
        """The frames that may leave now, in order."""
        out: list[ToClient | CellFrame] = list(self._control)
        self._control.clear()
        for flow in list(self.ledger.flows.values()) if self.ledger and not self.close else ():
            out += self._leave(flow, now)
        return [self._codec.encode(message) for message in out]

    def tick(self, now: float) -> None:
        """Do what time makes due: hello and ack timeouts."""
        limits = self._limits
        if self._phase is Phase.OPENING and now >= self._opened + limits.hello_ms / 1000:
            self._end(errors.SILENT, "no hello in time")
        for flow in self.ledger.flows.values() if self.ledger else ():
            since = flow.waits_since()
            if since is None:
                continue
            if now >= since + limits.ack_ms / 1000:
                self._end(errors.SILENT, f"no ack for fill {flow.task.id}")
            elif now >= since + limits.lag_ms / 1000 and flow.mode != "final":
                flow.mute()

    def wake_at(self) -> float | None:
        """When `tick` has something to do, if nothing else happens before."""
        if self.close is not None:
            return None
        limits, due = self._limits, []
        if self._phase is Phase.OPENING:
            due.append(self._opened + limits.hello_ms / 1000)
        for flow in self.ledger.flows.values() if self.ledger else ():
            if (since := flow.waits_since()) is not None:
                due.append(
                    since + (limits.ack_ms if flow.mode == "final" else limits.lag_ms) / 1000
                )
        return min(due, default=None)

    def goaway(self, reason: str, grace_ms: int) -> None:
        """Tell the client that the server stops; new fills are refused from now on."""
        self._draining = True
        if self._phase is Phase.OPEN:
            self._say(Goaway(reason, grace_ms))

    def take_over(self) -> None:
        """Another connection has taken up this session."""
        self._end(errors.TAKEN_OVER, "the session was resumed elsewhere")

    def _admit(self, message: ToServer, now: float) -> None:
        """Count the message; an ack that acknowledges something is free."""
        is_news = isinstance(message, Ack) and self._is_news(message)
        if not is_news and not self._bucket.take(now):
            raise ProtocolError("rate_limited", "Too many messages; slow down.", None, 1000)

    def _is_news(self, ack: Ack) -> bool:
        """Whether an ack acknowledges a frame for the first time, be its fill over or not."""
        if (flow := self._flow(ack.id)) is not None:
            return flow.acked < ack.seq <= flow.seq
        return self.ledger is not None and self.ledger.late_ack(ack.id, ack.seq)

    def _handle(self, message: ToServer, now: float) -> list[ClientMessage]:
        match message:
            case Hello():
                self._hello(message)
            case Ping():
                self._say(Pong(message.t))
            case Ack():
                self._ack(message)
            case Bye():
                assert self.ledger is not None
                cancels: list[ClientMessage] = [Cancel(f.task.id) for f in self.ledger.live]
                self._end(errors.NORMAL, "bye")
                return cancels
            case Cancel():
                return [message] if self._is_live(message.id) else []
            case Revise():
                return self._revise(message)
            case Fill() | ReviseText() | Score():
                return self._begin(message, now)
        return []

    def _hello(self, hello: Hello) -> None:
        try:
            if 1 not in hello.v:
                raise ProtocolError("unsupported_version", "This server speaks version 1.", "v")
            greeting = self._greet(hello)
        except ProtocolError as error:
            self._fail(error)
            return
        self.ledger = greeting.ledger
        self._confidence = "confidence" in hello.caps
        self._encoding = greeting.welcome.position_encoding
        self._say(greeting.welcome)
        if hello.resume is not None:
            self._take_up(hello.resume, self.ledger)

    def _take_up(self, resume: Resume, ledger: Ledger) -> None:
        """Begin the pictures of live fills again, and repeat the ends that may have got lost."""
        for flow in ledger.flows.values():
            flow.restart()
        for heard in resume.fills:
            if heard.id in ledger.flows:
                continue
            final = ledger.recall(heard.id)
            self._say(final or Error("not_found", "This fill is not known here.", heard.id))

    def _ack(self, ack: Ack) -> None:
        flow = self._flow(ack.id)
        if flow is not None and not flow.ack(ack.seq):
            text = f"ack {ack.seq} of fill {ack.id}: the last frame was {flow.seq}"
            self._fail(ProtocolError("invalid_message", text, "seq"))

    def _revise(self, revise: Revise) -> list[ClientMessage]:
        try:
            check(revise)
            flow = self._flow(revise.id)
            if flow is None or flow.final is not None:
                raise ProtocolError("not_found", "There is no live fill of this id.", "id")
            if revise.names_slots and flow.is_stale(revise.base_seq, revise.canvas):
                raise ProtocolError("stale_base", "The slots have moved since.", "base_seq")
        except ProtocolError as error:
            self._refuse(error, revise.id)
            return []
        encoding = revise.encoding or self._encoding
        return [replace(revise, base_seq=flow.told, encoding=encoding)]

    def _begin(self, task: Task, now: float) -> list[ClientMessage]:
        assert self.ledger is not None
        try:
            task = self._completed(task)
            check(task)
            if self._draining:
                raise ProtocolError("draining", "The server is stopping.", None, 1000)
            began = self.ledger.begin(task, now)
        except ProtocolError as error:
            self._refuse(error, task.id)
            return []
        if began.replay is not None:
            self._say(began.replay)
        cancels: list[ClientMessage] = [Cancel(fill_id) for fill_id in began.cancel]
        return [*cancels, task] if began.flow is not None else cancels

    def _completed(self, task: Task) -> Task:
        """The task with its offsets as characters, and the deadline it has if it names none."""
        task = in_characters(task, self._encoding)
        if task.deadline_ms is not None:
            return task
        return replace(task, deadline_ms=self._limits.deadline_ms(task.priority))

    def _leave(self, flow: Flow, now: float) -> list[ToClient | CellFrame]:
        out: list[ToClient | CellFrame] = []
        for message in flow.take(now):
            match message:
                case Accepted():
                    out.append(replace(message, f=flow.f))
                case Delta():
                    out.append(shorten(message, flow.f, self._confidence))
                case Done():
                    out.append(replace(message, seq=flow.seq))
                case _:
                    out.append(message)
        if flow.final is not None:
            assert self.ledger is not None
            self.ledger.settle(flow.task.id, now)
        return out

    def _flow(self, fill_id: str) -> Flow | None:
        return self.ledger.flows.get(fill_id) if self.ledger is not None else None

    def _is_live(self, fill_id: str) -> bool:
        flow = self._flow(fill_id)
        return flow is not None and flow.final is None

    def _say(self, message: ToClient) -> None:
        self._control.append(message)
        if len(self._control) > CONTROL_LIMIT:
            self._end(errors.OVER_LIMIT, "the client does not read")

    def _refuse(self, error: ProtocolError, fill_id: str) -> None:
        """Tell why a request is not done; a live fill of the same id goes on."""
        ends = not self._is_live(fill_id)
        self._say(_told(error, fill_id, ends=ends))

    def _fail(self, error: ProtocolError) -> None:
        """Tell what is wrong and end the connection."""
        self._say(_told(error, None, fatal=True))
        self._end(CLOSE_CODES.get(error.code, errors.INVALID), str(error))

    def _end(self, code: int, reason: str) -> None:
        if self.close is None:
            self.close = Close(code, reason)


def _told(
    error: ProtocolError, fill_id: str | None, *, fatal: bool = False, ends: bool = True
) -> Error:
    return Error(
        error.code, str(error), fill_id, error.param, error.retry_after_ms, fatal=fatal, ends=ends
    )

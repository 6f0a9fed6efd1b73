"""The fills of one session: ids, idempotency, newest-wins, and what is remembered of the ended."""

from collections import OrderedDict
from dataclasses import dataclass, field
from hashlib import sha256

import msgspec
from msgspec.structs import replace

from protocol.errors import ProtocolError
from protocol.flow import Final, Flow, Heard
from protocol.limits import LIVE_FILLS, WINDOW
from protocol.replies import Done, Error
from protocol.requests import Fill, Task
from protocol.values import DocumentRef

REPLAY_SECONDS = 30.0
REMEMBERED = 64


@dataclass(frozen=True, slots=True)
class Ended:
    """A fill that is over, kept so that the same request gets the same answer."""

    digest: bytes
    final: Final
    until: float


@dataclass(frozen=True, slots=True)
class Began:
    """What a task came to when it was begun."""

    flow: Flow | None = None
    """The fill to run, if it is a new one."""
    replay: Final | None = None
    """Its answer, if it is known already."""
    cancel: tuple[str, ...] = ()
    """Fills that it makes stale."""


@dataclass(slots=True)
class Ledger:
    """See the module; it outlives a connection that breaks.

    Attributes:
        session: the name of the session.
        flows: fills whose end has not been sent.
    """

    session: str
    window: int = WINDOW
    live_limit: int = LIVE_FILLS
    flows: dict[str, Flow] = field(default_factory=dict)
    _digests: dict[str, bytes] = field(default_factory=dict)
    _ended: OrderedDict[str, Ended] = field(default_factory=OrderedDict)
    _late: OrderedDict[str, tuple[int, int]] = field(default_factory=OrderedDict)
    """Of ended fills: the last frame that was acknowledged, and the last that was sent."""
    _newest: OrderedDict[str, int] = field(default_factory=OrderedDict)
    _count: int = 0

    @property
    def live(self) -> list[Flow]:
        """Fills that the engine still works on."""
        return [flow for flow in self.flows.values() if flow.final is None]

    def begin(self, task: Task, now: float) -> Began:
        """Enter a task; ProtocolError id_conflict or overloaded if it can't be."""
        digest = sha256(msgspec.msgpack.encode(task)).digest()
        if known := self._known(task, digest, now):
            return known
        if self._is_stale(task):
            return Began(replay=Done(task.id, "", "superseded"))
        stale = self._made_stale_by(task)
        if len(self.live) - len(stale) >= self.live_limit:
            text = f"{self.live_limit} fills are running on this connection; wait for one to end."
            raise ProtocolError("overloaded", text, "id", 1000)
        for flow in stale:
            flow.superseded = True
        self._count += 1
        flow = self.flows[task.id] = Flow(task, self._count, self.window)
        self._digests[task.id] = digest
        return Began(flow, cancel=tuple(flow.task.id for flow in stale))

    def hear(self, message: Heard) -> Flow | None:
        """Pass on what the engine says of a fill; None if the fill is not live."""
        flow = self.flows.get(message.id or "")
        if flow is None or flow.final is not None:
            return None
        if isinstance(message, Done) and message.finish == "cancelled" and flow.superseded:
            message = replace(message, finish="superseded")
        flow.hear(message)
        return flow

    def settle(self, fill_id: str, now: float) -> None:
        """The end of the fill has been sent: keep it for a while in case the client asks again."""
        flow, digest = self.flows.pop(fill_id), self._digests.pop(fill_id)
        assert flow.final is not None
        self._ended[fill_id] = Ended(digest, flow.final, now + REPLAY_SECONDS)
        self._late[fill_id] = flow.acked, flow.seq
        while len(self._ended) > REMEMBERED:
            self._ended.popitem(last=False)
        while len(self._late) > REMEMBERED:
            self._late.popitem(last=False)

    def late_ack(self, fill_id: str, seq: int) -> bool:
        """An ack of a fill whose end has been sent; whether it acknowledges anything new."""
        acked, last = self._late.get(fill_id, (0, 0))
        if not acked < seq <= last:
            return False
        self._late[fill_id] = seq, last
        return True

    def recall(self, fill_id: str) -> Final | None:
        """How a fill ended, if that is remembered."""
        ended = self._ended.get(fill_id)
        return ended.final if ended is not None else None

    def _known(self, task: Task, digest: bytes, now: float) -> Began | None:
        """What is known of a task whose id was used before."""
        if (flow := self.flows.get(task.id)) is not None:
            if self._digests[task.id] != digest:
                raise _conflict(task.id)
            flow.restart()
            return Began()
        ended = self._ended.get(task.id)
        if ended is None or ended.until <= now:
            return None
        if ended.digest != digest:
            raise _conflict(task.id)
        return None if _may_be_tried_again(ended.final) else Began(replay=ended.final)

    def _is_stale(self, task: Task) -> bool:
        """Whether an automatic fill is about an older version than one seen before."""
        doc = _automatic(task)
        if doc is None:
            return False
        newest = self._newest.get(doc.key, -1)
        self._newest[doc.key] = max(newest, doc.version)
        self._newest.move_to_end(doc.key)
        while len(self._newest) > REMEMBERED:
            self._newest.popitem(last=False)
        return doc.version < newest

    def _made_stale_by(self, task: Task) -> list[Flow]:
        """Live fills that `task` replaces: the one it names, and older automatic ones."""
        doc = _automatic(task)
        named = task.supersedes if isinstance(task, Fill) else None
        return [
            flow
            for flow in self.live
            if not flow.superseded
            and (flow.task.id == named or _is_replaced(_automatic(flow.task), doc))
        ]


def _automatic(task: Task) -> DocumentRef | None:
    """The document of an automatic request."""
    return task.doc if isinstance(task, Fill) and task.priority == "auto" else None


def _is_replaced(old: DocumentRef | None, new: DocumentRef | None) -> bool:
    return old is not None and new is not None and old.key == new.key


def _may_be_tried_again(final: Final) -> bool:
    """Whether a fill failed for a reason that passes: its client was told when to ask again."""
    return isinstance(final, Error) and final.retry_after_ms is not None


def _conflict(fill_id: str) -> ProtocolError:
    return ProtocolError("id_conflict", f"The id {fill_id} was used for another request.", "id")

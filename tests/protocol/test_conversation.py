"""A client, a server and an engine that talk at random: rules hold, nothing is lost or doubled."""

import random
from collections import deque

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from protocol.client import ClientConnection
from protocol.codec import MSGPACK
from protocol.connection import Greeting, ServerConnection
from protocol.ledger import Ledger
from protocol.limits import WINDOW, Limits
from protocol.messages import (
    Accepted,
    Cancel,
    ClientInfo,
    Delta,
    Done,
    Error,
    Fill,
    Hello,
    Pin,
    Revise,
    Snap,
    Splice,
)
from protocol.mirror import Mirror
from tests.protocol.examples import WELCOME

SIZE = 5
CALM = Limits(messages_per_second=10**9, message_burst=10**9, lag_ms=10**9, ack_ms=10**9)


class Conversation(RuleBasedStateMachine):
    """The links are queues of frames; a broken connection loses what is on the way."""

    def __init__(self) -> None:
        super().__init__()
        self.ledger = Ledger("s")
        self.engine: dict[str, Mirror] = {}  # fills that the engine works on
        self.seqs: dict[str, int] = {}  # how many frames the engine has told of each
        self.moved: dict[str, int] = {}  # the last of them that numbered slots anew
        self.truth: dict[str, str] = {}  # how each fill ended
        self.mirrors: dict[str, Mirror] = {}
        self.ends: dict[str, Done | Error] = {}
        self.asked = 0
        self.dice = random.Random(0)
        self.client = ClientConnection(MSGPACK)
        self.connect(Hello(v=(1,), client=ClientInfo("test"), caps=("confidence",)))

    def connect(self, hello: Hello) -> None:
        self.up: deque[bytes] = deque()
        self.down: deque[bytes] = deque()
        self.server = ServerConnection(MSGPACK, lambda _: Greeting(WELCOME, self.ledger), CALM, 0.0)
        self.up.append(self.client.send(hello))
        self.exchange(1, 1)
        assert self.client.welcome is not None

    def exchange(self, up: int, down: int) -> None:
        for _ in range(min(up, len(self.up))):
            for request in self.server.receive(self.up.popleft(), 0.0):
                self.engine_hears(request)
        self.down.extend(self.server.drain(0.0))
        for _ in range(min(down, len(self.down))):
            self.client_hears(self.down.popleft())
        self.up.extend(self.client.acks())

    def engine_hears(self, request: object) -> None:
        match request:
            case Fill():
                assert request.id not in self.engine, "one id ran twice"
                assert request.id not in self.truth
                self.engine[request.id] = Mirror([None] * SIZE, [0.0] * SIZE)
                self.seqs[request.id] = self.moved[request.id] = 0
                self.server.hear(Accepted(request.id, "fake", 0, SIZE, "fixed"))
            case Cancel():
                self.end(request.id, "cancelled")
            case Revise():
                assert request.id in self.engine
                assert self.moved[request.id] <= request.base_seq <= self.seqs[request.id]

    def end(self, fill_id: str, finish: str) -> None:
        mirror = self.engine.pop(fill_id)
        text = "".join(cell or "" for cell in mirror.cells)
        self.truth[fill_id] = text
        self.server.hear(Done(fill_id, text, finish))  # type: ignore[arg-type]

    def client_hears(self, frame: bytes) -> None:
        message = self.client.receive(frame)
        match message:
            case Accepted():
                self.mirrors[message.id] = Mirror([None] * SIZE, [0.0] * SIZE)
            case Delta() | Snap() | Splice():
                self.mirrors[message.id].apply(message)
            case Done():
                assert message.id not in self.ends, "a fill ended twice"
                self.ends[message.id] = message
            case Error():
                assert not message.fatal

    @precondition(lambda self: len(self.client.live) < 6)
    @rule(mode=st.sampled_from(["delta", "delta", "prefix", "final"]), replaces=st.booleans())
    def ask(self, mode: str, replaces: bool) -> None:
        self.asked += 1
        old = next(iter(self.client.live), None) if replaces else None
        fill = Fill(id=f"f{self.asked}", prefix="", suffix="", mode=mode, supersedes=old)  # type: ignore[arg-type]
        self.up.append(self.client.send(fill))

    @precondition(lambda self: self.client.live)
    @rule(pick=st.integers(0, 9))
    def cancel(self, pick: int) -> None:
        live = list(self.client.live)
        self.up.append(self.client.send(Cancel(live[pick % len(live)])))

    @precondition(lambda self: self.client.live)
    @rule(pick=st.integers(0, 9), fresh=st.booleans())
    def revise(self, pick: int, fresh: bool) -> None:
        """Slots as the last frame numbers them, or as they were once."""
        name = list(self.client.live)[pick % len(self.client.live)]
        base = self.client.live[name] if fresh else 0
        self.up.append(self.client.send(Revise(id=name, base_seq=base, ops=(Pin(0, 1, "x"),))))

    @precondition(lambda self: self.engine)
    @rule(pick=st.integers(0, 9), slot=st.integers(0, 99), cell=st.sampled_from([None, "a", "b"]))
    def engine_steps(self, pick: int, slot: int, cell: str | None) -> None:
        fill_id = list(self.engine)[pick % len(self.engine)]
        mirror = self.engine[fill_id]
        size = len(mirror.cells)
        self.seqs[fill_id] += 1
        seq, at = self.seqs[fill_id], slot % size
        frame = Delta(fill_id, mirror.step + 1, size, (at,), (cell,), (1.0,), seq)
        mirror.apply(frame)
        self.server.hear(frame)

    @precondition(lambda self: self.engine)
    @rule(pick=st.integers(0, 9), at=st.integers(0, 4), insert=st.integers(1, 3))
    def engine_splices(self, pick: int, at: int, insert: int) -> None:
        fill_id = list(self.engine)[pick % len(self.engine)]
        if len(self.engine[fill_id].cells) < 20:
            self.seqs[fill_id] += 1
            self.moved[fill_id] = self.seqs[fill_id]
            frame = Splice(fill_id, at, 1, insert, self.seqs[fill_id])
            self.engine[fill_id].apply(frame)
            self.server.hear(frame)

    @precondition(lambda self: self.engine)
    @rule(pick=st.integers(0, 9))
    def engine_ends(self, pick: int) -> None:
        self.end(list(self.engine)[pick % len(self.engine)], "converged")

    @rule(up=st.integers(0, 5), down=st.integers(0, 20))
    def deliver(self, up: int, down: int) -> None:
        self.exchange(up, down)

    @rule()
    def breaks_and_resumes(self) -> None:
        resume = self.client.resume()
        self.client = ClientConnection(MSGPACK)
        self.connect(Hello(v=(1,), client=ClientInfo("test"), resume=resume))
        self.catch_up()

    @rule()
    def catch_up(self) -> None:
        """Everything arrives: the client's canvases are the engine's."""
        for _ in range(3):
            self.exchange(0, 0)
            while self.up or self.down:
                self.exchange(99, 99)
        for fill_id, mirror in self.engine.items():
            if self.ledger.flows[fill_id].mode == "delta":
                assert self.mirrors[fill_id].cells == mirror.cells

    @invariant()
    def connection_stands(self) -> None:
        assert self.server.close is None

    @invariant()
    def credit_holds(self) -> None:
        frames = [frame for frame in self.down if frame[0] in (0x98, 0x99, 0x9A)]
        assert len(frames) <= WINDOW * max(1, self.asked)

    def teardown(self) -> None:
        """Let everything arrive: each fill has one end, the same on both sides."""
        self.catch_up()
        for fill_id in list(self.engine):
            self.end(fill_id, "stop")
        self.exchange(99, 99)
        assert not self.client.live or set(self.client.live).isdisjoint(self.truth)
        for fill_id, done in self.ends.items():
            assert isinstance(done, Done)
            assert done.text == self.truth[fill_id]
        assert self.server.close is None


TestConversation = Conversation.TestCase
TestConversation.settings = settings(max_examples=60, stateful_step_count=40, deadline=None)

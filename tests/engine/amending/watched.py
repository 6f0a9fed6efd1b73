"""A fill on the tiny model, and its canvas as a client sees it."""

from engine.canvas import Canvas
from engine.config import EngineConfig
from engine.local import LocalEngine
from models.loader import Model
from protocol.messages import (
    Accepted,
    Delta,
    Done,
    Error,
    Fill,
    Op,
    PolicyName,
    Revise,
    Sampling,
    ServerMessage,
    Splice,
)
from protocol.mirror import Mirror

POLICIES: list[PolicyName] = ["causal", "fixed", "threshold", "speculate"]


def fill(policy: PolicyName = "causal", prefix: str = "a = ", **fields: object) -> Fill:
    sampling = Sampling(policy=policy, steps=12, temperature=1.0, seed=3)
    return Fill(id="a", prefix=prefix, suffix=" + b\n", sampling=sampling, **fields)  # type: ignore[arg-type]


class Watched:
    """An engine and the canvas as a client sees it."""

    def __init__(self, tiny: Model, request: Fill) -> None:
        self.engine = LocalEngine(tiny, EngineConfig(threads=1))
        self.mirror = Mirror()
        self.messages: list[ServerMessage] = []
        self.seq = 0
        self.engine.send(request)
        self.hear()

    def hear(self) -> None:
        """A step of the engine, and what it says."""
        self.take(self.engine.step())

    def listen(self) -> None:
        """What the engine says without another step."""
        said = list(self.engine._outbox)
        self.engine._outbox.clear()
        self.take(said)

    def take(self, said: list[ServerMessage]) -> None:
        for message in said:
            self.messages.append(message)
            if isinstance(message, Accepted):
                size = message.canvas_tokens
                self.mirror = Mirror([None] * size, [0.0] * size)
            elif isinstance(message, Delta | Splice):
                assert message.seq > self.seq
                self.seq = message.seq
                self.mirror.apply(message)

    def steps(self, count: int) -> None:
        for _ in range(count):
            self.hear()

    def revise(self, *ops: Op, base: int | None = None, **fields: object) -> None:
        """Ask for ops on the canvas as it was last seen, without a step between."""
        seq = self.seq if base is None else base
        self.engine.send(Revise(id="a", base_seq=seq, ops=ops, **fields))  # type: ignore[arg-type]

    def end(self) -> Done | Error:
        while self.engine.busy:
            self.hear()
        last = self.messages[-1]
        assert isinstance(last, Done | Error)
        return last

    def done(self) -> Done:
        end = self.end()
        assert isinstance(end, Done), end
        return end

    def errors(self) -> list[str]:
        return [m.code for m in self.messages if isinstance(m, Error)]

    @property
    def text(self) -> str:
        """The text left of the first mask, as it was last seen."""
        return self.mirror.settled_text

    @property
    def canvas(self) -> Canvas:
        """The engine's own canvas."""
        return self.engine._session._session._live["a"].search.lead.whole
